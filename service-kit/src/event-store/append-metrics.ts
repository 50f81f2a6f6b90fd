import { counter } from '../metrics/counter.ts';
import { histogram } from '../metrics/histogram.ts';

const appends = histogram({
  name: 'tallyhand_event_store_append_duration_seconds',
  help: 'How long appends took, by outcome; a conflict is decided again on the new state.',
  bounds: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5],
});
const appended = counter({
  name: 'tallyhand_event_store_appended_events_total',
  help: 'Events that were stored.',
  known: [{}],
});

export const appendRetries = counter({
  name: 'tallyhand_event_store_append_retries_total',
  help: 'Appends that were asked for again since the answer was lost.',
  known: [{}],
});

type Append = {
  readonly events: number;
  /** Whether another writer was first in the stream. */
  readonly isConflict: (error: unknown) => boolean;
};

/** Measures an append, which does as without it. */
export async function observedAppend<T>(
  { events, isConflict }: Append,
  append: () => Promise<T>,
): Promise<T> {
  const started = performance.now();
  const note = (outcome: 'stored' | 'conflict' | 'failed') =>
    appends.observe({ outcome }, (performance.now() - started) / 1000);
  try {
    const result = await append();
    note('stored');
    appended.add({}, events);
    return result;
  } catch (error) {
    note(isConflict(error) ? 'conflict' : 'failed');
    throw error;
  }
}
