import { existsSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { AuditExport, Tallyhand } from '@tallyhand/client';
import { type Command, Option } from 'commander';
import type { Cli } from './kit/cli.ts';
import { CommandError, EXIT, usageError } from './kit/failures.ts';
import { examples, group, wholeNumber } from './kit/options.ts';
import { saveResponse } from './kit/save.ts';

const POLL_MS = 500;
const WAIT_MS_MAX = 30 * 60_000;

type ExportOptions = {
  readonly format: 'ndjson' | 'csv';
  readonly output: string;
  readonly from?: string;
  readonly to?: string;
  readonly actor?: string;
  readonly kind?: string;
  readonly object?: string;
  readonly since?: string;
};

export function auditCommands(program: Command, cli: Cli): void {
  const audit = group(program, 'audit', 'export the audit log with proofs, and verify an export');
  audit
    .command('export')
    .description('export the audit log as a ZIP file with proofs')
    .requiredOption('-o, --output <file>', 'the ZIP file to write')
    .addOption(
      new Option('--format <format>', 'of the rows').choices(['ndjson', 'csv']).default('ndjson'),
    )
    .option('--from <day>', 'from this day or moment on (UTC)')
    .option('--to <day>', 'until this day, included, or moment (UTC)')
    .option('--actor <actor>', 'by this member (an id), or this kind of actor')
    .option('--kind <kind>', 'of this feature, or this type of event')
    .option('--object <id>', 'about this object')
    .option('--since <file>', 'prove that the log continues from this export or checkpoint')
    .action((options: ExportOptions) => exportLog(cli, options))
    .addHelpText(
      'after',
      examples('audit export --output audit.zip', 'audit export -o 2026.zip --from 2026-01-01'),
    );
  audit
    .command('checkpoint')
    .description('print the signed state of the audit log, to compare a later export with')
    .action(() => checkpoint(cli))
    .addHelpText('after', examples('audit checkpoint > checkpoint.json'));
  audit
    .command('timestamps')
    .description('save the checkpoints that an independent authority has time-stamped')
    .requiredOption('-o, --output <file>', 'the file to write, one JSON object per line')
    .action(({ output }: { output: string }) =>
      save(cli, output, ({ audit }) => audit.timestamps.download()),
    )
    .addHelpText('after', examples('audit timestamps --output timestamps.ndjson'));
  audit
    .command('evidence')
    .description('save a signed evidence pack of a period, for a SOC 2 audit')
    .requiredOption('--from <day>', 'the first day (UTC)')
    .requiredOption('--to <day>', 'the last day (UTC), included')
    .requiredOption('-o, --output <file>', 'the ZIP file to write')
    .action(({ output, ...days }: EvidenceOptions) =>
      save(cli, output, ({ audit }) => audit.evidence.download(days)),
    )
    .addHelpText(
      'after',
      examples('audit evidence --from 2026-10-01 --to 2026-10-31 --output october.zip'),
    );
  audit
    .command('keys')
    .description('print the public keys that verify exports')
    .action(() => keys(cli))
    .addHelpText('after', examples('audit keys > key.pem'));
  audit
    .command('verify')
    .description('verify an export or an evidence pack, offline')
    .argument('<file>', 'the ZIP file')
    .option(
      '--key <key>',
      'a published key, or a file with it (PEM, JWK, base64) or with the key history',
    )
    .option('--since <file>', 'an earlier export or checkpoint: the log still begins with its rows')
    .option('--organization <id>', 'whose log it is')
    .option(
      '--at-least <rows>',
      'how many rows the log has at least',
      wholeNumber(0, Number.MAX_SAFE_INTEGER),
    )
    .option('--timestamps <file>', 'a file of time-stamps, whose rows the log must have')
    .option('--timestamp-ca <file>', 'the root certificates of the authority (PEM)')
    .action((file: string, options: VerifyOptions) => verify(cli, file, options))
    .addHelpText(
      'after',
      `\nWithout --key, the key named in the export is used: that shows that nothing was altered
since, but not who made the export. An evidence pack needs it. Needs no sign-in and no network.
${examples('audit verify audit.zip --key key.pem', 'audit verify new.zip --since old.zip')}`,
    );
}

async function exportLog(cli: Cli, { format, output, since: file, ...filter }: ExportOptions) {
  const { terminal } = cli;
  if (existsSync(output)) throw usageError(`${output} exists already.`);
  const since = file === undefined ? null : (await headIn(file)).signed;
  if (file !== undefined && !since) throw usageError('--since: The checkpoint has no signature.');
  const client = await cli.client();
  const ended = await cli.untilInterrupted(async (signal) => {
    const started = await client.audit.exports.start(
      { format, filter, ...(since && { since }) },
      { signal },
    );
    return await finished(client, cli, started, signal);
  });
  await saveResponse(terminal, await client.audit.exports.download(ended.id), output);
  terminal.answer({ ...ended, file: output }, () => `${ended.rows} entries of ${ended.upTo}.`);
}

async function finished(
  client: Tallyhand,
  { terminal }: Cli,
  started: AuditExport,
  signal: AbortSignal,
) {
  const progress = terminal.progress(started.upTo);
  const deadline = performance.now() + WAIT_MS_MAX;
  try {
    for (
      let current = started;
      ;
      current = await client.audit.exports.retrieve(started.id, { signal })
    ) {
      progress.show(current.done, 'entries');
      if (current.status === 'finished') return current;
      if (current.status === 'failed') throw new CommandError(EXIT.failed, 'The export failed.');
      if (performance.now() > deadline) {
        throw new CommandError(EXIT.unreachable, 'The export takes too long. See the page /audit.');
      }
      await sleep(POLL_MS, undefined, { signal }).catch(() => {
        throw signal.reason;
      });
    }
  } finally {
    progress.end();
  }
}

async function checkpoint(cli: Cli) {
  const signed = await (await cli.client()).audit.checkpoint.retrieve();
  cli.terminal.answer(signed, () => JSON.stringify(signed));
}

async function save(
  cli: Cli,
  output: string,
  download: (client: Tallyhand) => Promise<Response>,
): Promise<void> {
  if (existsSync(output)) throw usageError(`${output} exists already.`);
  await saveResponse(cli.terminal, await download(await cli.client()), output);
  cli.terminal.answer({ file: output }, () => output);
}

type EvidenceOptions = { readonly from: string; readonly to: string; readonly output: string };

async function keys(cli: Cli) {
  const all = await (await cli.client()).audit.keys.list();
  cli.terminal.answer(all, () => all.map(({ pem }) => pem.trim()).join('\n'));
}

type VerifyOptions = {
  readonly key?: string;
  readonly since?: string;
  readonly organization?: string;
  readonly atLeast?: number;
  readonly timestamps?: string;
  readonly timestampCa?: string;
};

async function stampsIn({ timestamps: file, timestampCa: authority }: VerifyOptions) {
  if (file === undefined && authority === undefined) return undefined;
  if (file === undefined || authority === undefined) {
    throw usageError('--timestamps and --timestamp-ca belong together.');
  }
  if (!existsSync(authority)) throw usageError('--timestamp-ca: There is no such file.');
  const { readStamps } = await import('@tallyhand/service-kit/audit-bundle/read-stamps');
  try {
    return await readStamps(file, readFileSync(authority, 'utf8'));
  } catch (error) {
    throw usageError(`--timestamps: ${error instanceof Error ? error.message : error}`);
  }
}

async function headIn(file: string) {
  const { readEarlierHead } = await import('@tallyhand/service-kit/audit-bundle/earlier-head');
  try {
    return await readEarlierHead(file);
  } catch (error) {
    throw usageError(`--since: ${error instanceof Error ? error.message : error}`);
  }
}

async function verify(cli: Cli, file: string, options: VerifyOptions) {
  const { key: given, organization: organizationId, atLeast } = options;
  const { UnfitForPack, verifyFile } = await import(
    '@tallyhand/service-kit/audit-bundle/verify-file'
  );
  const { readTrustedKeys } = await import('@tallyhand/service-kit/audit-bundle/trusted-keys');
  if (!existsSync(file)) throw usageError(`There is no such file: ${file}`);
  const text = given !== undefined && existsSync(given) ? readFileSync(given, 'utf8') : given;
  const key = text === undefined ? null : readTrustedKeys(text);
  if (text !== undefined && !key) {
    throw usageError('--key is no Ed25519 public key, and no file with one or with a key history.');
  }
  const since = options.since === undefined ? undefined : await headIn(options.since);
  const stamps = await stampsIn(options);
  const expected = { since, organizationId, atLeast, stamps };
  const { lines, isWell } = await verifyFile(file, key, expected).catch((error) => {
    throw error instanceof UnfitForPack ? usageError(error.message) : error;
  });
  cli.terminal.answer({ verified: isWell, lines }, () => lines.join('\n'));
  if (!isWell) throw new CommandError(EXIT.failed, 'The file is not as Tallyhand made it.');
}
