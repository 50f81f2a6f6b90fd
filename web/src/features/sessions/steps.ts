import type {
  Session,
  SessionStep,
} from '@tallyhand/contracts/features/sessions/sessions.endpoints';

/** The beginning of a text, never through the middle of a character; an ellipsis where it was cut. */
export function cut(text: string, max: number): string {
  const characters = Array.from(text);
  return characters.length <= max ? text : `${characters.slice(0, max).join('')}…`;
}

export type StepResult = 'worked' | 'failed' | 'interrupted';

/** The outcome of a step. */
export function stepResult({ success, interrupted }: SessionStep): StepResult {
  if (interrupted) return 'interrupted';
  return success ? 'worked' : 'failed';
}

/** Never charged, whatever its outcome. */
export const isFree = ({ takenBy, interrupted }: SessionStep) => takenBy !== null || interrupted;

type Counted = Pick<Session, 'currentStep' | 'maxSteps' | 'freeSteps'>;

/** How far a session is, in the numbers of its steps: free steps raise the maximum, too. */
export const progressOf = ({ currentStep, maxSteps, freeSteps }: Counted) => ({
  current: currentStep + freeSteps,
  max: maxSteps + freeSteps,
});

export const SPEEDS = [0.5, 1, 2, 4] as const;
export type Speed = (typeof SPEEDS)[number];

/** Limits for how long a step is shown, however long it took. */
const SHOWN_MS_MIN = 1_500;
const SHOWN_MS_MAX = 5_000;

type Timed = Pick<SessionStep, 'createdAt'>;

/** How long a step is shown at single speed: until the next one came, within bounds. */
export function shownMs(steps: readonly Timed[], index: number): number {
  const [own, next] = [steps[index], steps[index + 1]];
  if (!own || !next) return SHOWN_MS_MIN;
  const took = Date.parse(next.createdAt) - Date.parse(own.createdAt);
  return Math.min(SHOWN_MS_MAX, Math.max(SHOWN_MS_MIN, took));
}

/** The place of the step with this number, as an address gives it; the first where there is none. */
export function placeOf(steps: readonly Pick<SessionStep, 'stepNumber'>[], at: string): number {
  return Math.max(
    0,
    steps.findIndex(({ stepNumber }) => String(stepNumber) === at),
  );
}

/** The credits spent up to and including a step. */
export const spentUntil = (steps: readonly Pick<SessionStep, 'creditsUsed'>[], index: number) =>
  steps.slice(0, index + 1).reduce((sum, { creditsUsed }) => sum + creditsUsed, 0);
