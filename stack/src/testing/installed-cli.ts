import { spawn } from 'node:child_process';
import { mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { Tallyhand } from '@tallyhand/client';
import type { Role } from '@tallyhand/contracts/kernel/role';
import { readEnvironment } from '@tallyhand/service-kit/env';
import { registerOrganization } from '@tallyhand/test-kit/api-client';
import { newKey } from './members.ts';
import { systemNode } from './packed-project.ts';
import { sharedProduct } from './product.ts';

type Ended = {
  /** The exit code, or the signal that ended the program. */
  readonly code: number | NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
};

type CliOptions = {
  readonly stdin?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Called with what stderr has said so far, and a function that sends Ctrl-C. */
  readonly onMessage?: (soFar: string, interrupt: () => void) => unknown;
  /** Called with the beginning of stdout. */
  readonly onAnswer?: (interrupt: () => void) => void;
};

/** The installed program with a home folder of its own. */
export class InstalledCli {
  readonly home: string;
  readonly folder: string;

  private constructor(folder: string, home: string) {
    this.folder = folder;
    this.home = home;
  }

  /** As a person on a machine of their own. */
  static async in(folder: string): Promise<InstalledCli> {
    return new InstalledCli(folder, await mkdtemp(join(folder, 'home-')));
  }

  get environment(): Record<string, string> {
    const path = `${join(systemNode(), '..')}:${join(this.folder, 'node_modules', '.bin')}`;
    return {
      PATH: `${path}:${readEnvironment().PATH ?? ''}`,
      HOME: this.home,
      XDG_CONFIG_HOME: join(this.home, '.config'),
    };
  }

  get loginFile(): string {
    return join(this.home, '.config', 'tallyhand', 'login.json');
  }

  async run(
    args: readonly string[],
    { stdin = '', env = {}, onMessage, onAnswer }: CliOptions = {},
  ) {
    const child = spawn(join(this.folder, 'node_modules', '.bin', 'tallyhand'), args, {
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
    const ended = new Promise<Ended['code']>((resolve) => {
      child.on('close', (code, signal) => resolve(code ?? signal));
    });
    const stdout = await text(child.stdout);
    return { code: await ended, stdout, stderr: said } satisfies Ended;
  }

  /** Runs a command that must succeed. */
  async do(...args: readonly string[]): Promise<string> {
    const { code, stdout, stderr } = await this.run(args);
    if (code !== 0) throw new Error(`tallyhand ${args.join(' ')} ended with ${code}: ${stderr}`);
    return stdout;
  }

  /** What a command says with `--json`. */
  async json<T>(...args: readonly string[]): Promise<T> {
    return JSON.parse(await this.do(...args, '--json')) as T;
  }
}

export const QUESTION = 'How long can items be returned?';

/** A member of a new organization, with the program on their machine and a key, but not signed in. */
export async function newcomer(folder: string, role: Role = 'Admin') {
  const { url } = await sharedProduct();
  const { client: admin, user } = await registerOrganization(url);
  const { key } = await newKey(admin, role);
  const cli = await InstalledCli.in(folder);
  return { url, key, cli, admin, user, client: new Tallyhand({ baseUrl: url, apiKey: key }) };
}

/** The same, signed in. */
export async function signedInNewcomer(folder: string) {
  const person = await newcomer(folder);
  await person.cli.run(['login', person.url], { stdin: person.key });
  return person;
}

/** The same, with an agent that knows about returns. */
export async function newcomerWithAgent(folder: string) {
  const person = await signedInNewcomer(folder);
  const { client } = person;
  const agent = await client.agents.create({
    name: 'Support',
    description: 'Answers the questions of customers',
    personaConfig: {
      role: 'Support agent',
      personality: 'Patient and kind',
      expertise: ['Returns'],
    },
  });
  const article = await client.articles.create({
    title: 'Returns',
    content: 'Items can be returned within 30 days of delivery.',
    category: 'General',
  });
  await client.agents.assign(agent.id, { articles: [article.id] });
  return { ...person, agent, article };
}
