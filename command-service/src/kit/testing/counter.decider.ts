import { event } from '@tallyhand/contracts/kernel/messages';
import { type RefusalOf, refusal } from '@tallyhand/contracts/kernel/refusal';
import { z } from 'zod';
import type { Decider, StreamPolicy } from '../stream-policy.ts';

const Added = event('Added', { step: z.string(), amount: z.int(), note: z.string() });
const Emptied = event('Emptied', {});
const Full = refusal(
  'full',
  409,
  'Full',
  (p: { total: number }) => `The counter stands at ${p.total}.`,
);

export const COUNTER_MAX = 1_000;
export const SNAPSHOT_EVERY = 10;

export type CounterCommand =
  | { type: 'Add'; data: { step: string; amount: number; note?: string } }
  | { type: 'Empty'; data: Record<string, never> };
type CounterEvent = ReturnType<typeof Added> | ReturnType<typeof Emptied>;
type CounterRefusal = RefusalOf<typeof Full>;
export type Counter = { total: number; steps: string[] };

/** A small stream with a limit, which changes its state in place as a long one does. */
const counterDecider: Decider<Counter, CounterCommand, CounterEvent, CounterRefusal> = {
  initialState: () => ({ total: 0, steps: [] }),
  decide(command, counter) {
    if (command.type === 'Empty') return counter.total === 0 ? [] : [Emptied({})];
    const { step, amount, note = '' } = command.data;
    if (counter.steps.includes(step)) return [];
    if (counter.total + amount > COUNTER_MAX) return Full({ total: counter.total });
    return [Added({ step, amount, note })];
  },
  evolve(counter, event) {
    switch (event.type) {
      case 'Added':
        counter.total += event.data.amount;
        counter.steps.push(event.data.step);
        return counter;
      case 'Emptied':
        counter.total = 0;
        return counter;
    }
  },
};

export const counterStream: StreamPolicy<Counter, CounterCommand, CounterEvent, CounterRefusal> = {
  category: 'counter',
  decider: counterDecider,
  events: { Added, Emptied },
  snapshot: {
    version: 1,
    everyEvents: SNAPSHOT_EVERY,
    save: (counter) => ({ ...counter, steps: [...counter.steps] }),
    load: (saved) => saved as Counter,
  },
};
