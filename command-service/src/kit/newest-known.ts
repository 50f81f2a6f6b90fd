import { maxPosition, type Position } from '@tallyhand/service-kit/event-store/position';
import { positionToPass } from '@tallyhand/service-kit/http/cookies';
import type { FastifyRequest } from 'fastify';
import type { Kit } from './app.ts';

/**
 * The newest place that the caller or this process knows of. The caller's last change may have been
 * another process's work.
 */
export function newestKnown({ latest }: Pick<Kit, 'latest'>, request: FastifyRequest): Position {
  const seen = positionToPass(request);
  return seen ? maxPosition(seen, latest.current()) : latest.current();
}
