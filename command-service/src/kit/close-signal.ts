import { MalformedRequest } from '@tallyhand/contracts/kernel/problem';
import { RefusalError } from '@tallyhand/service-kit/http/problem';
import type { FastifyReply } from 'fastify';

/** Aborts when the caller is gone, with a refusal as its reason: nothing has failed. */
export function closeSignal({ raw }: FastifyReply): AbortSignal {
  const stop = new AbortController();
  const abort = () => stop.abort(new RefusalError(CALLER_GONE));
  if (raw.destroyed) abort();
  else raw.once('close', abort);
  return stop.signal;
}

const CALLER_GONE = MalformedRequest({ reason: 'The caller closed the connection.' });
