import {
  setLimit,
  startVerification,
} from '@tallyhand/contracts/features/credits/credits.endpoints';
import { NotFound } from '@tallyhand/contracts/kernel/problem';
import type { FastifyInstance } from 'fastify';
import type { PgBoss } from 'pg-boss';
import type { Kit } from '../../kit/app.ts';
import { route } from '../../kit/route.ts';
import type { Credits } from './credits.ts';
import { requestVerification } from './verify-ledger.ts';

export type CreditsContext = {
  readonly kit: Kit;
  readonly boss: PgBoss;
  readonly credits: Pick<Credits, 'setLimit'>;
  readonly findAgent: (id: string, organizationId: string) => Promise<object | null>;
};

export function creditsRoutes(app: FastifyInstance, context: CreditsContext) {
  const { kit, boss, credits, findAgent } = context;

  route(app, kit, setLimit, async ({ caller, context, body }) => {
    const { organizationId, userId } = caller;
    const { monthlyCredits, ...scope } = body;
    const exists =
      scope.kind === 'agent'
        ? await findAgent(scope.id, organizationId)
        : await isMember(kit, scope.id, organizationId);
    // The limit of a deleted agent or member may still be removed.
    if (!exists && monthlyCredits !== null) return NotFound({ what: scope.kind });
    const limit = { organizationId, scope, monthlyCredits, setBy: userId };
    const refused = await credits.setLimit(context, limit);
    return refused ?? { scope, monthlyCredits };
  });

  route(app, kit, startVerification, { recordsAuditors: true }, async ({ caller }) => {
    await requestVerification(kit, boss, caller.organizationId);
    return { status: 'running' as const };
  });
}

/** A member, or an API key, which spends as one. */
async function isMember({ pool }: Kit, userId: string, organizationId: string): Promise<boolean> {
  const { rowCount } = await pool.query(
    `select from operational.access where user_id = $1 and organization_id = $2
     union all
     select from operational.api_keys where key_id = $1 and organization_id = $2`,
    [userId, organizationId],
  );
  return Boolean(rowCount);
}
