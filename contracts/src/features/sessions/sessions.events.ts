import { z } from 'zod';
import { Id, Instant } from '../../kernel/ids.ts';
import { type EventsOf, event } from '../../kernel/messages.ts';
import { SentenceParams } from '../../kernel/sentence.ts';

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
  /** Credits for each step that succeeds. */
  price: z.int(),
  requestedBy: Id,
  /** After this moment a session that has not ended is ended as failed. */
  deadline: Instant,
});
/** A browser was opened for it; again when another runner took it over. */
export const SessionStarted = event('SessionStarted', {
  ...session,
  /** Random, new for each browser. */
  browserSessionId: Id,
  model: z.string(),
  agentVersion: z.int(),
  tools: z.array(z.object({ toolId: Id, version: z.int() })),
});
/** One step, of the agent or of the person who took over. `stepNumber` counts all from 1. */
export const StepTaken = event(
  'StepTaken',
  {
    ...session,
    /** Of the agent's steps the reservation has this id too. */
    stepId: Id,
    stepNumber: z.int(),
    /** The member who took over and did it; null for the agent's own. */
    takenBy: Id.nullable(),
    action: z.string(),
    /** The organization's tool, or the browser. */
    toolUsed: z.string().nullable(),
    input: z.string(),
    output: z.string(),
    reasoning: z.string().nullable(),
    success: z.boolean(),
    /** A person took over while it was under way: neither done nor failed, and free. */
    interrupted: z.boolean(),
    creditsUsed: z.int(),
    executionTimeMs: z.int(),
    /** Where the browser was after it; null where it has opened nothing yet. */
    url: z.string().nullable(),
    title: z.string().nullable(),
    /** Hashes of PNG images of the page after it. */
    screenshots: z.array(z.string()),
    /** What was found out, where the step noted something, with the page that it stands on. */
    finding: z.object({ text: z.string(), url: z.string().nullable() }).nullable(),
  },
  // An interrupted step used to be a failed one.
  [(data) => ({ ...data, interrupted: false })],
);
/** A person steers the browser now; the agent waits. */
export const SessionTakenOver = event('SessionTakenOver', { ...session, takenOverBy: Id });
/** The agent goes on. */
export const SessionHandedBack = event('SessionHandedBack', {
  ...session,
  /** Null where the person did nothing for too long. */
  handedBackBy: Id.nullable(),
});
export const SessionCompleted = event(
  'SessionCompleted',
  {
    ...session,
    /** `answer-uncertain`: pages were read, and nothing on them answers the goal for certain. */
    reason: z.enum(['goal-reached', 'answer-uncertain', 'out-of-steps']),
    outcome,
  },
  // A session without a certain answer used to be a failed one.
  [(data) => data],
);
export const SessionFailed = event(
  'SessionFailed',
  {
    ...session,
    reason: z.enum(['out-of-credits', 'error', 'runner-lost']),
    /** Stable name of what `error` says; null where the agent says it. */
    code: z.string().nullable(),
    params: SentenceParams,
    /** A sentence for a person. */
    error: z.string(),
    outcome,
  },
  // There was only the sentence.
  [(data) => ({ ...data, code: null, params: {} })],
);
export const SessionTerminated = event('SessionTerminated', {
  ...session,
  reason: z.enum(['by-person', 'agent-paused', 'agent-deleted', 'member-removed']),
  /** Null where no person did it. */
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
  SessionCompleted,
  SessionFailed,
  SessionTerminated,
};
export type SessionEvent = EventsOf<typeof sessionEvents>;
