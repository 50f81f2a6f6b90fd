import { tracingChannel } from 'node:diagnostics_channel';
import { failureFrom } from './failures.ts';

/** What one call of the model came to. */
export type ModelCall = {
  readonly purpose: 'answer' | 'plan' | 'embed';
  /** `answered`, or the code of the failure. */
  readonly outcome: string;
  readonly seconds: number;
  /** 0 if unknown. */
  readonly tokens: number;
};

/** Hears of each call when it is over; must not throw. */
export type HearModelCall = (call: ModelCall) => void;

/** For following calls while they are running. */
const channel = tracingChannel('tallyhand:model');

/** Runs the call and publishes it. */
export async function toldCall<Said>(
  { purpose, hear }: { purpose: ModelCall['purpose']; hear: HearModelCall | undefined },
  call: () => Promise<Said>,
  tokensOf: (said: Said) => number,
): Promise<Said> {
  const started = performance.now();
  const tell = (outcome: ModelCall['outcome'], tokens: number) =>
    hear?.({ purpose, outcome, seconds: (performance.now() - started) / 1_000, tokens });
  try {
    const said = await channel.tracePromise(call, { purpose });
    tell('answered', tokensOf(said));
    return said;
  } catch (error) {
    tell(failureFrom(error).code, 0);
    throw error;
  }
}
