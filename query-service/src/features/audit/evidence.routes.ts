import { ReadableStream } from 'node:stream/web';
import type { AuditEntry } from '@tallyhand/contracts/features/audit/audit.endpoints';
import type { AuditCheck } from '@tallyhand/contracts/features/audit/audit-exports.endpoints';
import { AuditSignerUnavailable } from '@tallyhand/contracts/features/audit/audit-exports.refusals';
import { meantBy } from '@tallyhand/contracts/features/audit/audit-filter';
import {
  downloadAuditEvidence,
  EVIDENCE_DAYS_MAX,
} from '@tallyhand/contracts/features/audit/evidence.endpoints';
import { ValidationFailed } from '@tallyhand/contracts/kernel/problem';
import { isRefusal, type Refusal } from '@tallyhand/contracts/kernel/refusal';
import { readAuditCheck } from '@tallyhand/read-models/features/audit/audit-exports';
import { readAuditEntries } from '@tallyhand/read-models/features/audit/audit-log.tables';
import { readEvidenceRecords } from '@tallyhand/read-models/features/audit/evidence';
import { readVerification } from '@tallyhand/read-models/features/credits/ledger.tables';
import { readOrganization } from '@tallyhand/read-models/features/organizations/organizations.tables';
import { signCheckpoint } from '@tallyhand/service-kit/audit-bundle/checkpoint';
import {
  EVIDENCE_INDEX,
  EVIDENCE_SIGNATURE,
  type EvidenceIndex,
  signEvidence,
} from '@tallyhand/service-kit/audit-bundle/evidence';
import { type AuditSigner, SignerUnavailable } from '@tallyhand/service-kit/audit-bundle/signer';
import { csvLine } from '@tallyhand/service-kit/csv';
import { errorFields } from '@tallyhand/service-kit/log';
import { sha256Hex } from '@tallyhand/service-kit/platform/node';
import { type ZipFile, zipOf } from '@tallyhand/service-kit/zip';
import type { FastifyInstance } from 'fastify';
import type { QueryContext } from '../../kernel/context.ts';
import type { CsvColumns } from '../../kernel/csv.ts';
import { route } from '../../kernel/route.ts';
import { entryOf, type StoredEntry } from './audit-changes.ts';
import { currentTree, rootOf } from './audit-tree.routes.ts';
import { accessAtEnd, found, type Reader } from './evidence-access.ts';
import {
  ACCESS_COLUMNS,
  BACKUP_COLUMNS,
  CHECK_COLUMNS,
  ENTRY_COLUMNS,
  ENTRY_FILES,
  type EvidenceRecords,
  readmeOf,
} from './evidence-files.ts';

/** Each reads what the log has of a period. */
const LIMIT = { max: 20, timeWindow: '1 hour' };
const DAY_MS = 86_400_000;
const ENTRIES_AT_ONCE = 200;
/** A file of the pack ends after about this many characters, because one is in memory as a whole. */
const FILE_LENGTH_MAX = 4 * 1024 * 1024;

type Pack = Omit<EvidenceIndex, 'files'> & { readonly since: string; readonly until: string };

export function evidenceRoutes(app: FastifyInstance, context: QueryContext) {
  route(app, context, downloadAuditEvidence, { limit: LIMIT }, async (call) => {
    const { from, to } = call.query;
    const tree = await currentTree(call);
    if (isRefusal(tree)) return tree;
    const refused = refusalOfPeriod(from, to, new Date());
    if (refused) return refused;
    const own = await call.read(readOrganization, {});
    if (isRefusal(own)) return own;
    const check = await call.read(readAuditCheck, {});
    if (isRefusal(check)) return check;
    const verification = await call.read(readVerification, {});
    if (isRefusal(verification)) return verification;
    const recorded = await call.read(readEvidenceRecords, { from, to });
    if (isRefusal(recorded)) return recorded;
    const { name } = JSON.parse(own.body ?? '{}') as { readonly name: string };
    const { checkedAt, difference } = JSON.parse(check.body ?? '{}') as AuditCheck;
    const { organizationId } = tree;
    const { size } = tree.tree;
    try {
      const { signer } = await context.auditSigning.current();
      const root = rootOf(tree.tree);
      const pack: Pack = {
        formatVersion: 1,
        organizationId,
        organizationName: name,
        from,
        to,
        checkpoint: await signCheckpoint(signer, { organizationId, size, root }),
        size,
        checkedAt,
        differs: difference !== null,
        ledger: lastVerification(verification.body),
        since: new Date(from).toISOString(),
        until: new Date(Date.parse(to) + DAY_MS).toISOString(),
      };
      return {
        kind: 'file',
        fileName: `evidence-${from}-${to}.zip`,
        body: ReadableStream.from(zipOf(filesOf(call, signer, pack, recordsIn(recorded.body)))),
      };
    } catch (error) {
      if (!(error instanceof SignerUnavailable)) throw error;
      context.settings.log.error('an evidence pack was not signed', errorFields(error));
      return AuditSignerUnavailable({});
    }
  });
}

const recordsIn = (body: string | null): EvidenceRecords =>
  JSON.parse(body ?? '{"checks": [], "backups": []}') as EvidenceRecords;

function lastVerification(body: string | null): EvidenceIndex['ledger'] {
  const found = JSON.parse(body ?? '{}') as Partial<NonNullable<EvidenceIndex['ledger']>>;
  const { status, finishedAt = null, entries = 0, brokenAt = null } = found;
  return status ? { status, finishedAt, entries, brokenAt } : null;
}

function refusalOfPeriod(from: string, to: string, now: Date): Refusal | null {
  const refused = (path: string, message: string) =>
    ValidationFailed({ summary: `${message}.` }, [{ path, message }]);
  if (to > now.toISOString().slice(0, from.length)) return refused('to', 'to is in the future');
  if (from > to) return refused('from', 'from is after to');
  const days = (Date.parse(to) - Date.parse(from)) / DAY_MS + 1;
  if (days <= EVIDENCE_DAYS_MAX) return null;
  return refused('from', `The period must have at most ${EVIDENCE_DAYS_MAX} days`);
}

/** The files of the pack, the index and its signature last. */
async function* filesOf(
  call: Reader,
  signer: AuditSigner,
  pack: Pack,
  { checks, backups }: EvidenceRecords,
): AsyncGenerator<ZipFile> {
  const files: EvidenceIndex['files'] = [];
  const indexed = (file: ZipFile) => {
    const { name, contents } = file;
    files.push({ name, bytes: contents.length, sha256: sha256Hex(contents) });
    return file;
  };
  yield indexed({ name: 'README.txt', contents: Buffer.from(readmeOf(pack)) });
  const access = accessAtEnd(call, pack);
  for await (const file of csvFiles('access', ACCESS_COLUMNS, access)) yield indexed(file);
  for (const [name, kinds] of Object.entries(ENTRY_FILES)) {
    const entries = inOrder(kinds.map((kind) => entriesOf(call, pack, kind)));
    for await (const file of csvFiles(name, ENTRY_COLUMNS, entries)) yield indexed(file);
  }
  for await (const file of csvFiles('checks', CHECK_COLUMNS, checks)) yield indexed(file);
  for await (const file of csvFiles('backups', BACKUP_COLUMNS, backups)) yield indexed(file);
  const { since: _, until: __, ...index } = pack;
  const contents = Buffer.from(`${JSON.stringify({ ...index, files }, null, 2)}\n`);
  yield { name: EVIDENCE_INDEX, contents };
  const signed = await signEvidence(signer, pack, contents);
  yield { name: EVIDENCE_SIGNATURE, contents: Buffer.from(`${JSON.stringify(signed)}\n`) };
}

/** A table as files of limited length, each with headings. */
async function* csvFiles<R>(
  name: string,
  columns: CsvColumns<R>,
  rows: Iterable<R> | AsyncIterable<R>,
): AsyncGenerator<ZipFile> {
  const heading = csvLine(Object.keys(columns));
  const cells = Object.values(columns);
  let number = 1;
  let text = heading;
  const file = () => ({
    name: `${name}${number > 1 ? `-${number}` : ''}.csv`,
    contents: Buffer.from(text),
  });
  for await (const row of rows) {
    if (text.length > FILE_LENGTH_MAX) {
      yield file();
      number += 1;
      text = heading;
    }
    text += csvLine(cells.map((cell) => cell(row)));
  }
  yield file();
}

/** The entries of a kind in the period, oldest first. */
async function* entriesOf(
  { read }: Reader,
  { since, until, size }: Pack,
  kind: string,
): AsyncGenerator<AuditEntry> {
  const { category, type } = meantBy({ kind });
  const filter = {
    from: since,
    to: until,
    actor_id: null,
    actor_kind: null,
    category,
    type,
    object: null,
    words: null,
  };
  for (let beyond: number | null = null; ; ) {
    const values = { ...filter, beyond, limit: ENTRIES_AT_ONCE };
    const page: readonly StoredEntry[] = await found<StoredEntry[]>(
      read(readAuditEntries.oldest, values),
    );
    for (const entry of page) {
      if (entry.sequence > size) return;
      yield entryOf(entry);
    }
    const last = page.at(-1);
    if (!last || page.length < ENTRIES_AT_ONCE) return;
    beyond = last.sequence;
  }
}

/** Merges lists of entries, each of which is in order. */
async function* inOrder(lists: readonly AsyncGenerator<AuditEntry>[]): AsyncGenerator<AuditEntry> {
  const heads: { entry: AuditEntry; readonly list: AsyncGenerator<AuditEntry> }[] = [];
  for (const list of lists) {
    const { value, done } = await list.next();
    if (!done) heads.push({ entry: value, list });
  }
  while (heads.length > 0) {
    heads.sort((a, b) => a.entry.sequence - b.entry.sequence);
    const [first] = heads;
    if (!first) return;
    yield first.entry;
    const { value, done } = await first.list.next();
    if (done) heads.shift();
    else first.entry = value;
  }
}
