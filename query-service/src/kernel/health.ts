import { DependencyDown } from '@tallyhand/contracts/kernel/problem';
import { sendProblem } from '@tallyhand/service-kit/http/problem';
import type { FastifyInstance } from 'fastify';
import type pg from 'pg';

/** `/healthz`: the process lives. `/readyz`: it can answer, because the database can. */
export function healthRoutes(app: FastifyInstance, pool: pg.Pool) {
  app.get('/healthz', async () => ({ status: 'ok' }));
  app.get('/readyz', async (_request, reply) => {
    try {
      await pool.query('select 1');
      return { status: 'ok' };
    } catch {
      return sendProblem(reply, DependencyDown({ what: 'The database' }));
    }
  });
}
