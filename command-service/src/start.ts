import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Observation } from '@tallyhand/contracts/kernel/observation';
import { createHttpApp } from '@tallyhand/service-kit/http/app';
import { createInternalApp } from '@tallyhand/service-kit/http/internal-app';
import type { Reads } from '@tallyhand/service-kit/http/reads';
import type { OpenedKit } from './app/open-kit.ts';
import { addInternalRoutes, addRoutes } from './app/routes.ts';
import { observerOf } from './features/audit/audit.routes.ts';
import { mcpRoutes } from './features/mcp/mcp.routes.ts';

export type CommandService = AsyncDisposable & {
  /** Answers every method but GET and HEAD, and all calls of the Model Context Protocol. */
  handle(request: IncomingMessage, response: ServerResponse): void;
  /** Answers internal processes. Must not be reachable from outside. */
  handleInternal(request: IncomingMessage, response: ServerResponse): void;
  /** Receives observations of reads. */
  observe(observation: Observation): void | Promise<void>;
};

/** The HTTP side: authenticates and validates calls, decides, appends. `reads`: of query-service. */
export async function start(opened: OpenedKit, reads: Reads): Promise<CommandService> {
  const { kit, features, completions } = opened;
  const settings = { ...kit.settings, log: kit.log };
  const app = await createHttpApp(settings);
  addRoutes(app, kit, features, opened);
  await mcpRoutes(app, { kit, completions, reads });
  await app.ready();
  const { internalToken = '' } = kit.settings;
  const internal = await createInternalApp({ ...settings, isInternal: true }, internalToken);
  addInternalRoutes(internal, opened);
  await internal.ready();
  return {
    observe: observerOf(kit),
    handle: (request, response) => app.routing(request, response),
    handleInternal: (request, response) => internal.routing(request, response),
    async [Symbol.asyncDispose]() {
      await internal.close();
      await app.close();
    },
  };
}
