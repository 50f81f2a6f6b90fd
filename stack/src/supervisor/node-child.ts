import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { LogFile } from './log-file.ts';
import type { Running } from './supervise.ts';

export type NodeChildOptions = {
  /** Path of a JavaScript or TypeScript program, and its arguments. */
  script: string;
  args: string[];
  /** Flags of Node itself. */
  nodeFlags?: string[];
  env: NodeJS.ProcessEnv;
  /** Receives the program's output. */
  log: LogFile;
  /**
   * Whether a line of its standard output, or a message on its channel, reports that it is ready.
   */
  isReady: (line: string) => boolean;
  readyTimeoutMs: number;
  /** How long it may take to end after SIGTERM, before SIGKILL. */
  stopTimeoutMs: number;
  onSpawn: (pid: number) => void;
  /** Receives the program's messages on its channel. */
  onMessage?: (message: unknown) => void;
};

const guard = new URL('./child.ts', import.meta.url).href;

/** Runs a program with the same Node and resolves when it is ready. */
export async function startNodeChild(
  options: NodeChildOptions,
  stopping: AbortSignal,
): Promise<Running> {
  const flags = [
    '--disable-warning=ExperimentalWarning',
    ...(options.nodeFlags ?? []),
    '--import',
    guard,
  ];
  const child = spawn(process.execPath, [...flags, options.script, ...options.args], {
    // Arenas for every thread cost memory, and gain nothing with so few threads.
    env: { MALLOC_ARENA_MAX: '2', ...options.env },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    // A separate process group: Ctrl-C in a terminal reaches only the supervisor, which stops the
    // parts in order.
    detached: true,
  });
  child.stdout?.on('data', (chunk) => options.log.write(chunk));
  child.stderr?.on('data', (chunk) => options.log.write(chunk));
  const exited = new Promise<number | null>((done) => {
    child.once('error', (error) => {
      options.log.write(`${error.message}\n`);
      done(null);
    });
    child.once('close', (code) => done(code));
  });
  if (options.onMessage) child.on('message', options.onMessage);
  if (child.pid) options.onSpawn(child.pid);
  const running = { pid: child.pid ?? 0, exited, stop: () => stop(child, exited, options) };
  const fault = await waitUntilReady(child, exited, options, stopping);
  if (!fault) return running;
  await running.stop();
  throw new Error(fault);
}

/** Returns undefined when it is ready, otherwise what happened instead. */
function waitUntilReady(
  child: ChildProcess,
  exited: Promise<number | null>,
  { isReady, readyTimeoutMs, log }: NodeChildOptions,
  stopping: AbortSignal,
): Promise<string | undefined> {
  return new Promise((done) => {
    const lines = child.stdout && createInterface({ input: child.stdout });
    const timer = setTimeout(
      () => finish(`it was not ready after ${readyTimeoutMs / 1000} s`),
      readyTimeoutMs,
    );
    const onAbort = () => finish('it was stopped');
    const onMessage = (message: unknown) => onLine(String(message));
    function onLine(line: string): void {
      if (isReady(line)) finish(undefined);
    }
    function finish(fault: string | undefined): void {
      clearTimeout(timer);
      // The stream flows on into the log; only the reading by lines ends here.
      lines?.close();
      child.stdout?.resume();
      child.off('message', onMessage);
      stopping.removeEventListener('abort', onAbort);
      done(fault);
    }
    lines?.on('line', onLine);
    child.on('message', onMessage);
    stopping.addEventListener('abort', onAbort);
    if (stopping.aborted) onAbort();
    exited.then((code) => finish(`it ended with code ${code}${lastWords(log)}`));
  });
}

function lastWords(log: LogFile): string {
  const tail = log.tail();
  return tail && `:\n${tail.replace(/^/gm, '  ')}`;
}

async function stop(
  child: ChildProcess,
  exited: Promise<number | null>,
  { stopTimeoutMs }: NodeChildOptions,
): Promise<void> {
  child.kill('SIGTERM');
  const timer = setTimeout(() => child.kill('SIGKILL'), stopTimeoutMs);
  await exited;
  clearTimeout(timer);
}
