import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';

const program = join(import.meta.dirname, 'fixtures', 'hanging-service.fixture.ts');
/** By far longer than the test: only a second signal ends it before. */
const DRAIN_SECONDS = '600';

let child: ChildProcess;
afterEach(() => child.kill('SIGKILL'));

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  return typeof address === 'object' && address ? address.port : 0;
}

describe('a service that is asked to end', () => {
  it.each(['0', DRAIN_SECONDS])(
    'a second time cuts what is under way and ends in order (it drains for %s s)',
    async (drainSeconds) => {
      const [port, internalPort] = [await freePort(), await freePort()];
      child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', program], {
        env: { PORT: `${port}`, INTERNAL_PORT: `${internalPort}`, DRAIN_SECONDS: drainSeconds },
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      let said = '';
      child.stdout?.on('data', (chunk) => {
        said += chunk;
      });
      const exited = once(child, 'exit');
      await vi.waitFor(() => expect(said).toContain('ready'), { timeout: 20_000 });
      const cut = fetch(`http://127.0.0.1:${port}/`).catch(() => 'cut');
      await vi.waitFor(() => expect(said).toContain('called'));
      child.kill('SIGTERM');
      const readiness = () =>
        fetch(`http://127.0.0.1:${internalPort}/readyz`).then(({ status }) => status);
      await vi.waitFor(async () => expect(await readiness()).toBe(503));
      expect(said).not.toContain('gone');
      child.kill('SIGTERM');
      expect(await exited).toEqual([0, null]);
      expect(await cut).toBe('cut');
      expect(said.split('\n').filter(Boolean)).toEqual(['ready', 'called', 'gone', 'kept']);
    },
  );
});
