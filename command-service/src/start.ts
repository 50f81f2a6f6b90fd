import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Observation } from '@tallyhand/contracts/kernel/observation';
import { createHttpApp } from '@tallyhand/service-kit/http/app';
import type { OpenedKit } from './app/open-kit.ts';
import { addInternalRoutes, addRoutes } from './app/routes.ts';
import { observerOf } from './features/audit/audit.routes.ts';
import { createInternalApp } from './kit/internal-route.ts';

export type CommandService = AsyncDisposable & {
  /** Answers every method but GET and HEAD. */
  handle(request: IncomingMessage, response: ServerResponse): void;
  /** Answers internal processes. Must not be reachable from outside. */
  handleInternal(request: IncomingMessage, response: ServerResponse): void;
  /** Receives observations of reads. */
  observe(observation: Observation): void;
};

/** The HTTP side: authenticates and validates calls, decides, appends. */
export async function start(opened: OpenedKit): Promise<CommandService> {
  const { kit, features } = opened;
  const app = await createHttpApp({ ...kit.settings, log: kit.log });
  addRoutes(app, kit, features, opened);
  await app.ready();
  const internal = await createInternalApp(kit);
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
