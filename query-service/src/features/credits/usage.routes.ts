import {
  getUsage,
  listLimits,
  type USAGE_GROUPS,
} from '@tallyhand/contracts/features/credits/credits.endpoints';
import { isRefusal } from '@tallyhand/contracts/kernel/refusal';
import {
  readUsageByAgent,
  readUsageByDay,
  readUsageByMember,
  readUsageByType,
} from '@tallyhand/read-models/features/credits/ledger.tables';
import { readSpendLimits } from '@tallyhand/read-models/features/credits/spend-limits.tables';
import type { FastifyInstance } from 'fastify';
import type { QueryContext } from '../../kernel/context.ts';
import { route } from '../../kernel/route.ts';
import { usageRange } from '../../kernel/usage-range.ts';

const reads = {
  day: readUsageByDay,
  agent: readUsageByAgent,
  member: readUsageByMember,
  type: readUsageByType,
} satisfies Record<(typeof USAGE_GROUPS)[number], unknown>;

export function usageRoutes(app: FastifyInstance, context: QueryContext) {
  route(app, context, getUsage, async ({ query, read }) => {
    const range = usageRange(query, new Date());
    return isRefusal(range) ? range : read(reads[query.by], range);
  });
  route(app, context, listLimits, ({ read }) => {
    const month = new Date().toISOString().slice(0, 7);
    return read(readSpendLimits, { month_start: `${month}-01` });
  });
}
