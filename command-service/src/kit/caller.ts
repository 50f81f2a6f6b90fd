import { MalformedRequest } from '@tallyhand/contracts/kernel/problem';
import { maxPosition, type Position } from '@tallyhand/service-kit/event-store/position';
import { positionToPass } from '@tallyhand/service-kit/http/cookies';
import { RefusalError } from '@tallyhand/service-kit/http/problem';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Kit } from './app.ts';

/** Aborts when the caller is gone, with a refusal as its reason: nothing has failed. */
export function closeSignal({ raw }: FastifyReply): AbortSignal {
  const stop = new AbortController();
  const abort = () => stop.abort(new RefusalError(CALLER_GONE));
  if (raw.destroyed) abort();
  else raw.once('close', abort);
  return stop.signal;
}

const CALLER_GONE = MalformedRequest({ reason: 'The caller closed the connection.' });

/**
 * The newest place that the caller or this process knows of. The caller's last change may have been
 * another process's work.
 */
export function newestKnown({ latest }: Pick<Kit, 'latest'>, request: FastifyRequest): Position {
  const seen = positionToPass(request);
  return seen ? maxPosition(seen, latest.current()) : latest.current();
}
