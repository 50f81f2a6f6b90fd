import { spawn } from 'node:child_process';
import { mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { readEnvironment } from '@tallyhand/service-kit/env';
import { CommandLine, type RunOptions } from './command-line.ts';
import { systemNode } from './packed-project.ts';

type InstalledOptions = RunOptions & {
  /** Called with what stderr has said so far, and a function that sends Ctrl-C. */
  readonly onMessage?: (soFar: string, interrupt: () => void) => unknown;
  /** Called with the beginning of stdout. */
  readonly onAnswer?: (interrupt: () => void) => void;
};

/** The installed program, in a process of its own. */
export class InstalledCli extends CommandLine {
  readonly #folder: string;

  private constructor(folder: string, home: string) {
    super(home);
    this.#folder = folder;
  }

  static async in(folder: string): Promise<InstalledCli> {
    return new InstalledCli(folder, await mkdtemp(join(folder, 'home-')));
  }

  override get environment(): Record<string, string> {
    const path = `${join(systemNode(), '..')}:${join(this.#folder, 'node_modules', '.bin')}`;
    return { ...super.environment, PATH: `${path}:${readEnvironment().PATH ?? ''}` };
  }

  async run(
    args: readonly string[],
    { stdin = '', env = {}, onMessage, onAnswer }: InstalledOptions = {},
  ) {
    const child = spawn(join(this.#folder, 'node_modules', '.bin', 'tallyhand'), args, {
      cwd: this.home,
      env: { ...this.environment, ...env },
    });
    let said = '';
    const interrupt = () => void child.kill('SIGINT');
    child.stderr.on('data', (chunk: Buffer) => {
      said += chunk;
      onMessage?.(said, interrupt);
    });
    child.stdout.once('data', () => onAnswer?.(interrupt));
    // A program that refuses to run reads nothing.
    child.stdin.on('error', () => {});
    child.stdin.end(stdin);
    const ended = new Promise<number | NodeJS.Signals | null>((resolve) => {
      child.on('close', (code, signal) => resolve(code ?? signal));
    });
    const stdout = await text(child.stdout);
    return { code: await ended, stdout, stderr: said };
  }
}
