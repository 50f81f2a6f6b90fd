import type pg from 'pg';
import { gauge } from '../metrics/instruments.ts';

/** The pools of this process, and as which role each connects. */
const pools = new Map<pg.Pool, string>();

/** Reports how busy a pool is, until it has ended. */
export function measurePool(pool: pg.Pool, url: string): void {
  pools.set(pool, roleOf(url));
}

/** Roles outside the services, such as the migration's, share one label. */
const roleOf = (url: string) =>
  /_(command|projector|query)$/.exec(new URL(url).username)?.[1] ?? 'other';

gauge({
  name: 'tallyhand_postgres_pool',
  help: 'Connections to PostgreSQL by role, busy or free, and the work that waits for one.',
  read() {
    const sums = new Map<string, { labels: { role: string; state: string }; value: number }>();
    for (const [pool, role] of pools) {
      if (pool.ended) pools.delete(pool);
      for (const [state, count] of pool.ended ? [] : statesOf(pool)) {
        const sum = sums.get(`${role} ${state}`) ?? { labels: { role, state }, value: 0 };
        sum.value += count;
        sums.set(`${role} ${state}`, sum);
      }
    }
    return [...sums.values()];
  },
});

const statesOf = ({ totalCount, idleCount, waitingCount }: pg.Pool) =>
  [
    ['busy', totalCount - idleCount],
    ['free', idleCount],
    ['waiting', waitingCount],
  ] as const;
