import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { newId } from '@tallyhand/service-kit/crypto/ids';
import { expect, it, vi } from 'vitest';
import { WebSocket } from 'ws';
import { PUBLIC_URL, TOKEN } from '../testing/command-peer.ts';
import { AGENT } from '../testing/session.ts';
import type { Authorize } from './authorize.ts';
import { LiveHub } from './live-hub.ts';
import { liveServer } from './live-server.ts';

/** Sockets with this kind of sessions. */
async function serve(authorize: Authorize, idleMsMax?: number) {
  await using opening = new AsyncDisposableStack();
  const live = opening.use(
    liveServer({
      hub: new LiveHub(),
      authorize,
      publicUrl: PUBLIC_URL,
      internalToken: TOKEN,
      ownAddress: () => '',
      ...(idleMsMax && { idleMsMax }),
    }),
  );
  const server = createServer().on('upgrade', live.handleUpgrade).listen(0, '127.0.0.1');
  opening.defer(() => void server.close());
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const socket = new WebSocket(`ws://127.0.0.1:${port}/ws/browser`, { origin: PUBLIC_URL });
  const closed = once(socket, 'close').then(([code]) => code as number);
  await once(socket, 'open');
  const running = opening.move();
  return {
    socket,
    closed,
    subscribe: () => socket.send(JSON.stringify({ type: 'subscribe_browser', sessionId: newId() })),
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

const everySession: Authorize = async (_, sessionId) => ({
  personId: newId(),
  organizationId: newId(),
  sessionId,
  status: 'running',
  control: AGENT,
  runnerAddress: null,
  state: {
    screenshot: null,
    url: null,
    title: null,
    actions: [],
    timestamp: new Date().toISOString(),
  },
});

it('closes a socket that watches nothing for too long', async () => {
  await using denied = await serve(async () => 'not-found', 50);
  denied.subscribe();
  expect(await denied.closed).toBe(1008);
});

it('closes a socket that subscribes to session after session, and looks few of them up', async () => {
  const authorize = vi.fn(everySession);
  await using viewer = await serve(authorize);
  for (let i = 0; i < 50; i += 1) viewer.subscribe();
  expect(await viewer.closed).toBe(1008);
  expect(authorize.mock.calls.length).toBeLessThanOrEqual(5);
});
