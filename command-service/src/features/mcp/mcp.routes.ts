import { NotSignedIn } from '@tallyhand/contracts/kernel/problem';
import { formatPosition } from '@tallyhand/service-kit/event-store/position';
import { hasKey } from '@tallyhand/service-kit/http/credentials';
import type { Reads } from '@tallyhand/service-kit/http/reads';
import { errorFields } from '@tallyhand/service-kit/log';
import type { FastifyInstance } from 'fastify';
import type { Kit } from '../../kit/app.ts';
import { authenticate } from '../../kit/authenticate.ts';
import type { CompletionSignals } from '../../kit/completion-signals.ts';
import { mcpEndpoint } from './mcp-http.ts';
import { ProductApi } from './product-api.ts';

type McpOptions = {
  readonly kit: Kit;
  readonly completions: CompletionSignals;
  readonly reads: Reads;
};

/** The product as an MCP server. Its tools call the API of `app`, and reads. */
export function mcpRoutes(app: FastifyInstance, { kit, completions, reads }: McpOptions) {
  const { publicUrl } = kit.settings;
  return mcpEndpoint(app, {
    publicUrl,
    // Cookies do not count: a page could send them.
    authenticate: (request) =>
      hasKey(request) ? authenticate(kit, request) : Promise.resolve(NotSignedIn({})),
    countCall: ({ signInId }) => kit.keyCalls.count(signInId, 1),
    signals: {
      announce: (id) => completions.announce(id, formatPosition(kit.latest.current())),
      wait: (id, timeoutMs) => completions.wait(id, timeoutMs),
    },
    serverOf: async ({ request, caller, isBatch, cancellationOf }) => {
      const { mcpServer } = await import('./mcp-server.ts');
      const key = request.headers['idempotency-key'];
      return mcpServer({
        role: caller.role,
        api: new ProductApi(app, reads, request),
        publicUrl,
        correlationId: request.id,
        headerKey: typeof key === 'string' ? key : undefined,
        isBatch,
        cancellationOf,
        logFault: (error) =>
          kit.log.error('request failed', {
            correlationId: request.id,
            route: '/mcp',
            ...errorFields(error),
          }),
      });
    },
  });
}
