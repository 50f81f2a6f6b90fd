import { setTimeout as wait } from 'node:timers/promises';
import type { LoopTimes } from '../config.ts';
import type { SessionApi } from '../internal/session-api.ts';
import type { SessionDeadline } from './session-deadline.ts';
import type { SessionMemory } from './session-memory.ts';

export type AskWork = {
  readonly memory: Pick<SessionMemory, 'nextNumber'>;
  readonly api: Pick<SessionApi, 'ask'>;
  readonly times: Pick<LoopTimes, 'askMs'>;
  readonly timeLimit: Pick<SessionDeadline, 'defer'>;
};

const QUICK_ASKS = 15;
const SLOWDOWN_MAX = 5;

/** A person who watches decides soon. After that, asking less often saves the look-ups. */
export const pauseMs = (asks: number, askMs: number) =>
  askMs * Math.min(Math.max(asks / QUICK_ASKS, 1), SLOWDOWN_MAX);

type Waited = {
  /** Why the call may not be made, for the agent; null if it may. */
  readonly refusal: string | null;
  /** A person has approved it. */
  readonly isApproved: boolean;
};

/** Waits until it is clear whether the call of the current step may be made. Rejects by the signal. */
export async function waitForApproval(
  { memory, api, times, timeLimit }: AskWork,
  call: Parameters<SessionApi['ask']>[1],
  signal: AbortSignal,
): Promise<Waited> {
  for (let asks = 1; ; asks += 1) {
    const { answer, output, isApproved, deadline } = await api.ask(
      memory.nextNumber(),
      call,
      signal,
    );
    timeLimit.defer(deadline);
    if (answer !== 'wait') return { refusal: output, isApproved };
    await wait(pauseMs(asks, times.askMs), undefined, { signal });
  }
}
