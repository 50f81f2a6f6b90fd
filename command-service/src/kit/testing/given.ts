import type { EventValue } from '@tallyhand/contracts/kernel/messages';
import { isRefusal, type Refusal } from '@tallyhand/contracts/kernel/refusal';
import { expect } from 'vitest';
import { readerOf, type StreamPolicy } from '../stream-policy.ts';

/** When the events of a history were recorded, where a rule does not ask for it. */
export const RECORDED_AT = '2026-11-21T08:00:00.000Z';

/** Reads rules of a decider as sentences: `given(events…).when(command).thenAppended(events…)`. */
export function rulesOf<S, C extends EventValue, E extends EventValue, R extends Refusal>(
  policy: StreamPolicy<S, C, E, R>,
) {
  const { decider } = policy;
  const fold = (events: readonly E[]) =>
    events.reduce((state, e) => decider.evolve(state, e, RECORDED_AT), decider.initialState());

  return (...history: readonly E[]) => ({
    when(command: C) {
      const decided = decider.decide(command, fold(history));
      return {
        thenAppended(...expected: readonly E[]) {
          expect(decided).toEqual(expected);
          for (const { type, data } of expected) {
            // What is written must be read back without a loss.
            const { read, version } = readerOf(policy, type);
            expect(read(data, version)).toEqual(data);
          }
        },
        thenRefused(code: string, params: Readonly<Record<string, unknown>> = {}) {
          if (!isRefusal(decided)) expect.fail(`Not refused but: ${JSON.stringify(decided)}`);
          expect({ code: decided.code, params: decided.params }).toEqual({ code, params });
        },
        thenNothing() {
          expect(decided).toEqual([]);
        },
      };
    },
    /** The state that a history leaves. */
    state: () => fold(history),
  });
}
