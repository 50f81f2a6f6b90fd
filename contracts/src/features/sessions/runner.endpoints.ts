import { z } from 'zod';
import { SERVICES } from '../../kernel/access.ts';
import type { Endpoint } from '../../kernel/endpoint.ts';
import { Id, Instant } from '../../kernel/ids.ts';
import type { DeclaredRefusal } from '../../kernel/refusal.ts';
import { Sentence, SentenceParams } from '../../kernel/sentence.ts';
import { AgentModel, AgentProfile } from '../agents/agents.fields.ts';
import { MODELS_USED_MAX } from '../models/add-usage.ts';
import { ModelUsage } from '../models/model-usage.ts';
import { BrowsingAction, SeenPage } from './browsing.ts';
import { LiveAction, LiveControl } from './live.messages.ts';
import { Outcome, SESSION_STATUSES, STEP_ACTIONS } from './sessions.fields.ts';
import {
  NotTakenOver,
  NotYourClaim,
  SessionEnded,
  StepNotBegun,
  TooManyPersonSteps,
} from './sessions.refusals.ts';

// Internal calls between browser-runner and command-service, with the service token, never from
// outside.

const runner = { runnerId: Id };

/** What a runner does with a session: works on it, waits for a person, or closes its browser. */
export const Control = z.enum(['agent', 'person', 'ended']);

const TakenStep = z.object({
  stepNumber: z.int(),
  takenBy: Id.nullable(),
  action: z.string(),
  input: z.string(),
  output: z.string(),
  success: z.boolean(),
  interrupted: z.boolean(),
  url: z.string().nullable(),
  finding: z.object({ text: z.string(), url: z.string().nullable() }).nullable(),
});

const Tool = z.object({
  id: Id,
  title: z.string(),
  description: z.string(),
  operations: z.array(
    z.object({
      name: z.string(),
      description: z.string(),
      parameters: z.record(z.string(), z.unknown()),
      isRead: z.boolean(),
    }),
  ),
});

/** Everything needed to start a session, or to resume it after another runner died. */
export const Assignment = z.object({
  sessionId: Id,
  organizationId: Id,
  goal: z.string(),
  context: z.string().nullable(),
  maxSteps: z.int(),
  deadline: Instant,
  control: LiveControl,
  agent: AgentProfile,
  /**
   * The model that the agent has chosen: its steps are planned by `planStep`, because no key leaves
   * command-service. Null: the runner plans with the model of the installation.
   */
  model: z.object({ chosen: AgentModel, name: z.string(), seesImages: z.boolean() }).nullable(),
  tools: z.array(Tool),
  /** The start pages of the browser tools assigned to the agent. */
  startUrls: z.array(z.string()),
  /** The previous steps, in order. */
  steps: z.array(TakenStep),
});
export type Assignment = z.infer<typeof Assignment>;

/** A step as its runner reports it. */
export const StepReport = z.strictObject({
  action: z.enum(STEP_ACTIONS),
  toolUsed: z.string().max(200).nullable(),
  input: z.string().max(8_000),
  output: z.string().max(32_000),
  reasoning: z.string().max(4_000).nullable(),
  success: z.boolean(),
  /** A member took over during the step. */
  interrupted: z.boolean(),
  executionTimeMs: z.int().min(0),
  url: z.string().max(4_000).nullable(),
  title: z.string().max(1_000).nullable(),
  /** PNG as base64. */
  screenshots: z.array(z.string().max(2_800_000)).max(1),
  finding: z
    .object({ text: z.string().max(2_000), url: z.string().max(4_000).nullable() })
    .nullable(),
  /** Of the model calls since the agent's step before. */
  usage: z.array(ModelUsage).max(MODELS_USED_MAX).optional(),
});
export type StepReport = z.infer<typeof StepReport>;

const call = <P extends z.ZodType, B extends z.ZodType, A extends z.ZodType>(
  name: string,
  path: string,
  shape: { params: P; body: B; answer: A; refusals?: readonly DeclaredRefusal[] },
): Endpoint<P, z.ZodUndefined, B, A, false> => ({
  ...shape,
  ...SERVICES,
  name,
  method: 'POST',
  path: `/internal/${path}`,
  feature: 'sessions',
  summary: name,
  status: 200,
});

/** The runner no longer holds the session. */
const NOT_HELD = [SessionEnded, NotYourClaim];

const session = z.strictObject({ id: Id });
const step = z.strictObject({ id: Id, number: z.coerce.number().int().min(1) });
const Done = z.object({ ok: z.literal(true) });

/**
 * Sends the runner's heartbeat and the sessions that it holds. Answers immediately if there is
 * something new, otherwise after `waitMs`. Sessions that it does not name are given to other
 * runners.
 */
export const pollWork = call('pollWork', 'runners/{id}/poll', {
  params: session,
  body: z.strictObject({
    /** Where the command service and other runners reach it. */
    address: z.url().max(300),
    /** How many more sessions it can take. */
    free: z.int().min(0).max(100),
    /**
     * The state of each; with `personId` the runner also learns when another member has taken over.
     */
    held: z
      .array(
        z.strictObject({
          sessionId: Id,
          control: Control,
          personId: Id.nullable().optional(),
        }),
      )
      .max(100),
    waitMs: z.int().min(0).max(10_000),
  }),
  answer: z.object({
    assigned: z.array(Assignment),
    /**
     * Held sessions whose state differs. A session that no longer belongs to the runner is `ended`.
     */
    changed: z.array(z.object({ sessionId: Id, control: Control, personId: Id.nullable() })),
  }),
});
/** The browser is open. */
export const openedBrowser = call('openedBrowser', 'sessions/{id}/opened', {
  params: session,
  body: z.strictObject({ ...runner, browserSessionId: Id, model: z.string().max(200) }),
  answer: Done,
  refusals: NOT_HELD,
});
/**
 * Reserves the step's credit and says whether the step may be taken. Repeatable with the same
 * number.
 */
export const beginStep = call('beginStep', 'sessions/{id}/steps/{number}/begin', {
  params: step,
  body: z.strictObject(runner),
  answer: z.object({
    answer: z.enum(['go', 'wait', 'ended', 'out-of-credits', 'out-of-steps']),
  }),
  refusals: NOT_HELD,
});
export const completeStep = call('completeStep', 'sessions/{id}/steps/{number}/complete', {
  params: step,
  body: z.strictObject({ ...runner, step: StepReport }),
  answer: Done,
  refusals: [...NOT_HELD, StepNotBegun],
});
/** Plans a step with the model of the agent. Repeatable: planning changes nothing. */
export const planStep = call('planStep', 'sessions/{id}/plan-step', {
  params: session,
  body: z.strictObject({
    ...runner,
    /** From the assignment: changes of the agent take effect in its next session. */
    agent: AgentProfile,
    model: AgentModel,
    tools: z.array(Tool),
    startUrls: z.array(z.string()),
    page: SeenPage.nullable(),
    stepsLeft: z.int(),
  }),
  answer: z.object({
    step: z.object({ action: BrowsingAction, reasoning: z.string() }).nullable(),
    /** Why there is no step. */
    failure: Sentence.nullable(),
    /** Whether the next page should be sent with its screenshot. */
    seesImages: z.boolean(),
    /** Also of a plan that failed. */
    usage: z.array(ModelUsage),
  }),
  refusals: NOT_HELD,
});
/** What the member who took over did; free. */
export const notePersonStep = call('notePersonStep', 'sessions/{id}/person-steps', {
  params: session,
  body: z.strictObject({
    ...runner,
    memberId: Id,
    /** The runner's own id, which identifies a repeat. */
    stepId: Id,
    step: StepReport,
  }),
  answer: Done,
  refusals: [...NOT_HELD, NotTakenOver, TooManyPersonSteps],
});
const ToolCall = z.strictObject({
  toolId: Id,
  operation: z.string().max(200),
  args: z.record(z.string(), z.unknown()),
});
/** A form before it is sent: the host that gets it, and what a member sees of it. */
const SentForm = z.strictObject({
  host: z.string().max(300),
  args: z.record(z.string(), z.unknown()),
});
/**
 * Whether the call or the form of a step may be made or sent. While a member decides, the runner
 * asks again. Repeatable: a call is recorded once.
 */
export const askApproval = call('askApproval', 'sessions/{id}/steps/{number}/ask', {
  params: step,
  body: z.strictObject({
    ...runner,
    call: z.discriminatedUnion('kind', [
      ToolCall.extend({ kind: z.literal('tool') }),
      SentForm.extend({ kind: z.literal('form') }),
      // The page does not say what it would send: no person can decide on it.
      z.strictObject({ kind: z.literal('unread-form') }),
    ]),
  }),
  answer: z.object({
    answer: z.enum(['go', 'wait', 'refused']),
    /** Why it is refused, for the agent. */
    output: z.string().nullable(),
    /** Whether a person has approved it; otherwise `go` means that it needs no approval. */
    isApproved: z.boolean(),
    /** The end of the session at the latest, which waiting defers. */
    deadline: Instant,
  }),
  refusals: NOT_HELD,
});
/** Calls a tool of the organization for the current step, after `askApproval`. */
export const useTool = call('useTool', 'sessions/{id}/use-tool', {
  params: session,
  body: ToolCall.extend(runner),
  answer: z.object({ success: z.boolean(), output: z.string() }),
  refusals: NOT_HELD,
});
/** The member was inactive for too long: the agent continues. */
export const handBackIdle = call('handBackIdle', 'sessions/{id}/hand-back', {
  params: session,
  body: z.strictObject(runner),
  answer: Done,
  refusals: [...NOT_HELD, NotTakenOver],
});
/**
 * The outcomes that the runner can report; `beginStep` reports `out-of-credits` and `out-of-steps`.
 */
export const endSession = call('endSession', 'sessions/{id}/end', {
  params: session,
  body: z.strictObject({
    ...runner,
    reason: z.enum(['goal-reached', 'answer-uncertain', 'out-of-steps', 'out-of-credits', 'error']),
    /** A sentence about the failure. */
    error: z.string().max(2_000).nullable(),
    /** Code and parameters of the sentence; null if the agent wrote it. */
    code: z.string().max(100).nullable().default(null),
    params: SentenceParams.default({}),
    /** Null: derived from the findings so far. */
    outcome: Outcome.nullable(),
  }),
  answer: Done,
  refusals: NOT_HELD,
});

/** Whether the owner of a cookie may watch a session, and what is known about the session. */
export const authorizeViewer = call('authorizeViewer', 'viewers/authorize', {
  params: z.strictObject({}),
  body: z.strictObject({
    /** The unchanged `Cookie` header of the socket's request. */
    cookie: z.string().max(16_384),
    /** The session's own id, or its browser's. */
    sessionId: Id,
    /** Whether to return the session too; otherwise only the right is checked. */
    withState: z.boolean(),
  }),
  answer: z.object({
    personId: Id,
    organizationId: Id,
    sessionId: Id,
    status: z.enum(SESSION_STATUSES),
    control: LiveControl,
    /** The address of the runner that holds it; null while none does. */
    runnerAddress: z.string().nullable(),
    state: z
      .object({
        screenshot: z.string().nullable(),
        url: z.string().nullable(),
        title: z.string().nullable(),
        timestamp: Instant,
        actions: z.array(LiveAction),
      })
      .nullable(),
  }),
});

const Ref = z
  .string()
  .max(100)
  .describe('The reference of the element, as e12, from the last answer of open, read or click.');

/** The arguments of each operation of a browser tool, as a model sends them. */
export const BROWSER_TOOL_ARGS = {
  open: z.object({
    url: z
      .string()
      .max(2_000)
      .meta({ format: 'uri', description: 'The address of the page, with https.' }),
  }),
  read: z.object({}),
  click: z.object({ ref: Ref }),
  type: z.object({
    ref: Ref,
    text: z.string().max(4_000).describe('What is typed in place of what stands there.'),
    submit: z.boolean().default(false).describe('Whether Enter is pressed afterwards.'),
  }),
  screenshot: z.object({}),
} as const;
export type BrowserToolOperation = keyof typeof BROWSER_TOOL_ARGS;

/**
 * Sent by a runner: one call of a browser tool, in a separate browser that stays open for a while.
 */
export const callBrowserTool = call('callBrowserTool', 'browser-calls', {
  params: z.strictObject({}),
  body: z.strictObject({
    /** Calls with the same id share a browser: one task, one reply. */
    browserId: Id,
    organizationId: Id,
    startUrl: z.string().max(2_000).nullable(),
    operation: z.enum(['open', 'read', 'click', 'type', 'screenshot']),
    args: z.record(z.string(), z.unknown()),
    /** False: an action that would send a form fails. */
    maySendForms: z.boolean(),
  }),
  answer: z.object({
    success: z.boolean(),
    output: z.string(),
    /** PNG as base64. */
    screenshot: z.string().nullable(),
  }),
});
export const closeBrowserTool = call('closeBrowserTool', 'browser-calls/close', {
  params: z.strictObject({}),
  body: z.strictObject({ browserId: Id }),
  answer: Done,
});
