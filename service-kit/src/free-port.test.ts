import { createServer } from 'node:net';
import { expect, it, vi } from 'vitest';
import { freePort, isPortFree } from './free-port.ts';

it('gives a port below those of outgoing connections, once', async () => {
  const ports = await Promise.all(Array.from({ length: 50 }, () => freePort()));
  expect(new Set(ports).size).toBe(ports.length);
  expect(Math.max(...ports)).toBeLessThan(32_768);
});

it('detects that another program listens', async () => {
  const port = await freePort();
  expect(await isPortFree(port)).toBe(true);
  const other = createServer().listen(port, '127.0.0.1');
  await vi.waitFor(() => expect(other.listening).toBe(true));
  expect(await isPortFree(port)).toBe(false);
  other.close();
});
