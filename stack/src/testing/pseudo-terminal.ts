import { spawn, spawnSync } from 'node:child_process';

/** util-linux has a program that runs another one on a pseudo-terminal. */
export const hasPseudoTerminal = String(spawnSync('script', ['--version']).stdout).includes(
  'util-linux',
);
export const PSEUDO_TERMINAL = 'script of util-linux';

const COLUMNS = 100;
export const CTRL_C = '\u0003';
/** Empties the line that is being typed. */
export const CTRL_U = '\u0015';
export const ENTER = '\r';
export const TAB = '\t';

export type OnTerminal = AsyncDisposable & {
  /** What was written to the screen so far, with its control characters. */
  readonly screen: string;
  /** What a person presses. */
  type(keys: string): void;
  /** The exit code. */
  readonly ended: Promise<number | null>;
};

/** Runs a command as a person does who sits at a terminal of 100 columns. */
export function onTerminal(
  command: string,
  { env, cwd }: { readonly env: Readonly<Record<string, string>>; readonly cwd: string },
): OnTerminal {
  const line = `stty cols ${COLUMNS} rows 30; exec ${command}`;
  const child = spawn(
    'script',
    ['--quiet', '--return', '--flush', '--command', line, '/dev/null'],
    {
      cwd,
      env: { ...env, TERM: 'xterm', SHELL: '/bin/sh' },
    },
  );
  let screen = '';
  child.stdout.on('data', (chunk: Buffer) => {
    screen += chunk;
  });
  // It ends before its input does.
  child.stdin.on('error', () => {});
  const ended = new Promise<number | null>((resolve) => child.on('close', resolve));
  return {
    get screen() {
      return screen;
    },
    type: (keys) => void child.stdin.write(keys),
    ended,
    async [Symbol.asyncDispose]() {
      child.kill();
      await ended;
    },
  };
}
