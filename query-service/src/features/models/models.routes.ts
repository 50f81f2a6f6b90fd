import { getChatBudget } from '@tallyhand/contracts/features/chat/chat-budget.endpoints';
import { getMeaningSearch } from '@tallyhand/contracts/features/models/meaning-search.endpoints';
import {
  getModelCredits,
  ONE_CREDIT,
} from '@tallyhand/contracts/features/models/model-credits.endpoints';
import {
  connectionCalls,
  getModelUsage,
  type MODEL_USAGE_GROUPS,
} from '@tallyhand/contracts/features/models/models.endpoints';
import { isRefusal } from '@tallyhand/contracts/kernel/refusal';
import { readBillingAccess } from '@tallyhand/read-models/features/credits/payments.tables';
import { connections } from '@tallyhand/read-models/features/models/connections.tables';
import { readMeaningSearch } from '@tallyhand/read-models/features/models/meaning-search';
import {
  readChatBudget,
  readModelUsageByAgent,
  readModelUsageByDay,
  readModelUsageByMember,
  readModelUsageByModel,
} from '@tallyhand/read-models/features/models/model-usage.tables';
import type { FastifyInstance } from 'fastify';
import type { QueryContext } from '../../kernel/context.ts';
import { oneRoute, route } from '../../kernel/route.ts';
import { usageRange } from '../../kernel/usage-range.ts';
import { versionedObjectRoutes } from '../../kernel/versioned-objects.ts';

const usage = {
  day: readModelUsageByDay,
  agent: readModelUsageByAgent,
  member: readModelUsageByMember,
  model: readModelUsageByModel,
} satisfies Record<(typeof MODEL_USAGE_GROUPS)[number], unknown>;

export function modelsRoutes(app: FastifyInstance, context: QueryContext) {
  versionedObjectRoutes(app, context, connections, connectionCalls);
  oneRoute(app, context, getChatBudget, readChatBudget);
  oneRoute(app, context, getMeaningSearch, readMeaningSearch);
  const prices = JSON.stringify(context.settings.modelCredits ?? ONE_CREDIT);
  route(app, context, getModelCredits, async ({ read }) => {
    const access = await read(readBillingAccess, {});
    return isRefusal(access) ? access : { kind: 'rows', body: prices };
  });
  route(app, context, getModelUsage, async ({ query, read }) => {
    const range = usageRange(query, new Date());
    return isRefusal(range) ? range : read(usage[query.by], range);
  });
}
