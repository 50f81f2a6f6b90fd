import { refusal } from '../../kernel/refusal.ts';

export const SessionEnded = refusal(
  'session-ended',
  409,
  'Session ended',
  () => 'This session has already ended.',
);
export const TooManySessions = refusal(
  'too-many-sessions',
  409,
  'Too many sessions',
  (p: { sessionsMax: number }) =>
    `An organization can have up to ${p.sessionsMax} open sessions. Wait until one ends, or terminate one.`,
);
export const SessionNotRunning = refusal(
  'session-not-running',
  409,
  'Session not running',
  () => "This session hasn't started yet. Try again once it's running.",
);
export const NotYourSession = refusal(
  'not-your-session',
  403,
  'Not your session',
  () => 'Only the member who started this session or an Admin can do this.',
);
export const SessionTaken = refusal(
  'session-taken-over',
  409,
  'Session taken over',
  () => 'Another member is in control of this browser.',
);
export const NotTakenOver = refusal(
  'session-not-taken-over',
  409,
  'Session not taken over',
  () => 'The agent is already in control of this session.',
);
/** Another runner has replaced this one, which must give the session up. */
export const NotYourClaim = refusal(
  'not-your-claim',
  409,
  'Claim lost',
  () => 'Another runner now runs this session.',
);
export const StepNotBegun = refusal(
  'step-not-begun',
  409,
  'Step not started',
  () => 'Start the step, which reserves its credit, before you report its outcome.',
);
export const TooManyPersonSteps = refusal(
  'too-many-person-steps',
  409,
  'Too many steps',
  (p: { stepsMax: number }) => `A session can have up to ${p.stepsMax} steps taken by members.`,
);
