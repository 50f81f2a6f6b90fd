import { getAgentHistory } from '@tallyhand/contracts/features/agents/agents.endpoints';
import {
  type HistoryKind,
  listDeletions,
} from '@tallyhand/contracts/features/audit/deletions.endpoints';
import { getArticleHistory } from '@tallyhand/contracts/features/knowledge/knowledge.endpoints';
import { getPlaybookHistory } from '@tallyhand/contracts/features/playbooks/playbooks.endpoints';
import { getToolHistory } from '@tallyhand/contracts/features/tools/tools.endpoints';
import { pathOf } from '@tallyhand/contracts/kernel/endpoint';
import { isRefusal } from '@tallyhand/contracts/kernel/refusal';
import { readDeletions, readHistory } from '@tallyhand/read-models/features/audit/history.tables';
import type { FastifyInstance } from 'fastify';
import type { QueryContext } from '../../kernel/context.ts';
import { pageOf, route } from '../../kernel/route.ts';

export function historyRoutes(app: FastifyInstance, context: QueryContext) {
  historyRoute(app, context, getAgentHistory, 'agent');
  historyRoute(app, context, getArticleHistory, 'article');
  historyRoute(app, context, getPlaybookHistory, 'playbook');
  historyRoute(app, context, getToolHistory, 'tool');
  route(app, context, listDeletions, (call) =>
    pageOf(call, listDeletions.path, (page) =>
      call.read(readDeletions, { kind: call.query.kind ?? null, ...page }),
    ),
  );
}

/** Also of what is deleted: from here it can be restored. */
function historyRoute(
  app: FastifyInstance,
  context: QueryContext,
  endpoint: typeof getAgentHistory,
  kind: HistoryKind,
) {
  route(app, context, endpoint, { what: kind }, async (call) => {
    const path = pathOf(endpoint, call.params);
    const result = await pageOf(call, path, (page) =>
      call.read(readHistory, { object_kind: kind, object_id: call.params.id, ...page }),
    );
    // Whatever there is has at least the entry of its creation.
    const isNone = !isRefusal(result) && result.body === '[]' && call.query.cursor === undefined;
    return isNone ? { kind: 'rows', body: null } : result;
  });
}
