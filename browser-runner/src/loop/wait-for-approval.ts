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

/**
 * Waits until the call of the current step may be made. Returns why it may not, for the agent, or
 * null. Rejects when the signal aborts.
 */
export async function waitForApproval(
  { memory, api, times, timeLimit }: AskWork,
  call: Parameters<SessionApi['ask']>[1],
  signal: AbortSignal,
): Promise<string | null> {
  for (;;) {
    const { answer, output, deadline } = await api.ask(memory.nextNumber(), call, signal);
    timeLimit.defer(deadline);
    if (answer !== 'wait') return output;
    await wait(times.askMs, undefined, { signal });
  }
}
