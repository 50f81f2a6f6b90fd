import { z } from 'zod';
import { Id, Instant } from '../../kernel/ids.ts';
import { type EventsOf, event } from '../../kernel/messages.ts';
import { SentenceParams } from '../../kernel/sentence.ts';
import { ModelUsage } from '../models/model-usage.ts';
import { APPROVAL_DECISIONS } from '../tasks/tasks.events.ts';

const session = { sessionId: Id, organizationId: Id };

const outcome = z.object({
  summary: z.string(),
  keyFindings: z.array(z.string()),
  nextSteps: z.array(z.string()),
});

/** On `session-{id}`. */
export const SessionRequested = event('SessionRequested', {
  ...session,
  agentId: Id,
  goal: z.string(),
  context: z.string().nullable(),
  maxSteps: z.int(),
  /** Credits per successful step. */
  price: z.int(),
  requestedBy: Id,
  /** A session that has not ended by this moment fails. */
  deadline: Instant,
});
/** A browser was opened; again after another runner resumed the session. */
export const SessionStarted = event('SessionStarted', {
  ...session,
  /** Random, new for each browser. */
  browserSessionId: Id,
  model: z.string(),
  agentVersion: z.int(),
  tools: z.array(z.object({ toolId: Id, version: z.int() })),
});
/** One step, of the agent or of the member who took over. `stepNumber` counts all from 1. */
export const StepTaken = event(
  'StepTaken',
  {
    ...session,
    /** The id of the reservation too, for steps of the agent. */
    stepId: Id,
    stepNumber: z.int(),
    /** The member who took over and did it; null for the agent's steps. */
    takenBy: Id.nullable(),
    action: z.string(),
    /** The organization's tool, or the browser. */
    toolUsed: z.string().nullable(),
    input: z.string(),
    output: z.string(),
    reasoning: z.string().nullable(),
    success: z.boolean(),
    /** A member took over during the step: neither successful nor failed, and free. */
    interrupted: z.boolean(),
    creditsUsed: z.int(),
    executionTimeMs: z.int(),
    /** The address after the step; null if no page has been opened yet. */
    url: z.string().nullable(),
    title: z.string().nullable(),
    /** Hashes of PNG screenshots after the step. */
    screenshots: z.array(z.string()),
    /** The finding that the step noted, with its page. */
    finding: z.object({ text: z.string(), url: z.string().nullable() }).nullable(),
    /** Of the model calls since the agent's step before; absent if there were none. */
    usage: z.array(ModelUsage).optional(),
  },
  // Version 1 counted an interrupted step as failed.
  [(data) => ({ ...data, interrupted: false }), (data) => data],
);
/** A member steers the browser; the agent waits. */
export const SessionTakenOver = event('SessionTakenOver', { ...session, takenOverBy: Id });
/** The agent continues. */
export const SessionHandedBack = event('SessionHandedBack', {
  ...session,
  /** Null if the member was inactive for too long. */
  handedBackBy: Id.nullable(),
});
/** The agent waits for a decision on a call of a tool, or on a form that it wants to send. */
export const SessionApprovalRequested = event('SessionApprovalRequested', {
  ...session,
  approvalId: Id,
  /** Null for a form, and so is its version. */
  toolId: Id.nullable(),
  toolVersion: z.int().nullable(),
  /** The tool, or the host that gets the form. */
  toolName: z.string(),
  operation: z.string(),
  /** A JSON object. */
  arguments: z.string(),
  /** Without a decision until then, the call counts as refused. */
  deadline: Instant,
});
/** The agent continues. */
export const SessionApprovalDecided = event('SessionApprovalDecided', {
  ...session,
  approvalId: Id,
  decision: z.enum(APPROVAL_DECISIONS),
  /** Other arguments than the agent's, as a JSON object. */
  arguments: z.string().optional(),
  /** For the agent, with a refusal. */
  note: z.string().optional(),
  /** Further calls of this version of the tool need no approval in this session. */
  forRun: z.boolean(),
  /** Null if no member decided in time. */
  decidedBy: Id.nullable(),
});
/** The approved call is about to be made, which happens once. */
export const SessionApprovalUsed = event('SessionApprovalUsed', { ...session, approvalId: Id });
export const SessionCompleted = event(
  'SessionCompleted',
  {
    ...session,
    /** `answer-uncertain`: pages were read, and none answers the goal with certainty. */
    reason: z.enum(['goal-reached', 'answer-uncertain', 'out-of-steps']),
    outcome,
  },
  // Version 1 counted a session without a certain answer as failed.
  [(data) => data],
);
export const SessionFailed = event(
  'SessionFailed',
  {
    ...session,
    reason: z.enum(['out-of-credits', 'error', 'runner-lost']),
    /** Code of `error`; null if the agent wrote it. */
    code: z.string().nullable(),
    params: SentenceParams,
    /** A sentence about the failure. */
    error: z.string(),
    outcome,
  },
  // Older versions had only the sentence.
  [(data) => ({ ...data, code: null, params: {} })],
);
export const SessionTerminated = event('SessionTerminated', {
  ...session,
  reason: z.enum(['by-person', 'agent-paused', 'agent-deleted', 'member-removed']),
  /** Null if no member did it. */
  terminatedBy: Id.nullable(),
  outcome,
});

/** Every event of the stream, by type. */
export const sessionEvents = {
  SessionRequested,
  SessionStarted,
  StepTaken,
  SessionTakenOver,
  SessionHandedBack,
  SessionApprovalRequested,
  SessionApprovalDecided,
  SessionApprovalUsed,
  SessionCompleted,
  SessionFailed,
  SessionTerminated,
};
export type SessionEvent = EventsOf<typeof sessionEvents>;
