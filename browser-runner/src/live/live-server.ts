import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import {
  LIVE_MESSAGE_BYTES_MAX,
  LIVE_PATH,
} from '@tallyhand/contracts/features/sessions/live.messages';
import { refuseUpgrade } from '@tallyhand/service-kit/http/server';
import { isServiceCall } from '@tallyhand/service-kit/http/service-token';
import { level } from '@tallyhand/service-kit/metrics/counter';
import { type WebSocket, WebSocketServer } from 'ws';
import type { Authorize } from './authorize.ts';
import { serveConnection } from './connection.ts';
import type { LiveHub } from './live-hub.ts';
import { ViewerCounts } from './message-limits.ts';
import { RECHECK_MS } from './subscription.ts';

const PING_MS = 20_000;
const IDLE_MS_MAX = 10_000;
const CONNECTIONS_MAX = 1_000;
const GOING_AWAY = 1001;

const openSockets = level({
  name: 'tallyhand_live_viewers',
  help: 'Sockets of live views that are open at this runner.',
  known: [{}],
});

export type LiveServer = AsyncDisposable & {
  handleUpgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void;
};

export type LiveServerOptions = {
  readonly hub: LiveHub;
  readonly authorize: Authorize;
  readonly publicUrl: string;
  readonly internalToken: string;
  /** Known once this runner listens. */
  readonly ownAddress: () => string;
  readonly recheckMs?: number;
  readonly pingMs?: number;
  readonly idleMsMax?: number;
};

/** The sockets of live views, from our own pages only. */
export function liveServer(options: LiveServerOptions): LiveServer {
  const { publicUrl, internalToken, pingMs = PING_MS } = options;
  const { recheckMs = RECHECK_MS, idleMsMax = IDLE_MS_MAX } = options;
  const times = { recheckMs, idleMsMax };
  const viewers = new ViewerCounts();
  const silent = new WeakSet<WebSocket>();
  const server = new WebSocketServer({
    noServer: true,
    maxPayload: LIVE_MESSAGE_BYTES_MAX,
    perMessageDeflate: false,
  });

  const ping = setInterval(() => {
    for (const socket of server.clients) {
      if (silent.has(socket)) socket.terminate();
      silent.add(socket);
      socket.ping();
    }
  }, pingMs);

  return {
    handleUpgrade(request, socket, head) {
      const { cookie = '', origin = '', authorization } = request.headers;
      const refuse = (status: string) => refuseUpgrade(socket, status, publicUrl);
      const isRelayed = isServiceCall(authorization, internalToken);
      if (request.url?.split('?')[0] !== LIVE_PATH) return refuse('404 Not Found');
      if (!isRelayed && !isOurs(request, publicUrl)) return refuse('403 Forbidden');
      if (server.clients.size >= CONNECTIONS_MAX) return refuse('503 Service Unavailable');
      server.handleUpgrade(request, socket, head, (opened) => {
        opened.on('pong', () => silent.delete(opened));
        openSockets.add({}, 1);
        opened.on('close', () => openSockets.add({}, -1));
        serveConnection(opened, { ...options, ...times, viewers, cookie, origin, isRelayed });
      });
    },
    async [Symbol.asyncDispose]() {
      clearInterval(ping);
      for (const socket of server.clients) socket.close(GOING_AWAY);
      for (const socket of server.clients) socket.terminate();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** A page of the product: at the product's own address, or at the requested host. */
function isOurs({ headers }: IncomingMessage, publicUrl: string): boolean {
  const origin = URL.parse(headers.origin ?? '');
  if (!origin) return false;
  return origin.origin === new URL(publicUrl).origin || origin.host === headers.host;
}
