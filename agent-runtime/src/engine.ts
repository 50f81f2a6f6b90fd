import type { AgentProfile } from '@tallyhand/contracts/features/agents/agents.fields';
import type { TokenUsage } from '@tallyhand/contracts/features/models/model-usage';
import { WorkCancelled } from '@tallyhand/contracts/features/tasks/work-failures';
import type { Sentence } from '@tallyhand/contracts/kernel/sentence';
import type { CostOf } from './model-cost.ts';

/**
 * A piece of an article or of an attached document, as made by `splitIntoPassages`. `ordinal` counts from 0 within the
 * version.
 */
export type Passage = {
  articleId: string;
  articleVersion: number;
  articleTitle: string;
  ordinal: number;
  heading: string | null;
  text: string;
  /** Of an attached document: `articleId` is its id, `articleTitle` its name. */
  isAttachment?: true | undefined;
};

/** An attached image, a JPEG as base64. */
export type AttachedImage = { readonly name: string; readonly base64: string };

export type AnswerRequest = {
  agent: AgentProfile;
  /** The question or instruction, up to 32,000 characters. */
  input: string;
  /**
   * The input's context: earlier turns of a conversation, the request and results of earlier steps
   * of a playbook, or the sender and date of a mail. Untrusted text; the offline engine ignores it.
   */
  context?: string;
  /** Candidates that the caller's full-text search found, best first, up to 40. Untrusted text. */
  passages: Passage[];
  /** Images of the request. Fails with `model-rejected` where the model takes none. */
  images?: readonly AttachedImage[] | undefined;
  /** Tools that the engine may call; without any it answers from the passages alone. */
  tools?: readonly EngineTool[] | undefined;
  /** Requires a call of one of the tools. */
  mustUseTool?: boolean | undefined;
  /** Receives the answer's text piece by piece while it is written; `output` is all of it. */
  onText?: ((piece: string) => void) | undefined;
  /** Receives each model call when it ends, also of an answer that fails; must not throw. */
  onModelCall?: OnModelCall | undefined;
  /** Lets another worker continue an answer in which a tool call waits for a person. */
  turns?: AnswerTurns | undefined;
  /** Aborting it fails the work with `cancelled`. */
  signal: AbortSignal;
};

/**
 * What a model has said in an answer so far, as JSON that only engines read. The offline engine has
 * no turns: it calls the same tools again.
 */
export type AnswerTurns = {
  /** The turns that are repeated before the model is asked again. */
  readonly earlier: readonly unknown[];
  /** Receives all turns so far, whenever one is added. */
  readonly note: (all: readonly unknown[]) => void;
};

/** The outcome of one model call. */
export type ModelCall = {
  readonly purpose: 'answer' | 'plan' | 'embed';
  readonly model: string;
  /** `answered`, or the code of the failure. */
  readonly outcome: string;
  readonly seconds: number;
  /** Null for a failed call. */
  readonly usage: TokenUsage | null;
  /** Null for the model of the installation. */
  readonly connectionId: string | null;
  /** In millionths of a US dollar; null for a failed call, and without a price. */
  readonly costMicros: number | null;
};

/** Where a model comes from, and what it costs. */
export type ModelSource = {
  readonly connectionId: string | null;
  readonly costOf: CostOf;
};

export type OnModelCall = (call: ModelCall) => void;

/** A tool as an engine sees it: never its credentials. */
export type EngineTool = {
  id: string;
  /** The organization's name for it. */
  title: string;
  description: string;
  operations: readonly ToolOperation[];
  /**
   * Calls the tool, as often as the caller allows. A failed call resolves with `success: false`;
   * only aborting rejects, with the failure `cancelled`.
   */
  call(operation: ToolOperation, args: JsonObject, signal: AbortSignal): Promise<ToolAnswer>;
};

/** An operation of a tool. */
export type ToolOperation = {
  name: string;
  description: string;
  /** JSON Schema of the arguments, an object. */
  parameters: JsonObject;
  /** Without side effects: calling it by mistake does no harm. */
  isRead: boolean;
};

/** The output of a tool, secrets masked. Untrusted text. */
export type ToolAnswer = { success: boolean; output: string };

export type JsonObject = { readonly [name: string]: unknown };

/** A source of an answer. The passage contains `quote` literally. */
export type Source = {
  articleId: string;
  articleVersion: number;
  articleTitle: string;
  ordinal: number;
  quote: string;
  isAttachment?: true | undefined;
};

export type Answer = {
  /** Markdown for the reader. */
  output: string;
  /** How the answer was found, for reviewers. */
  reasoning: string;
  /** Best first; empty when the passages contain no answer. */
  sources: Source[];
  /** The model's display name. */
  model: string;
};

export type AnswerEngine = {
  readonly model: string;
  /** False if the model is known to take no images. */
  readonly seesImages: boolean;
  /**
   * Calls tools where they help, and answers. An aborted request may have streamed pieces of an
   * answer that never completes. Rejects only with an `EngineFailure`.
   */
  answer(request: AnswerRequest): Promise<Answer>;
};

/** The engine that needs no model. It also chooses quotes for engines whose model only names passages. */
export type OfflineEngine = AnswerEngine & {
  /** The literal part of a passage that is closest to a text, for example to an answer made from it. */
  closestQuote(passage: Passage, text: string): string;
};

/**
 * The only error that engines throw. Its message can be shown to members. It has no cause: errors of
 * HTTP clients contain requests, and those contain keys.
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
