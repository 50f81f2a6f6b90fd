import { type Command, Option } from 'commander';
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
    .description('export the ledger as CSV, the oldest entry first')
    .option('--from <day>', 'recorded on this day (UTC) or later')
    .option('--to <day>', 'recorded until the end of this day (UTC)')
    .option('-o, --output <file>', 'write to this file and not to stdout')
    .action((options: ExportOptions) => exportPeriod(cli, options))
    .addHelpText(
      'after',
      examples('ledger export --output ledger.csv', 'ledger export --from 2026-10-01'),
    );
  ledger
    .command('statement')
    .argument('<month>', 'a month (UTC) that has ended, as 2026-10')
    .description('download the statement of a month')
    .addOption(
      new Option('--format <format>', 'of the file').choices(['pdf', 'csv']).default('pdf'),
    )
    .option('--signature', 'the signature in place of the statement')
    .option('-o, --output <file>', 'write to this file and not to stdout')
    .action((month: string, options: StatementOptions) => statement(cli, month, options))
    .addHelpText(
      'after',
      examples(
        'ledger statement 2026-10 --output october.pdf',
        'ledger statement 2026-10 --signature > october.signature.json',
      ),
    );
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

type ExportOptions = { readonly from?: string; readonly to?: string; readonly output?: string };

async function exportPeriod(cli: Cli, { output, ...period }: ExportOptions) {
  const client = await cli.client();
  const response = await client.billing.ledger.export({ format: 'csv', ...period });
  await saveResponse(cli.terminal, response, output);
}

type StatementOptions = {
  readonly format: 'pdf' | 'csv';
  readonly signature?: true;
  readonly output?: string;
};

async function statement(cli: Cli, month: string, options: StatementOptions) {
  const { format, signature, output } = options;
  const { statements } = (await cli.client()).billing;
  if (signature) {
    const signed = await statements.signature.retrieve({ month, format });
    await saveResponse(cli.terminal, Response.json(signed), output);
    return;
  }
  const response =
    format === 'pdf'
      ? await statements.pdf.retrieve({ month })
      : await statements.export({ month });
  await saveResponse(cli.terminal, response, output);
}
