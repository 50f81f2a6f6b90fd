import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { expect, it } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import { outbox } from './outbox.ts';

it('sends a slow viewer away before much waits for it', async () => {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const viewer = new WebSocket(`ws://127.0.0.1:${port}`);
  const [socket]: WebSocket[] = await once(server, 'connection');
  if (!socket) throw new Error('Nobody came');
  await once(viewer, 'open');
  viewer.pause();
  const out = outbox(socket);
  const message = 'A'.repeat(2_000_000);
  let sent = 0;
  while (socket.readyState === socket.OPEN && sent < 50) {
    out.send({ type: 'error', code: 'large', message });
    sent += 1;
  }
  expect(sent).toBeLessThanOrEqual(12);
  viewer.terminate();
  server.close();
});
