import { mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import { PassThrough, Writable } from 'node:stream';
import { Tallyhand } from '@tallyhand/client';
import type { Role } from '@tallyhand/contracts/kernel/role';
import { registerOrganization } from '@tallyhand/test-kit/api-client';
import { Cli } from '../../../cli/src/kit/cli.ts';
import { loginFile, storeLogin } from '../../../cli/src/kit/login.ts';
import { Terminal } from '../../../cli/src/kit/terminal.ts';
import { programOf, runProgram } from '../../../cli/src/program.ts';
import { newKey } from './members.ts';
import { sharedProduct } from './product.ts';

type Ended = {
  /** The exit code, or the signal that ended the program. */
  readonly code: number | NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
};

export type RunOptions = {
  readonly stdin?: string;
  readonly env?: Readonly<Record<string, string>>;
};

/** The command line with a home folder of its own, as of a person on a machine of their own. */
export abstract class CommandLine {
  readonly home: string;

  constructor(home: string) {
    this.home = home;
  }

  abstract run(args: readonly string[], options?: RunOptions): Promise<Ended>;

  get environment(): Record<string, string> {
    return { HOME: this.home, XDG_CONFIG_HOME: join(this.home, '.config') };
  }

  get loginFile(): string {
    return loginFile(this.environment);
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

/** Runs in this process, whose working folder is not its home: files have whole paths. */
export class CommandLineHere extends CommandLine {
  static async in(folder: string): Promise<CommandLineHere> {
    return new CommandLineHere(await mkdtemp(join(folder, 'home-')));
  }

  async run(args: readonly string[], { stdin: typed = '', env = {} }: RunOptions = {}) {
    const [stdin, stdout, stderr] = [new PassThrough(), new Written(), new Written()];
    stdin.end(typed);
    const environment = { ...this.environment, ...env };
    const cli = new Cli(new Terminal({ stdin, stdout, stderr }, environment), environment);
    const code = await runProgram(programOf(cli, '1.0.0'), cli, args);
    return { code, stdout: stdout.text, stderr: stderr.text } satisfies Ended;
  }
}

class Written extends Writable {
  readonly #chunks: Buffer[] = [];

  get text(): string {
    return Buffer.concat(this.#chunks).toString();
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    this.#chunks.push(chunk);
    done();
  }
}

export const QUESTION = 'How long can items be returned?';

/** A member of a new organization, with a key, but not signed in. */
export async function newcomer<C extends CommandLine>(cli: C, role: Role = 'Admin') {
  const { url } = await sharedProduct();
  const { client: admin, user } = await registerOrganization(url);
  const { key } = await newKey(admin, role);
  return { url, key, cli, admin, user, client: new Tallyhand({ baseUrl: url, apiKey: key }) };
}

/** The same, signed in. */
export async function signedInNewcomer<C extends CommandLine>(cli: C) {
  const person = await newcomer(cli);
  await storeLogin(cli.environment, { url: person.url, apiKey: person.key });
  return person;
}

/** The same, with an agent that knows about returns. */
export async function newcomerWithAgent<C extends CommandLine>(cli: C) {
  const person = await signedInNewcomer(cli);
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

/** The same, with a tool whose runs come to no end. */
export async function newcomerWithLoop<C extends CommandLine>(cli: C) {
  const person = await newcomerWithAgent(cli);
  const { client, agent } = person;
  const extras = { script: 'for (;;) {}' };
  const config = { baseUrl: '', authType: 'none', extras } as const;
  const description = 'Never comes to an end';
  const tool = await client.tools.create({ name: 'Loop', description, type: 'custom', config });
  await client.agents.assign(agent.id, { tools: [tool.id] });
  return person;
}
