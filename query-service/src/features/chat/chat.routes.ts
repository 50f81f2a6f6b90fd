import {
  getConversation,
  listConversations,
} from '@tallyhand/contracts/features/chat/chat.endpoints';
import { pathOf } from '@tallyhand/contracts/kernel/endpoint';
import { isRefusal } from '@tallyhand/contracts/kernel/refusal';
import { agents } from '@tallyhand/read-models/features/agents/agents.tables';
import {
  readConversation,
  readConversations,
} from '@tallyhand/read-models/features/chat/chat.tables';
import type { FastifyInstance } from 'fastify';
import type { QueryContext } from '../../kernel/context.ts';
import { oneRoute, pageOf, route } from '../../kernel/route.ts';

export function chatRoutes(app: FastifyInstance, context: QueryContext) {
  route(app, context, listConversations, { what: 'agent' }, async (call) => {
    const { id } = call.params;
    const agent = await call.read(agents.one, { id });
    if (isRefusal(agent) || agent.body === null) return agent;
    return pageOf(call, pathOf(listConversations, call.params), (page) =>
      call.read(readConversations, { agent: id, ...page }),
    );
  });
  oneRoute(app, context, getConversation, readConversation, { what: 'conversation' });
}
