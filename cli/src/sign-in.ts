import { Tallyhand } from '@tallyhand/client';
import type { Command } from 'commander';
import type { Cli } from './kit/cli.ts';
import { usageError } from './kit/failures.ts';
import { checkedAddress, deleteLogin, loginFile, storeLogin } from './kit/login.ts';
import { examples } from './kit/options.ts';
import { ask, readStdin } from './kit/prompt.ts';

type LoginOptions = { readonly allowHttp?: true };

export function signInCommands(program: Command, cli: Cli): void {
  program
    .command('login')
    .description('check an API key, and store it with its address for the next commands')
    .argument('[address]', 'where Tallyhand is; TALLYHAND_URL if left out')
    .option('--allow-http', 'send the key over http to another machine')
    .action((address: string | undefined, options: LoginOptions) => login(cli, address, options))
    .addHelpText(
      'after',
      `\nCreate the key on the page /developers. It is read from a hidden prompt, from the standard
input, or from TALLYHAND_API_KEY; never from the command line, which others can see.
${examples('login https://tallyhand.example', 'login https://tallyhand.example < key.txt')}`,
    );
  program
    .command('logout')
    .description('delete the stored API key from this machine')
    .action(() => logout(cli))
    .addHelpText(
      'after',
      `\nThe key stays valid: revoke it on the page /developers.\n${examples('logout')}`,
    );
  program
    .command('whoami')
    .description('show the address, the organization and its balance')
    .action(() => whoami(cli))
    .addHelpText('after', examples('whoami', 'whoami --json'));
}

async function login(cli: Cli, given: string | undefined, options: LoginOptions) {
  const { terminal, environment } = cli;
  const address = given ?? environment.TALLYHAND_URL ?? (await askedAddress(cli));
  const url = checkedAddress(address, options);
  const apiKey = environment.TALLYHAND_API_KEY ?? (await askedKey(cli, url));
  if (!/^[\x21-\x7e]{8,500}$/.test(apiKey)) {
    throw usageError('This is no API key: it must be one line of letters and digits.');
  }
  const { name, id } = await new Tallyhand({ baseUrl: url, apiKey }).organization.retrieve();
  const file = await storeLogin(environment, { url, apiKey });
  terminal.answer(
    { url, organization: { id, name }, file },
    () => `Signed in to ${name} at ${url}.`,
  );
  terminal.note(`The key is in ${file}.`);
}

function askedAddress({ terminal }: Cli): Promise<string> {
  if (!terminal.isInteractive) throw usageError('Name the address: tallyhand login ADDRESS');
  return ask(terminal, 'Address of Tallyhand: ');
}

async function askedKey({ terminal }: Cli, url: string): Promise<string> {
  if (!terminal.streams.stdin.isTTY) return (await readStdin(terminal)).trim();
  terminal.note(`Create API key at ${url}/developers.`);
  return ask(terminal, 'API key (not shown): ', true);
}

async function logout({ terminal, environment }: Cli) {
  const wasThere = await deleteLogin(environment);
  terminal.answer({ deleted: wasThere }, () =>
    wasThere ? `Deleted ${loginFile(environment)}.` : 'You were not signed in.',
  );
  if (environment.TALLYHAND_API_KEY) terminal.note('TALLYHAND_API_KEY is still set.');
}

async function whoami(cli: Cli) {
  const { url, source } = await cli.login();
  const organization = await (await cli.client()).organization.retrieve();
  const { name, creditBalance } = organization;
  const place = source === 'file' ? loginFile(cli.environment) : 'TALLYHAND_API_KEY';
  cli.terminal.answer({ url, keyFrom: place, organization }, () =>
    cli.terminal.fields([
      ['address', url],
      ['organization', name],
      ['credits', `${creditBalance}`],
      ['key from', place],
    ]),
  );
}
