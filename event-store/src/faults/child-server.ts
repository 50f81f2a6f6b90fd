import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { passwordSettings, storeUrl } from '../env.ts';
import { testUsers } from '../testing/test-store.ts';

const MAIN = new URL('../main.ts', import.meta.url).pathname;
const VERIFY = new URL('../verify.main.ts', import.meta.url).pathname;

/** The same for all, so that a server that is started again has the users of before. */
export const users = testUsers();

/** Settings of one process alone. */
type Environment = Readonly<Record<string, string>>;
type Exit = { code: number | null; output: string };

/** The event store as a separate process, to be killed. */
export class ChildServer implements AsyncDisposable {
  readonly process: ChildProcess;
  #output = '';

  private constructor(command: string, args: string[], env: Environment = {}) {
    this.process = spawn(command, args, {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...passwordSettings(users), ...env },
    });
    for (const stream of [this.process.stdout, this.process.stderr]) {
      stream?.on('data', (chunk) => {
        this.#output += chunk;
      });
    }
  }

  /**
   * Resolves with the connection string once it listens; rejects with its output when it ends
   * instead.
   */
  static async start(
    dataDir: string,
    port = 0,
    env?: Environment,
  ): Promise<ChildServer & { url: string }> {
    const args = [MAIN, '--port', `${port}`, '--data', dataDir];
    const child = new ChildServer(process.execPath, args, env);
    const url = await child.#listening(dataDir);
    return Object.assign(child, { url });
  }

  /** As start, without users. */
  static async startInsecure(
    dataDir: string,
    env?: Environment,
    port = 0,
  ): Promise<ChildServer & { url: string }> {
    const args = [MAIN, '--port', `${port}`, '--data', dataDir, '--insecure'];
    const child = new ChildServer(process.execPath, args, env);
    const { port: bound } = new URL(await child.#listening(dataDir));
    return Object.assign(child, {
      url: storeUrl({ port: Number(bound), dataDir, users: null }, 'writer'),
    });
  }

  /** Like start, with a limit on the size of every file it writes: SQLite sees a full disk. */
  static async startWithFileLimit(
    dataDir: string,
    blocks: number,
  ): Promise<ChildServer & { url: string }> {
    const script = `ulimit -S -f ${blocks}; exec "$0" "$@"`;
    const args = ['-c', script, process.execPath, MAIN, '--port', '0', '--data', dataDir];
    const child = new ChildServer('/bin/bash', args);
    const url = await child.#listening(dataDir);
    return Object.assign(child, { url });
  }

  /** Runs one that is expected to exit. */
  static async run(program: 'main' | 'verify', args: string[], env?: Environment): Promise<Exit> {
    const path = program === 'main' ? MAIN : VERIFY;
    return await new ChildServer(process.execPath, [path, ...args], env).exit();
  }

  /** Makes all further writes fail. */
  closeOutput(): void {
    this.process.stdout?.destroy();
    this.process.stderr?.destroy();
  }

  get output(): string {
    return this.#output;
  }

  kill(signal: NodeJS.Signals): Promise<Exit> {
    this.process.kill(signal);
    return this.exit();
  }

  async exit(): Promise<Exit> {
    if (this.process.exitCode === null && this.process.signalCode === null) {
      await once(this.process, 'close');
    }
    return { code: this.process.exitCode, output: this.#output };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.kill('SIGKILL');
  }

  async #listening(dataDir: string): Promise<string> {
    if (this.process.stdout === null) throw new Error('the process has no output');
    for await (const line of createInterface({ input: this.process.stdout })) {
      const [, port] = /listening on 127\.0\.0\.1:(\d+)$/.exec(line) ?? [];
      if (port !== undefined) return storeUrl({ port: Number(port), dataDir, users }, 'writer');
    }
    const { code, output } = await this.exit();
    throw new Error(`the event store ended with code ${code}: ${output}`);
  }
}
