import { readFile } from 'node:fs/promises';
import { Tallyhand } from '@tallyhand/client';
import type { Environment } from './env.ts';
import { EXIT, Interrupted } from './failures.ts';
import { type FoundLogin, findLogin } from './login.ts';
import { readStdin } from './prompt.ts';
import type { Terminal } from './terminal.ts';

/** What every command works with. */
export class Cli {
  readonly terminal: Terminal;
  readonly environment: Environment;
  #client: Promise<Tallyhand> | undefined;

  constructor(terminal: Terminal, environment: Environment) {
    this.terminal = terminal;
    this.environment = environment;
  }

  login(): Promise<FoundLogin> {
    return findLogin(this.environment);
  }

  client(): Promise<Tallyhand> {
    this.#client ??= this.login().then(
      ({ url, apiKey }) => new Tallyhand({ baseUrl: url, apiKey, retries: 3 }),
    );
    return this.#client;
  }

  /** A file, or the standard input for `-`. */
  read(path: string): Promise<string> {
    return path === '-' ? readStdin(this.terminal) : readFile(path, 'utf8');
  }

  /**
   * Does the work until Ctrl-C, which aborts the signal. A second Ctrl-C ends the program at once.
   */
  async untilInterrupted<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const end = new AbortController();
    const interrupt = () => {
      if (end.signal.aborted) process.exit(EXIT.interrupted);
      end.abort(new Interrupted());
    };
    process.on('SIGINT', interrupt);
    process.on('SIGTERM', interrupt);
    try {
      return await work(end.signal);
    } finally {
      process.off('SIGINT', interrupt);
      process.off('SIGTERM', interrupt);
    }
  }
}
