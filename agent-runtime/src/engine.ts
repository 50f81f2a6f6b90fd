import { WorkCancelled } from '@tallyhand/contracts/features/tasks/work-failures';
import type { Sentence } from '@tallyhand/contracts/kernel/sentence';

/**
 * One piece of an article, as `splitIntoPassages` made it. `ordinal` counts from 0 within the
 * article's version.
 */
export type Passage = {
  articleId: string;
  articleVersion: number;
  articleTitle: string;
  ordinal: number;
  heading: string | null;
  text: string;
};

/**
 * What an organization wrote about its agent. It shapes the answer's tone and form, never its
 * facts.
 */
export type AgentProfile = {
  name: string;
  description: string;
  persona: {
    role: string;
    personality: string;
    expertise: string[];
    communicationStyle: 'formal' | 'casual' | 'friendly' | 'professional';
    responseFormat: 'detailed' | 'concise' | 'structured' | 'conversational';
  };
};

export type AnswerRequest = {
  agent: AgentProfile;
  /** The person's question or instruction, up to 32,000 characters. */
  input: string;
  /**
   * What the input belongs to: what was said before in a conversation, or, where it is one step of a
   * playbook, what the person asked for and what came of the steps before, or who sent the mail that
   * it is, and when. Untrusted text; the built-in engine does without.
   */
  context?: string;
  /** Candidates that the caller's full-text search found, best first, up to 40. Untrusted text. */
  passages: Passage[];
  /** What it may call; without them it answers from the passages alone. */
  tools?: readonly EngineTool[] | undefined;
  /** It answers by calling one of the tools, not otherwise. */
  mustUseTool?: boolean | undefined;
  /** Told the answer's text piece by piece, as it is written; `output` is all of them together. */
  onText?: ((piece: string) => void) | undefined;
  /** Aborting it ends the work with the failure `cancelled`. */
  signal: AbortSignal;
};

/** A tool as an engine sees it: never its credentials. */
export type EngineTool = {
  id: string;
  /** As its organization calls it. */
  title: string;
  description: string;
  operations: readonly ToolOperation[];
  /**
   * Calls it, as often as the caller allows. What goes wrong comes back as the answer of a call
   * without success; only aborting rejects, with the failure `cancelled`.
   */
  call(operation: ToolOperation, args: JsonObject, signal: AbortSignal): Promise<ToolAnswer>;
};

/** One thing that a tool can do. */
export type ToolOperation = {
  name: string;
  description: string;
  /** JSON Schema of the arguments, an object. */
  parameters: JsonObject;
  /** It only looks: calling it by mistake does no harm. */
  isRead: boolean;
};

/** What a tool said, secrets masked. Untrusted text. */
export type ToolAnswer = { success: boolean; output: string };

export type JsonObject = { readonly [name: string]: unknown };

/** Where an answer comes from. `quote` stands literally in the passage. */
export type Source = {
  articleId: string;
  articleVersion: number;
  articleTitle: string;
  ordinal: number;
  quote: string;
};

export type Answer = {
  /** Markdown, for a person. */
  output: string;
  /** How the answer was found, for the person who checks it. */
  reasoning: string;
  /** The best first; empty when the passages hold no answer. */
  sources: Source[];
  /** The name to show wherever a model is named. */
  model: string;
};

export type AnswerEngine = {
  readonly model: string;
  /**
   * Calls tools where they help, and answers. A request whose signal is aborted may have told pieces
   * of an answer that never comes. Rejects with an `EngineFailure` only.
   */
  answer(request: AnswerRequest): Promise<Answer>;
};

/** The engine that needs no model. It also chooses quotes for engines whose model only names passages. */
export type OfflineEngine = AnswerEngine & {
  /** The literal part of a passage that is closest to a text, for example to an answer made from it. */
  closestQuote(passage: Passage, text: string): string;
};

/**
 * The one error that engines throw. What it says is fit for a person; it carries no cause, because
 * the errors of HTTP clients hold requests and with them keys.
 */
export class EngineFailure extends Error {
  readonly code: string;
  readonly sentence: Sentence;

  constructor(sentence: Sentence) {
    super(sentence.text);
    this.name = 'EngineFailure';
    this.code = sentence.code;
    this.sentence = sentence;
  }
}

/** Throws the failure `cancelled` when the request was aborted. */
export function throwIfCancelled(signal: AbortSignal): void {
  if (signal.aborted) throw new EngineFailure(WorkCancelled({}));
}
