import type { IncomingMessage, Server } from 'node:http';
import { connect, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { setTimeout as wait } from 'node:timers/promises';
import { LIVE_PATH } from '@tallyhand/contracts/features/sessions/live.messages';
import { signInCookieName } from '@tallyhand/service-kit/http/cookies';
import { refuseUpgrade } from '@tallyhand/service-kit/http/server';

/** How long a socket waits for a runner that is just being started. */
const RUNNER_MS_MAX = 10_000;
const RETRY_MS = 100;
const SOCKETS_MAX = 1_000;

export type LiveRelayOptions = {
  readonly publicUrl: string;
  /** Where a browser runner listens, or will once it is started; null where there is none. */
  readonly runnerAddress: () => string | null;
  readonly wantBrowser: () => void;
  readonly runnerMsMax?: number;
};

/** Passes sockets of live views on to a browser runner; all others are refused. */
export function relayLiveViews(server: Server, options: LiveRelayOptions): Disposable {
  const sockets = new Set<Duplex>();
  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    socket.on('error', () => socket.destroy());
    const refuse = (status: string) => refuseUpgrade(socket, status, options.publicUrl);
    if (request.url?.split('?')[0] !== LIVE_PATH) return refuse('404 Not Found');
    if (sockets.size >= SOCKETS_MAX) return refuse('503 Service Unavailable');
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    void pass(request, socket, head, options);
  });
  return {
    [Symbol.dispose]() {
      for (const socket of sockets) socket.destroy();
    },
  };
}

async function pass(
  request: IncomingMessage,
  socket: Duplex,
  head: Buffer,
  options: LiveRelayOptions,
) {
  const peer = await connected(request, socket, options);
  if (!peer) return refuseUpgrade(socket, '503 Service Unavailable', options.publicUrl);
  peer.once('close', () => socket.destroy());
  socket.once('close', () => peer.destroy());
  if (socket.destroyed) return peer.destroy();
  peer.write(headOf(request));
  peer.write(head);
  peer.pipe(socket);
  socket.pipe(peer);
}

/** A connection to the runner as soon as it listens. */
async function connected(
  { headers }: IncomingMessage,
  socket: Duplex,
  { publicUrl, runnerAddress, wantBrowser, runnerMsMax = RUNNER_MS_MAX }: LiveRelayOptions,
): Promise<Socket | null> {
  // Without a cookie the caller cannot watch anything: no process is started.
  const mayWait = headers.cookie?.includes(`${signInCookieName(publicUrl)}=`) === true;
  const until = performance.now() + runnerMsMax;
  for (;;) {
    const address = runnerAddress();
    const peer = address && (await tryConnecting(new URL(address)));
    if (peer) return peer;
    if (!mayWait || socket.destroyed || performance.now() > until) return null;
    wantBrowser();
    await wait(RETRY_MS);
  }
}

function tryConnecting({ hostname, port }: URL): Promise<Socket | null> {
  return new Promise((resolve) => {
    const peer = connect(Number(port) || 80, hostname.replace(/^\[(.*)\]$/, '$1'));
    peer.on('error', () => {
      peer.destroy();
      resolve(null);
    });
    peer.once('connect', () => resolve(peer));
  });
}

/** The request unchanged; only internal processes may identify themselves as such. */
function headOf({ method, url, rawHeaders }: IncomingMessage): string {
  const lines = [`${method} ${url} HTTP/1.1`];
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] ?? '';
    if (name.toLowerCase() !== 'authorization') lines.push(`${name}: ${rawHeaders[at + 1]}`);
  }
  return `${lines.join('\r\n')}\r\n\r\n`;
}
