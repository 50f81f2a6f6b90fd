import type { Command } from 'commander';
import type { Cli } from './kit/cli.ts';
import { allOf } from './kit/named.ts';
import { examples, group, LIST_LIMIT, LIST_LIMIT_MAX, wholeNumber } from './kit/options.ts';
import { saveResponse } from './kit/save.ts';

const PAGE = 500;

export function ledgerCommands(program: Command, cli: Cli): void {
  const ledger = group(program, 'ledger', 'credits: balance and ledger entries');
  ledger
    .command('list', { isDefault: true })
    .description('list ledger entries, the newest first')
    .option('--limit <count>', 'at most so many', wholeNumber(1, LIST_LIMIT_MAX), LIST_LIMIT)
    .action(({ limit }: { limit: number }) => list(cli, limit))
    .addHelpText('after', examples('ledger', 'ledger list --limit 1000 --json'));
  ledger
    .command('balance')
    .description('show the credits that can be spent')
    .action(() => balance(cli))
    .addHelpText('after', examples('ledger balance'));
  ledger
    .command('export')
    .description('export the whole ledger as CSV, the oldest entry first')
    .option('-o, --output <file>', 'write to this file and not to stdout')
    .action(({ output }: { output?: string }) => exportAll(cli, output))
    .addHelpText('after', examples('ledger export --output ledger.csv'));
}

async function list(cli: Cli, limit: number) {
  const { terminal } = cli;
  const client = await cli.client();
  const entries = await allOf(client.billing.ledger.list({ limit: Math.min(limit, PAGE) }), limit);
  const signed = (change: number) => (change > 0 ? `+${change}` : `${change}`);
  terminal.answer(entries, () =>
    terminal.table(
      ['ENTRY', 'AT', 'KIND', 'CHANGE', 'AVAILABLE', 'FOR'],
      entries.map((one) => [
        `${one.sequence}`,
        one.at.slice(0, 'YYYY-MM-DDTHH:MM:SS'.length).replace('T', ' '),
        one.kind,
        signed(one.availableChange),
        `${one.available}`,
        [one.workType ?? '', one.work?.id ?? '', one.reason ?? ''].join(' '),
      ]),
    ),
  );
  if (entries.length === limit) terminal.note(`The newest ${limit}. More with --limit.`);
}

async function balance(cli: Cli) {
  const { creditBalance, reserved } = await (await cli.client()).organization.retrieve();
  cli.terminal.answer({ available: creditBalance, reserved }, () =>
    cli.terminal.fields([
      ['available', `${creditBalance}`],
      ['reserved', `${reserved}`],
    ]),
  );
}

async function exportAll(cli: Cli, output: string | undefined) {
  const response = await (await cli.client()).billing.ledger.export({ format: 'csv' });
  await saveResponse(cli.terminal, response, output);
}
