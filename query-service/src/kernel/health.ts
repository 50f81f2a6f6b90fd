import { DependencyDown } from '@tallyhand/contracts/kernel/problem';
import { sendProblem } from '@tallyhand/service-kit/http/problem';
import type { FastifyInstance } from 'fastify';
import type pg from 'pg';

/** `/healthz`: the process lives. `/readyz`: it can answer, and knows how far the views are. */
export function healthRoutes(app: FastifyInstance, pool: pg.Pool) {
  app.get('/healthz', async () => ({ status: 'ok' }));
  app.get('/readyz', async (_request, reply) => {
    const position = await readModelPosition(pool).catch(() => undefined);
    if (position === undefined) return sendProblem(reply, DependencyDown({ what: 'The database' }));
    if (position === null) return sendProblem(reply, DependencyDown({ what: 'The projector' }));
    return { status: 'ok' };
  });
}

/** Null until a projector has run for the first time. */
export async function readModelPosition(pool: pg.Pool): Promise<string | null> {
  const { rows } = await pool.query<{ position: string | null }>(
    'select read_model.read_position() as position',
  );
  return rows[0]?.position ?? null;
}
