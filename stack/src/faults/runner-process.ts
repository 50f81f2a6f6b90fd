import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { chromiumsOf } from '@tallyhand/browser-runner/browser/fixtures/processes';
import { readEnvironment } from '@tallyhand/service-kit/env';
import { keptPort } from '../postgres/kept-port.ts';

const START_MS_MAX = 30_000;
const STOP_MS_MAX = 10_000;
const PAGE_BYTES = 4_096;
const main = fileURLToPath(new URL('../../../browser-runner/src/main.ts', import.meta.url));

export type RunnerProcess = AsyncDisposable & {
  readonly address: string;
  /** Resolves when it is ready. */
  start(env: Readonly<Record<string, string>>): Promise<void>;
  pid(): number;
  /** The processes of its browser, the main one first. */
  browsers(): number[];
  /** Memory of the process and its browser. */
  bytes(): number;
  /** SIGKILL; resolves when it is gone. */
  kill(): Promise<void>;
  /** SIGTERM; resolves when it is gone. */
  stop(): Promise<void>;
  /** Files of the process and its browsers in the temporary folder. */
  leftovers(): string[];
};

/** The browser runner as a separate process, always at the same address. */
export async function runnerProcess(): Promise<RunnerProcess> {
  // The sockets of a browser have short names only.
  const folder = mkdtempSync(join(tmpdir(), 'th-'));
  const port = await keptPort(join(folder, 'port'));
  rmSync(join(folder, 'port'));
  let child: ChildProcess | null = null;

  async function end(by: NodeJS.Signals) {
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const gone = once(child, 'exit', { signal: AbortSignal.timeout(STOP_MS_MAX) });
    child.kill(by);
    await gone;
  }
  const pid = () => child?.pid ?? 0;
  const browsers = () => {
    const all = chromiumsOf(pid());
    return all.toSorted((a, b) => depth(a, pid()) - depth(b, pid())).map(({ pid }) => pid);
  };

  return {
    address: `http://127.0.0.1:${port}`,
    async start(env) {
      const { PATH = '', HOME = '' } = readEnvironment();
      const started = spawn(process.execPath, [main], {
        env: { PATH, HOME, TMPDIR: folder, PORT: String(port), LOG_LEVEL: 'fatal', ...env },
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      child = started;
      await once(createInterface({ input: started.stdout }), 'line', {
        signal: AbortSignal.timeout(START_MS_MAX),
      });
    },
    pid,
    browsers,
    bytes: () => [pid(), ...browsers()].reduce((sum, pid) => sum + bytesOf(pid), 0),
    kill: () => end('SIGKILL'),
    stop: () => end('SIGTERM'),
    leftovers: () => readdirSync(folder),
    async [Symbol.asyncDispose]() {
      await end('SIGKILL');
      rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
    },
  };
}

const depth = ({ parent }: { parent: number }, root: number) => (parent === root ? 0 : 1);

/** Resident memory, without what is shared with others; zero for a process that has ended. */
function bytesOf(pid: number): number {
  try {
    const [, resident = 0, shared = 0] = readFileSync(`/proc/${pid}/statm`, 'utf8')
      .split(' ')
      .map(Number);
    return (resident - shared) * PAGE_BYTES;
  } catch {
    return 0;
  }
}
