import type { IncomingMessage, ServerResponse } from 'node:http';
import { createHttpApp } from '@tallyhand/service-kit/http/app';
import type { OpenedKit } from './app/open-kit.ts';
import { addRoutes } from './app/routes.ts';

export type CommandService = AsyncDisposable & {
  /** Answers every method but GET and HEAD. */
  handle(request: IncomingMessage, response: ServerResponse): void;
};

/** The HTTP side: checks who calls and what they send, decides, appends. */
export async function start(opened: OpenedKit): Promise<CommandService> {
  const { kit, features } = opened;
  const app = await createHttpApp({ ...kit.settings, log: kit.log });
  addRoutes(app, kit, features, opened);
  await app.ready();
  return {
    handle: (request, response) => app.routing(request, response),
    [Symbol.asyncDispose]: () => app.close(),
  };
}
