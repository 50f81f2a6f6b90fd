import { once } from 'node:events';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromiumsOf, livingOf } from '@tallyhand/browser-runner/browser/fixtures/processes';
import { freePort } from '@tallyhand/service-kit/free-port';
import { Child } from '@tallyhand/test-kit/child';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { isRunning } from '../postgres/process-table.ts';

const program = join(import.meta.dirname, 'fixtures', 'supervisor.fixture.ts');
const settings = {
  DATABASE_URL: 'postgres://user@127.0.0.1:1/nothing',
  STRIPE_SECRET_KEY: 'sk_test_secret',
  STRIPE_WEBHOOK_SECRET: 'whsec_secret',
  ALLOW_PRIVATE_HOSTS: '10.0.0.0/8',
  BROWSER_SESSIONS: '2',
  OPENAI_MODEL: 'small',
};

type Application = { pid: number; INTERNAL_PORT: string; BROWSER_RUNNER_URL: string };
type Runner = { pid: number; env: Record<string, string> };

vi.setConfig({ testTimeout: 60_000, hookTimeout: 30_000 });

let folder: string;
let port: number;
let supervisor: Child;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tallyhand-supervisor-'));
  chmodSync(folder, 0o755);
  port = await freePort();
  supervisor = new Child(['--disable-warning=ExperimentalWarning', program], {
    cwd: folder,
    env: { PATH: '/usr/bin:/bin', HOME: folder, PORT: String(port), ...settings },
  });
  await supervisor.says(/Tallyhand is ready/);
});

afterEach(async () => {
  await supervisor.end('SIGTERM');
  rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
});

const ask = async <T>(url: string): Promise<T> => (await (await fetch(url)).json()) as T;
const application = (path = '/') => ask<Application>(`http://127.0.0.1:${port}${path}`);

/** The runner, as soon as it answers; another one than `before`. */
async function runner(before?: Runner): Promise<Runner> {
  const { BROWSER_RUNNER_URL } = await application();
  const answer = () => ask<Runner>(BROWSER_RUNNER_URL).catch(() => null);
  return vi.waitUntil(async () => {
    const found = await answer();
    return found && found.pid !== before?.pid ? found : null;
  });
}

const namesOfProcesses = () =>
  JSON.parse(readFileSync(join(folder, 'data', 'processes.json'), 'utf8')).map(
    ({ name }: { name: string }) => name,
  );

describe('the browser runner', () => {
  it('starts when the application needs a browser, with its own settings and no others', async () => {
    expect(namesOfProcesses()).not.toContain('browser runner');
    const { INTERNAL_PORT } = await application('/want');
    await application('/want');
    const { env } = await runner();
    expect(namesOfProcesses()).toContain('browser runner');
    const file = join(folder, 'data', 'secrets.json');
    const secrets = JSON.parse(readFileSync(file, 'utf8'));
    expect(env).toMatchObject({
      HOST: '127.0.0.1',
      PUBLIC_URL: `http://127.0.0.1:${port}`,
      ALLOW_PRIVATE_HOSTS: '10.0.0.0/8',
      BROWSER_SESSIONS: '2',
      OPENAI_MODEL: 'small',
      COMMAND_SERVICE_URL: `http://127.0.0.1:${INTERNAL_PORT}`,
      OWN_ORIGINS: `http://127.0.0.1:${port}`,
      INTERNAL_TOKEN: secrets.internalToken,
    });
    const shown = JSON.stringify(env);
    for (const name of ['masterKey', 'signingKey', 'postgresPassword']) {
      expect(shown).not.toContain(secrets[name]);
    }
    expect(shown).not.toMatch(/STRIPE|DATABASE|EVENTSTORE|postgres:|esdb:/);
  });

  it('starts again when it was killed, and leaves no browser behind', async () => {
    await application('/want');
    const first = await runner();
    const browsers = chromiumsOf(first.pid).map((each) => each.pid);
    expect(browsers.length).toBeGreaterThan(0);
    process.kill(first.pid, 'SIGKILL');
    const second = await runner(first);
    await vi.waitUntil(() => livingOf(browsers).length === 0);
    expect(supervisor.output).toContain('The browser runner stopped (it was killed)');
    expect(isRunning(second.pid)).toBe(true);
  });

  it('ends with the product, and so does its browser', async () => {
    await application('/want');
    const { pid } = await runner();
    const browsers = chromiumsOf(pid).map((each) => each.pid);
    const ended = once(supervisor.process, 'exit');
    supervisor.process.kill('SIGTERM');
    expect(await ended).toEqual([0, null]);
    expect(isRunning(pid)).toBe(false);
    await vi.waitUntil(() => livingOf(browsers).length === 0);
    expect(existsSync(join(folder, 'data', 'logs', 'browser-runner.log'))).toBe(true);
  });
});
