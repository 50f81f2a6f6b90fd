import { MalformedRequest } from '@tallyhand/contracts/kernel/problem';
import { maxPosition, type Position } from '@tallyhand/service-kit/event-store/position';
import { positionToPass } from '@tallyhand/service-kit/http/cookies';
import { RefusalError } from '@tallyhand/service-kit/http/problem';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Kit } from './app.ts';

/** Aborts when the caller leaves. The reason is a refusal, because nothing has failed. */
export function closeSignal({ raw }: FastifyReply): AbortSignal {
  const stop = new AbortController();
  const abort = () => stop.abort(new RefusalError(CALLER_GONE));
  if (raw.destroyed) abort();
  else raw.once('close', abort);
  return stop.signal;
}

const CALLER_GONE = MalformedRequest({ reason: 'The caller closed the connection.' });

/**
 * The newest position that the caller or this process knows of. Another process may have made the
 * caller's last change.
 */
export function newestKnown({ latest }: Pick<Kit, 'latest'>, request: FastifyRequest): Position {
  const seen = positionToPass(request);
  return seen ? maxPosition(seen, latest.current()) : latest.current();
}
