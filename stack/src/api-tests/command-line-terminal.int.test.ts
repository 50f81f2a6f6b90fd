import { execFile, spawn, spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { readEnvironment } from '@tallyhand/service-kit/env';
import { describeIf, itIf } from '@tallyhand/test-kit/needs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  CommandLine,
  CommandLineHere,
  newcomer,
  newcomerWithAgent,
  newcomerWithLoop,
  type RunOptions,
  signedInNewcomer,
} from '../testing/command-line.ts';
import { cutLine } from '../testing/cut-line.ts';
import {
  type PackedProject,
  packedProject,
  repository,
  systemNode,
} from '../testing/packed-project.ts';
import { createdEarlier } from '../testing/past-months.ts';
import { sharedProduct } from '../testing/product.ts';

type InstalledOptions = RunOptions & {
  /** Called with what stderr has said so far, and a function that sends Ctrl-C. */
  readonly onMessage?: (soFar: string, interrupt: () => void) => unknown;
  /** Called with the beginning of stdout. */
  readonly onAnswer?: (interrupt: () => void) => void;
};

/** The installed program, in a process of its own. */
class InstalledCli extends CommandLine {
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

/** util-linux has a program that runs another one on a pseudo-terminal. */
const hasPseudoTerminal = String(spawnSync('script', ['--version']).stdout).includes('util-linux');
const PSEUDO_TERMINAL = 'script of util-linux';

const COLUMNS = 100;
const CTRL_C = '\u0003';
/** Empties the line that is being typed. */
const CTRL_U = '\u0015';
const ENTER = '\r';
const TAB = '\t';

type OnTerminal = AsyncDisposable & {
  /** What was written to the screen so far, with its control characters. */
  readonly screen: string;
  /** What a person presses. */
  type(keys: string): void;
  /** The exit code. */
  readonly ended: Promise<number | null>;
};

/** Runs a command as a person does who sits at a terminal of 100 columns. */
function onTerminal(
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

let project: PackedProject;
beforeAll(async () => {
  project = await packedProject('cli');
});
afterAll(() => project[Symbol.asyncDispose]());

const installed = () => InstalledCli.in(project.folder);

const start = (cli: InstalledCli, command: string) =>
  onTerminal(command, { env: cli.environment, cwd: cli.home });

/** Goes back to the beginning of the line, and empties it. */
const CLEARED = '\r\u001b[K';

describe('tallyhand run', () => {
  const loop = ['run', 'Support', '--tool', 'Loop', 'Go'];
  const isBegun = /^Task (\S+)\n/m;

  it('leaves the task at Ctrl-C, and says how to follow and how to cancel it', async () => {
    const { cli, client } = await newcomerWithLoop(await installed());
    const left = await cli.run(loop, {
      onMessage: (soFar, interrupt) => /Task \S+\n$/.test(soFar) && interrupt(),
    });
    const [, id = ''] = isBegun.exec(left.stderr) ?? [];
    expect([left.code, left.stdout]).toEqual([130, '']);
    expect(left.stderr).toContain(`tallyhand tasks watch ${id}\n`);
    expect(left.stderr).toContain(`tallyhand tasks cancel ${id}\n`);
    expect((await client.tasks.retrieve(id)).status).not.toBe('cancelled');
    const watched = cli.run(['tasks', 'watch', id, '--json'], {
      onMessage: (soFar) => isBegun.test(soFar) && void client.tasks.cancel(id),
    });
    const { code, stdout } = await watched;
    const events = stdout.trim().split('\n');
    expect([code, events.map((line) => JSON.parse(line).event)]).toEqual([1, ['started', 'reply']]);
  });

  it('opens a lost connection again', async () => {
    const { url, key, cli, client } = await newcomerWithLoop(await installed());
    await using line = await cutLine(url);
    const env = { TALLYHAND_URL: line.url, TALLYHAND_API_KEY: key };
    let isCut = false;
    const { code, stderr } = await cli.run(loop, {
      env,
      onMessage: (soFar) => {
        const [, id] = isBegun.exec(soFar) ?? [];
        if (!id || isCut) return;
        isCut = true;
        line.cut();
        void client.tasks.cancel(id);
      },
    });
    expect([code, isCut, stderr]).toEqual([1, true, expect.stringContaining('cancelled')]);
  });
});

describe('tallyhand sessions', () => {
  it('starts one, watches it until it has ended, and ends it', async () => {
    const { cli, client } = await newcomerWithAgent(await installed());
    const here = new CommandLineHere(cli.home);
    const id = (await here.do('sessions', 'start', 'Support', 'Find the price')).trim();
    expect(await here.do('sessions', '--status', 'queued')).toContain(id);
    const left = await cli.run(['sessions', 'watch', id, '--json'], {
      onAnswer: (interrupt) => interrupt(),
    });
    expect([left.code, left.stderr]).toEqual([
      130,
      expect.stringContaining('The session continues.'),
    ]);
    expect(JSON.parse(left.stdout.split('\n')[0] ?? '')).toMatchObject({ session: { id } });
    const watched = cli.run(['sessions', 'watch', id]);
    await here.do('sessions', 'terminate', id);
    expect(await watched).toMatchObject({ code: 1, stdout: expect.stringContaining('terminated') });
    expect((await client.sessions.retrieve(id)).session.status).toBe('terminated');
  });
});

describeIf(hasPseudoTerminal, PSEUDO_TERMINAL)('tallyhand on a terminal', () => {
  it('reads the key of a login without showing it, and stores nothing when it is left', async () => {
    const { url, key, cli } = await newcomer(await installed());
    const asked = async () => {
      const login = start(cli, `tallyhand login ${url}`);
      await expect.poll(() => login.screen).toContain('API key (not shown): ');
      return login;
    };
    await using left = await asked();
    left.type(`${key}${CTRL_C}`);
    expect(await left.ended).toBe(130);
    expect(left.screen).not.toContain(key);
    await expect(stat(cli.loginFile)).rejects.toThrow('ENOENT');

    await using login = await asked();
    login.type(`${key}${ENTER}`);
    expect(await login.ended).toBe(0);
    expect(login.screen).toContain(`at ${url}.`);
    expect(login.screen).not.toContain(key);
    expect(login.screen).not.toContain(key.slice(0, 8));
  });

  it('shows how much of an import is done, within the width of the terminal', async () => {
    const { cli } = await signedInNewcomer(await installed());
    const folder = join(cli.home, 'handbook');
    await mkdir(folder);
    const names = ['returns', 'shipping', `a-${'long-'.repeat(30)}name`];
    for (const name of names)
      await writeFile(join(folder, `${name}.md`), `# About ${name}\n\nText.`);
    await using imported = start(cli, 'tallyhand knowledge import handbook');
    expect(await imported.ended).toBe(0);
    const bars = imported.screen.split(CLEARED).filter((part) => /^[█░]{24} /.test(part));
    expect(bars.map((bar) => bar.split(' ')[1])).toEqual(['0/3', '1/3', '2/3']);
    expect(bars.filter((bar) => [...bar].length >= 100)).toEqual([]);
    // The bar is gone before the summary.
    expect(imported.screen.split(CLEARED).at(-1)).toMatch(/^3 created, 0 updated/);
  });

  it('leaves a task at Ctrl-C, and says how to follow it again', async () => {
    const { cli, client } = await newcomerWithLoop(await installed());
    await using run = start(cli, 'tallyhand run Support --tool Loop Go');
    const begun = /Task ([\da-f-]{36})/;
    await expect.poll(() => run.screen).toMatch(begun);
    run.type(CTRL_C);
    expect(await run.ended).toBe(130);
    const [, taskId = ''] = begun.exec(run.screen) ?? [];
    expect(run.screen).toContain(`tallyhand tasks watch ${taskId}`);
    await client.tasks.cancel(taskId);
  });
});

const has = (shell: string) => spawnSync(shell, ['--version']).status === 0;
const hasTerminal = (shell: string) => hasPseudoTerminal && has(shell);

/** Types the beginning of a line into a shell that asks nothing of its user's settings. */
async function completedBy(
  shell: string,
  source: string,
  lines: readonly (readonly [typed: string, expected: string])[],
) {
  await using session = start(await installed(), shell);
  session.type(`${source}; echo re''ady${ENTER}`);
  await expect.poll(() => session.screen).toContain('ready');
  for (const [typed, expected] of lines) {
    session.type(`${typed}${TAB}`);
    await expect.poll(() => session.screen).toContain(expected);
    session.type(CTRL_U);
  }
}

describe('tallyhand completion', () => {
  itIf(hasTerminal('bash'), 'bash and script')('completes in bash', async () => {
    const source = 'source <(tallyhand completion bash)';
    await completedBy('bash --norc --noprofile -i', source, [
      ['tallyhand ag', 'tallyhand agents'],
      ['tallyhand tasks w', 'tasks watch'],
      ['tallyhand tasks list --stat', 'list --status'],
    ]);
  });

  itIf(hasTerminal('zsh'), 'zsh and script')('completes in zsh', async () => {
    const source =
      'autoload -U compinit; compinit -u -D; source <(tallyhand completion zsh); unsetopt zle_bracketed_paste';
    await completedBy('zsh -f -i', source, [
      ['tallyhand ag', 'ents'],
      ['tallyhand tasks list --status ca', 'ncelled'],
    ]);
  });

  itIf(has('fish'), 'fish')('completes in fish', async () => {
    const cli = await installed();
    await writeFile(join(cli.home, 'agent.yaml'), '');
    const completed = async (line: string) => {
      const script = `tallyhand completion fish | source; complete --do-complete '${line}'`;
      const options = { env: cli.environment, cwd: cli.home };
      const { stdout } = await promisify(execFile)('fish', ['--no-config', '-c', script], options);
      return stdout.trim().split('\n');
    };
    expect(await completed('tallyhand ag')).toEqual(['agents']);
    expect(await completed('tallyhand tasks list --status ca')).toEqual(['cancelled']);
    expect(await completed('tallyhand agents create ag')).toEqual(['agent.yaml']);
  });
});

describe('docs/command-line.md', () => {
  it('has examples that work, one after the other', async () => {
    const { cli, url, key, user } = await newcomer(await installed());
    // Of which the examples ask for a statement.
    await createdEarlier((await sharedProduct()).config, user.organization.id, '2026-10');
    const text = await readFile(join(repository, 'docs', 'command-line.md'), 'utf8');
    const examples = [...text.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(([, lines]) => lines);
    const env = { ...cli.environment, ADDRESS: url };
    await writeFile(join(cli.home, 'key.txt'), key);
    const script = `set -euo pipefail\n${examples.join('\n')}`;
    const { stdout } = await promisify(execFile)('bash', ['-c', script], { env, cwd: cli.home });
    expect(examples.length).toBeGreaterThan(5);
    expect(stdout).toContain('30 days');
    expect(stdout).toContain('Nothing to change.');
    expect(stdout).not.toContain(key);
  });
});
