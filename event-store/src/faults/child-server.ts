import { once } from 'node:events';
import { Child } from '@tallyhand/test-kit/child';
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
export class ChildServer extends Child {
  private constructor(args: string[], env: Environment = {}, command?: string) {
    super(args, { env: { ...passwordSettings(users), ...env } }, command);
  }

  /** Resolves with the connection string once it listens. */
  static async start(
    dataDir: string,
    port = 0,
    env?: Environment,
  ): Promise<ChildServer & { url: string }> {
    const child = new ChildServer([MAIN, '--port', `${port}`, '--data', dataDir], env);
    return Object.assign(child, { url: await child.#url(dataDir) });
  }

  /** As start, without users. */
  static async startInsecure(
    dataDir: string,
    env?: Environment,
    port = 0,
  ): Promise<ChildServer & { url: string }> {
    const args = [MAIN, '--port', `${port}`, '--data', dataDir, '--insecure'];
    const child = new ChildServer(args, env);
    return Object.assign(child, { url: await child.#url(dataDir, null) });
  }

  /** Like start, with a limit on the size of every file it writes: SQLite sees a full disk. */
  static async startWithFileLimit(
    dataDir: string,
    blocks: number,
  ): Promise<ChildServer & { url: string }> {
    const script = `ulimit -S -f ${blocks}; exec "$0" "$@"`;
    const args = ['-c', script, process.execPath, MAIN, '--port', '0', '--data', dataDir];
    const child = new ChildServer(args, {}, '/bin/bash');
    return Object.assign(child, { url: await child.#url(dataDir) });
  }

  /** Runs one that is expected to exit. */
  static async run(program: 'main' | 'verify', args: string[], env?: Environment): Promise<Exit> {
    return await new ChildServer([program === 'main' ? MAIN : VERIFY, ...args], env).exit();
  }

  /** Makes all further writes fail. */
  closeOutput(): void {
    this.process.stdout?.destroy();
    this.process.stderr?.destroy();
  }

  kill(signal: NodeJS.Signals): Promise<Exit> {
    this.process.kill(signal);
    return this.exit();
  }

  async exit(): Promise<Exit> {
    if (this.isRunning) await once(this.process, 'close');
    return { code: this.process.exitCode, output: this.output };
  }

  async #url(dataDir: string, access: typeof users | null = users): Promise<string> {
    const [, port] = await this.says(/listening on 127\.0\.0\.1:(\d+)\n/);
    return storeUrl({ port: Number(port), dataDir, users: access }, 'writer');
  }
}
