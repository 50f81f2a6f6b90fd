import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { request } from 'node:http';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { freePort } from './free-port.ts';

const program = join(import.meta.dirname, 'fixtures', 'hanging-service.fixture.ts');
/** By far longer than the test: only a second signal ends it before. */
const DRAIN_SECONDS = '600';

let child: ChildProcess;
afterEach(() => child.kill('SIGKILL'));

/** Starts the fixture; `said`: what it has written. */
async function start(drainSeconds: string) {
  const [port, internalPort] = [await freePort(), await freePort()];
  child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', program], {
    env: { PORT: `${port}`, INTERNAL_PORT: `${internalPort}`, DRAIN_SECONDS: drainSeconds },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  child.stdout?.on('data', (chunk) => {
    output += chunk;
  });
  const said = () => output;
  await vi.waitFor(() => expect(said()).toContain('ready'));
  return { port, internalPort, said };
}

describe('the internal port of a service', () => {
  it('serves metrics to an address or a one-word Host, and health to any', async () => {
    const { internalPort } = await start('0');
    const statusOf = async (path: string, host: string) => {
      const asked = request({ host: '127.0.0.1', port: internalPort, path, headers: { host } });
      const [answer] = await once(asked.end(), 'response');
      answer.resume();
      return answer.statusCode;
    };
    for (const [host, status] of [
      ['127.0.0.1', 200],
      ['query-service-1:9090', 200],
      ['rebound.example', 404],
    ] as const) {
      expect([host, await statusOf('/metrics', host)]).toEqual([host, status]);
      expect([host, await statusOf('/healthz', host)]).toEqual([host, 200]);
    }
  });
});

describe('a service whose output is closed', () => {
  it('continues without its log', async () => {
    const { port, internalPort } = await start('0');
    child.stdout?.destroy();
    child.stderr?.destroy();
    // Each call is written about.
    const calls = Array.from({ length: 3 }, () =>
      request({ host: '127.0.0.1', port, path: '/' })
        .on('error', () => {})
        .end(),
    );
    await Promise.all(calls.map((call) => once(call, 'finish')));
    for (let n = 0; n < 10; n += 1) {
      const response = await fetch(`http://127.0.0.1:${internalPort}/healthz`);
      expect(await response.text()).toBe('ok\n');
    }
    for (const call of calls) call.destroy();
  });
});

describe('a service that is asked to stop', () => {
  it.each(['0', DRAIN_SECONDS])(
    'cuts off running calls at the second signal and stops in order (it drains for %s s)',
    async (drainSeconds) => {
      const { port, internalPort, said } = await start(drainSeconds);
      const exited = once(child, 'exit');
      const cut = fetch(`http://127.0.0.1:${port}/`).catch(() => 'cut');
      await vi.waitFor(() => expect(said()).toContain('called'));
      child.kill('SIGTERM');
      const readiness = () =>
        fetch(`http://127.0.0.1:${internalPort}/readyz`).then(({ status }) => status);
      await vi.waitFor(async () => expect(await readiness()).toBe(503));
      expect(said()).not.toContain('gone');
      child.kill('SIGTERM');
      expect(await exited).toEqual([0, null]);
      expect(await cut).toBe('cut');
      expect(said().split('\n').filter(Boolean)).toEqual(['ready', 'called', 'gone', 'kept']);
    },
  );
});
