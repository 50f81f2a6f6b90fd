import type { FastifyRequest } from 'fastify';
import type { Log } from '../log.ts';
import { counter } from '../metrics/counter.ts';

const TOLD_EVERY_MS = 10_000;
const ADDRESSES_MAX = 10_000;

const limited = counter({
  name: 'tallyhand_rate_limited_requests_total',
  help: 'Calls that were refused because there were too many, by route.',
});

/**
 * Calls that were answered 429, in the log as one line for all of ten seconds: a flood of calls must
 * not become a flood of lines. Addresses are counted, never written down.
 */
export function limitedCalls(log: Log) {
  const routes = new Map<string, number>();
  const addresses = new Set<string>();
  let timer: NodeJS.Timeout | undefined;

  function tell() {
    clearTimeout(timer);
    timer = undefined;
    if (routes.size === 0) return;
    const calls = [...routes.values()].reduce((sum, count) => sum + count, 0);
    const fields = { calls, addresses: addresses.size, routes: Object.fromEntries(routes) };
    log.warn('calls were refused: too many', fields);
    routes.clear();
    addresses.clear();
  }

  return {
    note({ method, routeOptions, ip }: FastifyRequest) {
      const route = routeOptions.url ?? 'none';
      limited.add({ method, route });
      const call = `${method} ${route}`;
      routes.set(call, (routes.get(call) ?? 0) + 1);
      if (addresses.size < ADDRESSES_MAX) addresses.add(ip);
      timer ??= setTimeout(tell, TOLD_EVERY_MS).unref();
    },
    tell,
  };
}
