import { addUsage } from '@tallyhand/contracts/features/models/add-usage';
import type { ModelUsage } from '@tallyhand/contracts/features/models/model-usage';
import type { ModelCall, OnModelCall } from './engine.ts';

const MODEL_NAME_MAX = 200;

/** Sums the answered model calls of a piece of work, until they are stored. */
export class UsageMeter {
  #used: ModelUsage[] = [];

  readonly note: OnModelCall = ({ model, connectionId, seconds, usage, costMicros }: ModelCall) => {
    if (!usage) return;
    const latencyMs = Math.round(seconds * 1_000);
    const call = { calls: 1, latencyMs, connectionId, costMicros };
    this.add([{ ...usage, ...call, model: model.slice(0, MODEL_NAME_MAX) }]);
  };

  add(used: readonly ModelUsage[]): void {
    this.#used = addUsage(this.#used, used);
  }

  /** The calls since the last time; undefined if there were none. */
  take(): ModelUsage[] | undefined {
    const used = this.#used;
    this.#used = [];
    return used.length > 0 ? used : undefined;
  }
}
