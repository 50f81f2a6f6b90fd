import type { AgentProfile } from '@tallyhand/contracts/features/agents/agents.fields';
import type { BrowsingAction } from '@tallyhand/contracts/features/sessions/browsing';
import type { EngineTool, OnModelCall } from '../engine.ts';

/** A page as a planner sees it: never HTML. Untrusted text. */
export type PageView = {
  url: string;
  title: string;
  /**
   * The accessible outline, as YAML: roles, names, states and, in `[ref=e12]`, the references that
   * actions name. Cut to `OUTLINE_MAX` characters.
   */
  outline: string;
  /** PNG; only for planners that see images. */
  screenshot: Uint8Array | null;
  /** For members: a dialog that was dismissed, a download that was refused. */
  notices: string[];
};

/** A past step. `input` is the action as `describeAction` wrote it. */
export type PastStep = {
  stepNumber: number;
  /** Taken by a member. */
  isByPerson: boolean;
  action: string;
  input: string;
  output: string;
  success: boolean;
  /** Interrupted by a member: it may have to be repeated. */
  interrupted: boolean;
  url: string | null;
  finding: { text: string; url: string | null } | null;
};

export type PlanRequest = {
  agent: AgentProfile;
  goal: string;
  context: string | null;
  /** Null while nothing was opened. */
  page: PageView | null;
  /** All steps so far: planners keep no state between calls. */
  steps: readonly PastStep[];
  /** The remaining steps, including this one. */
  stepsLeft: number;
  tools: readonly Omit<EngineTool, 'call'>[];
  /** The addresses at which its browser tools start. */
  startUrls: readonly string[];
  /** Receives the model call when it ends; must not throw. */
  onModelCall?: OnModelCall | undefined;
  signal: AbortSignal;
};

export type PlannedStep = { action: BrowsingAction; reasoning: string };

export type Planner = {
  /** The model's display name. */
  readonly model: string;
  readonly seesImages: boolean;
  /** Rejects with an `EngineFailure` only. */
  next(request: PlanRequest): Promise<PlannedStep>;
};

/** An action's details without its type, which members read as a step's input. */
export function describeAction(action: BrowsingAction, name: string | null): string {
  switch (action.type) {
    case 'open':
      return action.url;
    case 'click':
      return name ?? action.ref;
    case 'type':
      return `${name ?? action.ref}: ${action.text}`;
    case 'select':
      return `${name ?? action.ref}: ${action.option}`;
    case 'scroll':
      return action.direction;
    case 'back':
      return '';
    case 'extract':
      return action.about;
    case 'search':
      return action.words;
    case 'use_tool':
      return `${action.operation} ${JSON.stringify(action.args)}`;
    case 'note':
      return action.finding;
    case 'finish':
      return action.summary;
  }
}
