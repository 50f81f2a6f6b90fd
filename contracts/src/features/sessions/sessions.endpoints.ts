import { z } from 'zod';
import { AGENT_MANAGERS, MEMBERS } from '../../kernel/access.ts';
import { endpoint } from '../../kernel/endpoint.ts';
import { Id, Instant } from '../../kernel/ids.ts';
import { Page } from '../../kernel/lists.ts';
import { SentenceParams } from '../../kernel/sentence.ts';
import { AgentPausedNow } from '../agents/agents.refusals.ts';
import { Charge } from '../credits/credits.endpoints.ts';
import { InsufficientCredits, SpendLimitReached } from '../credits/credits.refusals.ts';
import { ModelUsage } from '../models/model-usage.ts';
import { DecideApprovalInput } from '../tasks/approvals.endpoints.ts';
import { Approval } from '../tasks/approvals.fields.ts';
import { APPROVAL_DECISIONS } from '../tasks/tasks.events.ts';
import { ApprovalDecided, ApprovalLapsed } from '../tasks/tasks.refusals.ts';
import { sessionDetailExample, sessionExample, stepsExample } from './sessions.examples.ts';
import {
  APPROVAL_MINUTES,
  CONTEXT_MAX,
  END_REASONS,
  GOAL_MAX,
  Outcome,
  SESSION_STATUSES,
  STEPS_DEFAULT,
  STEPS_MAX,
} from './sessions.fields.ts';
import {
  NotTakenOver,
  NotYourSession,
  SessionEnded,
  SessionNotRunning,
  SessionTaken,
  TooManySessions,
} from './sessions.refusals.ts';

const Person = z.object({ id: Id.nullable(), name: z.string().nullable() });

/**
 * A session with everything except its steps. In lists `context` is truncated to 2,000 characters.
 */
export const Session = z.object({
  id: Id,
  agentId: Id,
  /** Null if the agent no longer exists. */
  agentName: z.string().nullable(),
  status: z.enum(SESSION_STATUSES),
  /** Steps that the agent has taken, and its maximum. */
  currentStep: z.int(),
  maxSteps: z.int(),
  /** Steps beside them: those of members, and those that a member interrupted. */
  freeSteps: z.int(),
  originalGoal: z.string(),
  context: z.string().nullable(),
  totalCreditsUsed: z.int(),
  createdAt: Instant,
  startedAt: Instant.nullable(),
  endedAt: Instant.nullable(),
  /** Set when the browser opens; the socket accepts it as well as the session's id. */
  browserSessionId: Id.nullable(),
  model: z.string().nullable(),
  endReason: z.enum(END_REASONS).nullable(),
  errorMessage: z.string().nullable(),
  /** Code and parameters of `errorMessage`; null if the agent wrote it. */
  errorCode: z.string().nullable(),
  errorParams: SentenceParams,
  /** Who started it. Without a name: a former member. */
  requestedBy: Person,
  /** The member who steers the browser; null while the agent does. */
  takenOverBy: Person.nullable(),
  /** The call or form that waits for a decision; null unless the session waits. */
  approvalId: Id.nullable(),
  /** While queued: how many sessions are ahead. */
  queuePosition: z.int().nullable(),
  workspaceData: z.object({
    finalOutcome: Outcome.extend({
      /** All steps, of the agent and of members. */
      totalSteps: z.int(),
      totalCredits: z.int(),
    }).nullable(),
  }),
});
export type Session = z.infer<typeof Session>;

/** One step, of the agent or of the member who took over. */
export const SessionStep = z.object({
  id: Id,
  stepNumber: z.int(),
  action: z.string(),
  toolUsed: z.string().nullable(),
  input: z.string(),
  output: z.string(),
  reasoning: z.string().nullable(),
  success: z.boolean(),
  /** A member took over during the step: neither successful nor failed, and free. */
  interrupted: z.boolean(),
  creditsUsed: z.int(),
  executionTimeMs: z.int(),
  createdAt: Instant,
  /** The member who did it after taking over; null for the agent's steps. */
  takenBy: Person.nullable(),
  finding: z.object({ text: z.string(), url: z.string().nullable() }).nullable(),
  charge: Charge.nullable(),
  /** The model calls that planned it. */
  usage: z.array(ModelUsage),
  metadata: z.object({
    url: z.string().nullable(),
    title: z.string().nullable(),
    /** PNG images as base64; empty without `include=screenshots`. */
    screenshots: z.array(z.string()),
    screenshotUrls: z.array(z.string()),
  }),
});
export type SessionStep = z.infer<typeof SessionStep>;

export const SessionDetail = z.object({
  session: Session,
  /** Its calls and forms that members decide on, in order. */
  approvals: z.array(Approval),
  steps: z.array(SessionStep),
});
export type SessionDetail = z.infer<typeof SessionDetail>;

export const SessionInput = z.strictObject({
  goal: z
    .string({ error: 'Please provide a goal' })
    .trim()
    .min(1, 'Please provide a goal')
    .max(GOAL_MAX, `Goal must be at most ${GOAL_MAX} characters`),
  context: z
    .string('Must be a text')
    .trim()
    .max(CONTEXT_MAX, `Context must be at most ${CONTEXT_MAX} characters`)
    .optional(),
  maxSteps: z
    .int('Steps must be a whole number')
    .min(1, 'Steps must be at least 1')
    .max(STEPS_MAX, `Steps must be at most ${STEPS_MAX}`)
    .default(STEPS_DEFAULT),
});

export const SessionQuery = Page.extend({
  status: z
    .enum(SESSION_STATUSES, { error: `status must be one of ${SESSION_STATUSES.join(', ')}` })
    .optional(),
  agentId: z.uuid({ error: 'agentId must be an id' }).optional(),
});

const Include = z.strictObject({
  include: z.literal('screenshots', { error: 'include must be screenshots' }).optional(),
});
const params = z.strictObject({ id: Id });
const common = {
  feature: 'sessions',
  params,
  status: 200,
  answer: Session,
  answerExample: sessionExample,
} as const;

export const startSession = endpoint({
  name: 'startSession',
  method: 'POST',
  path: '/api/agents/{id}/autonomous',
  access: MEMBERS,
  feature: 'sessions',
  summary: 'Start a session',
  description: 'Lets an agent pursue a goal in a browser. Each successful step costs one credit.',
  params,
  body: SessionInput,
  example: { goal: 'Find the opening hours', context: 'For a customer', maxSteps: 5 },
  status: 201,
  answer: Session,
  answerExample: sessionExample,
  refusals: [InsufficientCredits, SpendLimitReached, AgentPausedNow, TooManySessions],
});
export const listSessions = endpoint({
  name: 'listSessions',
  method: 'GET',
  path: '/api/autonomous/sessions',
  access: MEMBERS,
  feature: 'sessions',
  summary: 'List sessions',
  description: 'Returns the browsing sessions of the organization, newest first.',
  query: SessionQuery,
  status: 200,
  answer: z.array(Session),
  answerExample: [sessionExample],
});
export const getSession = endpoint({
  name: 'getSession',
  method: 'GET',
  path: '/api/autonomous/sessions/{id}',
  access: MEMBERS,
  feature: 'sessions',
  summary: 'Retrieve a session',
  description: 'Returns one session with its steps.',
  params,
  query: Include,
  status: 200,
  answer: SessionDetail,
  answerExample: sessionDetailExample,
});
export const getSessionSteps = endpoint({
  name: 'getSessionSteps',
  method: 'GET',
  path: '/api/autonomous/sessions/{id}/steps',
  access: MEMBERS,
  feature: 'sessions',
  summary: 'List the steps of a session',
  description: 'Returns the steps of a session in their order.',
  params,
  query: Include,
  status: 200,
  answer: z.object({ steps: z.array(SessionStep) }),
  answerExample: stepsExample,
});
export const exportSession = endpoint({
  name: 'exportSession',
  method: 'GET',
  path: '/api/autonomous/sessions/{id}/export',
  access: MEMBERS,
  feature: 'sessions',
  summary: 'Export a session',
  description: 'Returns a ZIP file with the steps as JSON and their screenshots.',
  params,
  status: 200,
  media: 'application/zip',
});
export const terminateSession = endpoint({
  ...common,
  name: 'terminateSession',
  method: 'POST',
  path: '/api/autonomous/sessions/{id}/terminate',
  access: MEMBERS,
  summary: 'Terminate a session',
  description: 'Ends a queued or running session. For the member who started it, and Admins.',
  refusals: [SessionEnded, NotYourSession],
});
export const takeOverSession = endpoint({
  ...common,
  name: 'takeOverSession',
  method: 'POST',
  path: '/api/autonomous/sessions/{id}/take-over',
  access: MEMBERS,
  summary: 'Take over a session',
  description:
    'Lets the caller control the browser while the agent waits. For the member who started the session, and Admins.',
  refusals: [SessionEnded, SessionNotRunning, SessionTaken, NotYourSession],
});
export const handBackSession = endpoint({
  ...common,
  name: 'handBackSession',
  method: 'POST',
  path: '/api/autonomous/sessions/{id}/hand-back',
  access: MEMBERS,
  summary: 'Hand a session back',
  description: 'Lets the agent continue. For the member who took over, and Admins.',
  refusals: [SessionEnded, NotTakenOver, NotYourSession],
});
export const decideSessionApproval = endpoint({
  name: 'decideSessionApproval',
  method: 'POST',
  path: '/api/sessions/{id}/decide',
  access: AGENT_MANAGERS,
  feature: 'sessions',
  summary: 'Decide on a call in a session',
  description: `Approves or refuses a call, or a form, that an agent waits with in its browser. After an approval it makes the call or sends the form, after a refusal it reads the note. Without a decision within ${APPROVAL_MINUTES} minutes the call counts as refused. A form cannot be changed.`,
  params,
  body: DecideApprovalInput,
  example: {
    approvalId: '0193a1b2-0000-7000-8000-000000000006',
    decision: 'refused',
    note: 'Ask the customer for the order number first.',
  },
  status: 200,
  answer: z.object({ sessionId: Id, approvalId: Id, decision: z.enum(APPROVAL_DECISIONS) }),
  answerExample: {
    sessionId: '0193a1b2-0000-7000-8000-000000000001',
    approvalId: '0193a1b2-0000-7000-8000-000000000006',
    decision: 'refused',
  },
  refusals: [ApprovalDecided, ApprovalLapsed, SessionEnded],
});
export const getImage = endpoint({
  name: 'getImage',
  method: 'GET',
  path: '/api/blobs/{hash}',
  access: MEMBERS,
  feature: 'sessions',
  summary: 'Retrieve a screenshot',
  description: 'Returns a screenshot that a step or a tool took.',
  params: z.strictObject({
    hash: z
      .string()
      .regex(/^[0-9a-f]{64}$/, 'Must be a SHA-256 in hex')
      .meta({ examples: ['9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08'] }),
  }),
  status: 200,
  media: 'image/png',
});
