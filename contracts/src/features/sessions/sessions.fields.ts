import { z } from 'zod';

export const GOAL_MAX = 4_000;
export const CONTEXT_MAX = 16_000;
export const STEPS_MAX = 50;
export const STEPS_DEFAULT = 15;
/** Maximum number of open sessions of an organization. */
export const OPEN_SESSIONS_MAX = 20;

/** How long a session waits for the decision on one call, and for all of its calls together. */
export const APPROVAL_MINUTES = 30;
export const APPROVALS_MINUTES_MAX = 120;
/** The operation that a form is shown as. */
export const SUBMIT_FORM = 'submit-form';

/** The kinds of steps; `plan` if the agent could not decide what to do. */
export const STEP_ACTIONS = [
  'plan',
  'open',
  'click',
  'type',
  'select',
  'scroll',
  'back',
  'extract',
  'search',
  'use_tool',
  'note',
  'finish',
] as const;
export type StepAction = (typeof STEP_ACTIONS)[number];

export const SESSION_STATUSES = ['queued', 'running', 'completed', 'failed', 'terminated'] as const;
export type SessionStatus = (typeof SESSION_STATUSES)[number];

/** Why a session ended: three reasons for completed, three for failed, four for terminated. */
export const END_REASONS = [
  'goal-reached',
  'answer-uncertain',
  'out-of-steps',
  'out-of-credits',
  'error',
  'runner-lost',
  'by-person',
  'agent-paused',
  'agent-deleted',
  'member-removed',
] as const;
export type EndReason = (typeof END_REASONS)[number];

const Sentences = z.array(z.string());

/** The outcome of a session, however it ended. */
export const Outcome = z.object({
  summary: z.string(),
  keyFindings: Sentences,
  nextSteps: Sentences,
});
export type Outcome = z.infer<typeof Outcome>;
