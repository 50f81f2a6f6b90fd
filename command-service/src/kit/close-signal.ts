import type { FastifyReply } from 'fastify';

/** Aborted when nobody waits for the answer any more. */
export function closeSignal({ raw }: FastifyReply): AbortSignal {
  const stop = new AbortController();
  raw.once('close', () => stop.abort());
  return stop.signal;
}
