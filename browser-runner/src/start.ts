import type { IncomingMessage } from 'node:http';
import { hostname } from 'node:os';
import type { Duplex } from 'node:stream';
import type { Planner } from '@tallyhand/agent-runtime/browsing/planner';
import { plannerFor } from '@tallyhand/agent-runtime/choose-engine';
import { parseAllowedHosts } from '@tallyhand/agent-runtime/guard/allowed-hosts';
import { offlinePlanner } from '@tallyhand/offline-engine/offline-planner';
import { newId } from '@tallyhand/service-kit/crypto/ids';
import { countModelCall, countOutbound } from '@tallyhand/service-kit/metrics/model-calls';
import { browserHost } from './browser/browser-host.ts';
import type { RunnerConfig } from './config.ts';
import { BrowserCalls } from './internal/browser-calls.ts';
import { commandClient } from './internal/command-client.ts';
import { internalServer } from './internal/internal-server.ts';
import { authorizeBy } from './live/authorize.ts';
import { LiveHub } from './live/live-hub.ts';
import { liveServer } from './live/live-server.ts';
import { holdSessions } from './loop/hold-sessions.ts';
import type { BrowserHost } from './session-browser.ts';

export type BrowserRunner = AsyncDisposable & {
  /** Where the command service and other runners reach it. */
  readonly address: string;
  /** Accepts a socket of the live view from elsewhere. */
  handleUpgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void;
};

/** The resources of a runner; by default its own browser and planner. */
export type RunnerParts = { readonly host?: BrowserHost; readonly planner?: Planner };

/** Runs sessions for the command service, shows them live, and lends browsers to tools. */
export async function start(config: RunnerConfig, parts: RunnerParts = {}): Promise<BrowserRunner> {
  await using starting = new AsyncDisposableStack();
  const { host: listensAt, sessionsMax, log } = config;
  const client = commandClient(config);
  let address = '';
  const ownOrigins = [config.publicUrl, config.commandServiceUrl, ...config.ownOrigins];
  const allowedHosts = parseAllowedHosts(config.allowPrivateHosts ?? '');
  const policy = { ownOrigins, allowedHosts, onOutbound: countOutbound };
  const host = starting.use(parts.host ?? browserHost({ policy }));
  const calls = starting.use(new BrowserCalls(host, log));
  const hub = new LiveHub();
  const authorize = authorizeBy(client);
  const live = liveServer({ ...config, hub, authorize, ownAddress: () => address });
  const server = starting.use(await internalServer(config, calls, live.handleUpgrade));
  // Closed before the server, which waits for its sockets.
  starting.use(live);
  address = config.advertisedUrl ?? `http://${reachedAt(listensAt)}:${server.port}`;
  // Known only now, before the first page is opened.
  ownOrigins.push(address, `http://${inUrl(listensAt)}:${server.port}`);
  starting.use(
    holdSessions({
      runnerId: newId(),
      address,
      sessionsMax,
      client,
      host,
      log,
      planner: parts.planner ?? plannerFor(config.model, offlinePlanner(), countModelCall),
      openFeed: ({ sessionId }, controlState) => hub.openFeed(sessionId, controlState),
    }),
  );
  const running = starting.move();
  return {
    address,
    handleUpgrade: live.handleUpgrade,
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

/** Listening everywhere, it is reached by its machine's name: that of its container, say. */
const reachedAt = (host: string) =>
  host === '0.0.0.0' || host === '::' ? hostname() : inUrl(host);

const inUrl = (host: string) => (host.includes(':') ? `[${host}]` : host);
