import { getStatus, type Status } from '@tallyhand/contracts/features/status/status.endpoints';
import { NotFound } from '@tallyhand/contracts/kernel/problem';
import { sendProblem } from '@tallyhand/service-kit/http/problem';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type pg from 'pg';
import type { QueryContext } from '../../kernel/context.ts';

const METRICS_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

/** What the product checks of itself, without a word about whose data it is. */
export function statusRoutes(app: FastifyInstance, { pool }: QueryContext) {
  // It waits for no read model: it must answer while they are behind.
  app.get(getStatus.path, async () => {
    const isWell = (await ledgerDifferences(pool)) === 0;
    const status: Status = {
      status: isWell ? 'ok' : 'degraded',
      checks: [{ name: 'ledger', status: isWell ? 'ok' : 'failing' }],
    };
    return status;
  });
  app.get('/metrics', async (request, reply) => {
    if (!isFromThisMachine(request)) return sendProblem(reply, NotFound({ what: 'address' }));
    return reply.type(METRICS_TYPE).send(
      gauge({
        name: 'tallyhand_ledger_differences',
        help: 'Differences found in ledgers since their tables were made.',
        value: await ledgerDifferences(pool),
      }),
    );
  });
}

async function ledgerDifferences(pool: pg.Pool): Promise<number> {
  const { rows } = await pool.query<{ differences: string }>(
    `select differences from read_model.check_differences() where projection = 'ledger'`,
  );
  return Number(rows[0]?.differences ?? 0);
}

const LOOPBACK = /^(127\.|::1$|::ffff:127\.)/;
const FORWARDED = /^(forwarded|via|x-forwarded-.*|x-real-ip)$/;

/** A proxy's address is loopback too; what it forwards for says so. */
function isFromThisMachine({ socket, headers }: FastifyRequest): boolean {
  if (!LOOPBACK.test(socket.remoteAddress ?? '')) return false;
  return !Object.keys(headers).some((name) => FORWARDED.test(name));
}

/** One figure in Prometheus' text format. */
const gauge = ({ name, help, value }: { name: string; help: string; value: number }) =>
  `# HELP ${name} ${help}\n# TYPE ${name} gauge\n${name} ${value}\n`;
