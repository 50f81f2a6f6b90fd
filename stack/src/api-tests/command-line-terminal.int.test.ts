import { execFile, spawnSync } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describeIf, itIf } from '@tallyhand/test-kit/needs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type InstalledCli,
  newcomer,
  newcomerWithAgent,
  signedInNewcomer,
} from '../testing/installed-cli.ts';
import { type PackedProject, packedProject } from '../testing/packed-project.ts';
import {
  CTRL_C,
  ENTER,
  hasPseudoTerminal,
  onTerminal,
  PSEUDO_TERMINAL,
  TAB,
} from '../testing/pseudo-terminal.ts';

let project: PackedProject;
beforeAll(async () => {
  project = await packedProject('cli');
});
afterAll(() => project[Symbol.asyncDispose]());

const start = (cli: InstalledCli, command: string) =>
  onTerminal(command, { env: cli.environment, cwd: cli.home });

/** Goes back to the beginning of the line, and empties it. */
const CLEARED = '\r\u001b[K';

describeIf(hasPseudoTerminal, PSEUDO_TERMINAL)('tallyhand on a terminal', () => {
  it('reads the key of a login without showing it', async () => {
    const { url, key, cli } = await newcomer(project.folder);
    await using login = start(cli, `tallyhand login ${url}`);
    await expect.poll(() => login.screen).toContain('API key (not shown): ');
    login.type(`${key}${ENTER}`);
    expect(await login.ended).toBe(0);
    expect(login.screen).toContain(`at ${url}.`);
    expect(login.screen).not.toContain(key);
    expect(login.screen).not.toContain(key.slice(0, 8));
  });

  it('stores nothing when the login is left with Ctrl-C', async () => {
    const { url, key, cli } = await newcomer(project.folder);
    await using login = start(cli, `tallyhand login ${url}`);
    await expect.poll(() => login.screen).toContain('API key (not shown): ');
    login.type(`${key}${CTRL_C}`);
    expect(await login.ended).toBe(130);
    expect(login.screen).not.toContain(key);
    expect((await cli.run(['whoami'])).code).toBe(3);
  });

  it('shows how much of an import is done, within the width of the terminal', async () => {
    const { cli } = await signedInNewcomer(project.folder);
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
    const { cli, client, agent } = await newcomerWithAgent(project.folder);
    const config = { baseUrl: '', authType: 'none', extras: { script: 'for (;;) {}' } } as const;
    const { id } = await client.tools.create({
      name: 'Loop',
      description: 'Never comes to an end',
      type: 'custom',
      config,
    });
    await client.agents.update(agent.id, { tools: [id] });
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
async function completedBy(shell: string, source: string, typed: string, expected: string) {
  const { cli } = await newcomer(project.folder);
  await using session = start(cli, shell);
  session.type(`${source}; echo re''ady${ENTER}`);
  await expect.poll(() => session.screen).toContain('ready');
  session.type(`${typed}${TAB}`);
  await expect.poll(() => session.screen).toContain(expected);
  session.type(CTRL_C);
}

describe('tallyhand completion', () => {
  itIf(hasTerminal('bash'), 'bash and script')('completes in bash', async () => {
    const source = 'source <(tallyhand completion bash)';
    await completedBy('bash --norc --noprofile -i', source, 'tallyhand ag', 'tallyhand agents');
    await completedBy('bash --norc --noprofile -i', source, 'tallyhand tasks w', 'tasks watch');
    const status = 'tallyhand tasks list --stat';
    await completedBy('bash --norc --noprofile -i', source, status, 'list --status');
  });

  itIf(hasTerminal('zsh'), 'zsh and script')('completes in zsh', async () => {
    const source =
      'autoload -U compinit; compinit -u -D; source <(tallyhand completion zsh); unsetopt zle_bracketed_paste';
    await completedBy('zsh -f -i', source, 'tallyhand ag', 'ents');
    await completedBy('zsh -f -i', source, 'tallyhand tasks list --status ca', 'ncelled');
  });

  itIf(has('fish'), 'fish')('completes in fish', async () => {
    const { cli } = await newcomer(project.folder);
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
