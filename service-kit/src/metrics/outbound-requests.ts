import { counter } from './counter.ts';

const requests = counter({
  name: 'tallyhand_outbound_requests_total',
  help: 'Requests to places that people named, by outcome; refused is what the guard let not out.',
  known: ['answered', 'failed', 'refused'].map((outcome) => ({ outcome, reason: 'none' })),
});

/** One request: why it failed or was refused, or `none`. */
export const countOutbound = (outcome: string, reason: string): void =>
  requests.add({ outcome, reason });
