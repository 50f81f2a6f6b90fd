import type { SessionStep } from '@tallyhand/contracts/features/sessions/sessions.endpoints';

export const SPEEDS = [0.5, 1, 2, 4] as const;
export type Speed = (typeof SPEEDS)[number];

/** However long a step took, a film shows it long enough to read, and never stands still. */
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

/** What had been spent when a step was done. */
export const spentUntil = (steps: readonly Pick<SessionStep, 'creditsUsed'>[], index: number) =>
  steps.slice(0, index + 1).reduce((sum, { creditsUsed }) => sum + creditsUsed, 0);
