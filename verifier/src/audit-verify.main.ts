import { existsSync, readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { readEarlierHead } from '@tallyhand/service-kit/audit-bundle/earlier-head';
import { readStamps } from '@tallyhand/service-kit/audit-bundle/read-stamps';
import { verifyStatement } from '@tallyhand/service-kit/audit-bundle/statement';
import { readTrustedKeys } from '@tallyhand/service-kit/audit-bundle/trusted-keys';
import { verifyFile } from '@tallyhand/service-kit/audit-bundle/verify-file';

const USAGE = `tallyhand-audit-verify FILE [--key PUBLIC_KEY] [--since OLD] [--organization ID]
    [--at-least ROWS] [--timestamps FILE --timestamp-ca PEM]
  checks an export of an audit log or an evidence pack, offline; a pack needs --key
  --key           a published key, or a file with it (PEM, JWK or base64) or with the key history;
                  an older key leads to its successors
  --since         an earlier export or checkpoint: the log still begins with its rows
  --organization  whose log it is
  --at-least      how many rows the log has at least
  --timestamps    a file of time-stamps, whose rows the log must have
  --timestamp-ca  the root certificates of the authority that you trust (PEM)

tallyhand-audit-verify --statement FILE --signature FILE --key KEYS [--organization ID]
  checks the statement of a month, as PDF or CSV, with its downloaded signature`;

const options = {
  key: { type: 'string' },
  since: { type: 'string' },
  organization: { type: 'string' },
  'at-least': { type: 'string' },
  timestamps: { type: 'string' },
  'timestamp-ca': { type: 'string' },
  statement: { type: 'string' },
  signature: { type: 'string' },
} as const;

type Check = () => Promise<{ readonly lines: readonly string[]; readonly isWell: boolean }>;

async function parse(): Promise<Check> {
  try {
    const { positionals, values } = parseArgs({ options, allowPositionals: true });
    if (values.statement !== undefined || values.signature !== undefined) {
      return statementCheck(positionals, values);
    }
    const [file, ...rest] = positionals;
    if (file === undefined || rest.length > 0) throw new Error('Name one file.');
    const { key, since, organization: organizationId, 'at-least': rows } = values;
    if (rows !== undefined && !/^\d+$/.test(rows)) throw new Error('--at-least is no number.');
    const atLeast = rows === undefined ? undefined : Number(rows);
    const expected = {
      organizationId,
      atLeast,
      since: since === undefined ? since : await headIn(since),
      stamps: await stampsIn(values.timestamps, values['timestamp-ca']),
    };
    const trusted = key === undefined ? null : keyIn(key);
    return () => verifyFile(file, trusted, expected);
  } catch (error) {
    throw new Error(`${error instanceof Error ? error.message : error}\n\n${USAGE}`);
  }
}

type Values = { readonly [K in keyof typeof options]?: string };

function statementCheck(
  files: readonly string[],
  { statement, signature, key, organization: organizationId, ...others }: Values,
): Check {
  if (statement === undefined || signature === undefined || key === undefined) {
    throw new Error('--statement, --signature and --key belong together.');
  }
  const [other] = Object.keys(others);
  if (other) throw new Error(`--${other} is for exports of audit logs, not for statements.`);
  if (files.length > 0) throw new Error('Name the statement with --statement alone.');
  const content = fileNamed('--statement', statement);
  const signed = fileNamed('--signature', signature).toString();
  const trusted = keyIn(key);
  return async () => verifyStatement(content, signed, trusted, { organizationId });
}

function fileNamed(option: string, file: string): Buffer {
  try {
    return readFileSync(file);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new Error(
      `${option}: ${code === 'ENOENT' ? 'There is no such file.' : `It can't be read (${code}).`}`,
    );
  }
}

function keyIn(given: string) {
  const key = readTrustedKeys(existsSync(given) ? readFileSync(given, 'utf8') : given);
  if (!key)
    throw new Error('--key is no Ed25519 public key, and no file with one or with a key history.');
  return key;
}

async function headIn(file: string) {
  try {
    return await readEarlierHead(file);
  } catch (error) {
    throw new Error(`--since: ${error instanceof Error ? error.message : error}`);
  }
}

async function stampsIn(file: string | undefined, authority: string | undefined) {
  if (file === undefined && authority === undefined) return undefined;
  if (file === undefined || authority === undefined) {
    throw new Error('--timestamps and --timestamp-ca belong together.');
  }
  if (!existsSync(authority)) throw new Error('--timestamp-ca: There is no such file.');
  try {
    return await readStamps(file, readFileSync(authority, 'utf8'));
  } catch (error) {
    throw new Error(`--timestamps: ${error instanceof Error ? error.message : error}`);
  }
}

try {
  const check = await parse();
  const { lines, isWell } = await check();
  console.log(lines.join('\n'));
  if (!isWell) process.exitCode = 1;
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
}
