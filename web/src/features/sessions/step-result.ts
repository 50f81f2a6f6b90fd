import type { SessionStep } from '@tallyhand/contracts/features/sessions/sessions.endpoints';

export type StepResult = 'worked' | 'failed' | 'interrupted';

/** What came of a step. */
export function stepResult({ success, interrupted }: SessionStep): StepResult {
  if (interrupted) return 'interrupted';
  return success ? 'worked' : 'failed';
}

/** Never charged, whatever came of it. */
export const isFree = ({ takenBy, interrupted }: SessionStep) => takenBy !== null || interrupted;
