import { oauthClientOf, SIGNED_IN_PATH } from '@tallyhand/contracts/features/tools/oauth-client';
import { getOAuthClient, toolCalls } from '@tallyhand/contracts/features/tools/tools.endpoints';
import { isRefusal } from '@tallyhand/contracts/kernel/refusal';
import { tools } from '@tallyhand/read-models/features/tools/tools.tables';
import { sendProblem } from '@tallyhand/service-kit/http/problem';
import { queryOf } from '@tallyhand/service-kit/http/request';
import type { FastifyInstance } from 'fastify';
import type { QueryContext } from '../../kernel/context.ts';
import { versionedObjectRoutes } from '../../kernel/versioned-objects.ts';

export function toolsRoutes(app: FastifyInstance, context: QueryContext) {
  versionedObjectRoutes(app, context, tools, toolCalls);
  const { publicUrl } = context.settings;
  app.get(getOAuthClient.path, async (request, reply) => {
    const query = queryOf(request);
    if (isRefusal(query)) return sendProblem(reply, query);
    return {
      client_id: new URL(getOAuthClient.path, publicUrl).href,
      ...oauthClientOf(new URL(SIGNED_IN_PATH, publicUrl).href),
      token_endpoint_auth_method: 'none',
    };
  });
}
