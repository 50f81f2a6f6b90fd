import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readEnvironment } from '@tallyhand/service-kit/env';

const START_MS_MAX = 180_000;
/** A little longer than services wait for running calls. */
const STOP_MS_MAX = 150_000;

/** With the folder of compiled modules: without it, half of the time of a start goes into compiling. */
export function childEnvironment(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const { NODE_COMPILE_CACHE } = readEnvironment();
  return { NODE_COMPILE_CACHE, ...env };
}

/** A program in a separate process, whose output is kept. */
export class Child implements AsyncDisposable {
  readonly process: ChildProcess;
  #output = '';
  #isStopping = false;

  constructor(args: readonly string[], options: SpawnOptions = {}, command = process.execPath) {
    this.process = spawn(command, args, {
      stdio: ['ignore', 'pipe', 'pipe'],
      ...options,
      env: options.env && childEnvironment(options.env),
    });
    for (const stream of [this.process.stdout, this.process.stderr]) {
      stream?.on('data', (chunk) => {
        this.#output += chunk;
      });
    }
  }

  get output(): string {
    return this.#output;
  }

  get isRunning(): boolean {
    return this.process.exitCode === null && this.process.signalCode === null;
  }

  /** Call it at once. Resolves with the match; rejects with the output when the process ends first. */
  async says(pattern: RegExp): Promise<RegExpExecArray> {
    const { promise, resolve, reject } = Promise.withResolvers<RegExpExecArray>();
    let said = '';
    const read = (chunk: Buffer) => {
      said += chunk;
      const match = pattern.exec(said);
      if (match) resolve(match);
    };
    const fail = () => {
      const { spawnargs, exitCode, signalCode } = this.process;
      const state = this.isRunning ? 'is not ready' : `ended with ${exitCode ?? signalCode}`;
      reject(new Error(`${spawnargs.join(' ')} ${state}: ${this.#output}`));
    };
    const timer = setTimeout(fail, START_MS_MAX);
    this.process.stdout?.on('data', read);
    this.process.once('close', fail);
    try {
      return await promise;
    } finally {
      clearTimeout(timer);
      this.process.stdout?.off('data', read);
      this.process.off('close', fail);
    }
  }

  /** Resolves with the exit code when the process is gone. */
  async end(by: 'SIGTERM' | 'SIGKILL'): Promise<number | null> {
    if (!this.isRunning) return this.process.exitCode;
    const gone = once(this.process, 'exit', { signal: AbortSignal.timeout(STOP_MS_MAX) });
    // A second SIGTERM would end it without finishing its work.
    if (by === 'SIGKILL' || !this.#isStopping) this.process.kill(by);
    this.#isStopping = true;
    const [code] = await gone;
    return code;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.end('SIGKILL');
  }
}
