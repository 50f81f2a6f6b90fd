import { refusal } from '../../kernel/refusal.ts';

export const SessionEnded = refusal(
  'session-ended',
  409,
  'Session ended',
  () => 'This session has ended already.',
);
export const TooManySessions = refusal(
  'too-many-sessions',
  409,
  'Too many sessions',
  (p: { sessionsMax: number }) =>
    `At most ${p.sessionsMax} sessions can be open at once. Wait until one ends, or end one.`,
);
export const SessionNotRunning = refusal(
  'session-not-running',
  409,
  'Session not running',
  () => 'This session has no browser yet. Wait until it runs.',
);
export const NotYourSession = refusal(
  'not-your-session',
  403,
  'Not your session',
  () => 'Only the person who started this session, or an Admin, may do this.',
);
export const SessionTaken = refusal(
  'session-taken-over',
  409,
  'Session taken over',
  () => 'Another person steers this browser now.',
);
export const NotTakenOver = refusal(
  'session-not-taken-over',
  409,
  'Session not taken over',
  () => 'The session is not taken over, so there is nothing to hand back.',
);
/** A runner that another has replaced; it gives the session up. */
export const NotYourClaim = refusal(
  'not-your-claim',
  409,
  'Not your claim',
  () => 'This session is run by another runner now.',
);
export const StepNotBegun = refusal(
  'step-not-begun',
  409,
  'Step not begun',
  () => 'A step is begun, and its credit set aside, before it is taken.',
);
export const TooManyPersonSteps = refusal(
  'too-many-person-steps',
  409,
  'Too many steps',
  (p: { stepsMax: number }) => `At most ${p.stepsMax} steps of persons are kept of a session.`,
);
