import type { FastifyReply, FastifyRequest } from 'fastify';
import { histogram } from '../metrics/histogram.ts';

const SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

const requestDurations = histogram({
  name: 'tallyhand_http_request_duration_seconds',
  help: 'How long requests took, by route and class of status.',
  bounds: SECONDS,
});

/** Routes by the pattern that is declared: addresses that callers make up are one. */
export function observeRequest(request: FastifyRequest, reply: FastifyReply): void {
  const { method, routeOptions } = request;
  const status = `${Math.floor(reply.statusCode / 100)}xx`;
  const labels = { method, route: routeOptions.url ?? 'none', status };
  requestDurations.observe(labels, reply.elapsedTime / 1000);
}
