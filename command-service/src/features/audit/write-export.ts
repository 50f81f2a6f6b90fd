import { setTimeout as pause } from 'node:timers/promises';
import type { AuditExport } from '@tallyhand/contracts/features/audit/audit-exports.endpoints';
import { bundleWriter } from '@tallyhand/service-kit/audit-bundle/bundle-writer';
import { keysOf } from '@tallyhand/service-kit/audit-bundle/key-history';
import {
  MANIFEST_FILE,
  PROOF_FILE,
  SIGNATURE_FILE,
  type TrialBalance,
} from '@tallyhand/service-kit/audit-bundle/manifest';
import type { PublicKey } from '@tallyhand/service-kit/audit-bundle/public-key';
import { rowLines } from '@tallyhand/service-kit/audit-bundle/row-lines';
import type { SignedText } from '@tallyhand/service-kit/audit-bundle/signed-text';
import type { AuditSigning } from '@tallyhand/service-kit/audit-keys/signing';
import { pollUntil } from '@tallyhand/service-kit/poll-until';
import { inTenant } from '@tallyhand/service-kit/postgres/pool';
import type pg from 'pg';
import { checkpointBefore } from './audit-checkpoints.ts';
import { keepRowsDifference } from './audit-differences.ts';
import { databaseTime, LogCheck } from './log-check.ts';
import { boundsOf, eachLogPage, type LogFilter, leavesAfter, logSize } from './log-pages.ts';
import { treesOf } from './log-trees.ts';

type Surroundings = { readonly pool: pg.Pool; readonly signing: AuditSigning };

/** The requested export. */
export type ExportOrder = Pick<AuditExport, 'id' | 'format' | 'filter' | 'upTo'> & {
  readonly organizationId: string;
  /** The checkpoint that it continues from, or its size; null for the newest that is stored. */
  readonly earlier: SignedText | number | null;
};

/** One page would double the transactions; more pages need more memory. */
const PAGES_A_PIECE = 2;

/**
 * Reads the log once and stores the bundle's files in pieces, so that memory does not grow with the
 * log. A repeat starts from the beginning: the bytes are the same.
 */
export async function writeExport(
  { pool, signing }: Surroundings,
  order: ExportOrder,
  filter: LogFilter,
): Promise<void> {
  const { organizationId, format, upTo } = order;
  // An export that can't be signed fails before the log is read.
  const { signer, history } = await signing.current();
  const check = await startCheck(pool, keysOf(history), order);
  const bounds = await boundsOf(pool, organizationId, upTo, filter);
  const writer = bundleWriter({
    signer,
    keyHistory: history,
    organizationId,
    format,
    filter: order.filter,
    treeSize: upTo,
    lastSequence: bounds?.last ?? null,
    earlier: order.earlier ?? (await checkpointBefore(pool, organizationId, upTo))?.signed ?? null,
  });
  const keep = await keeperOf(pool, order);
  const rowsFile = rowLines[format].file;
  let [done, rows] = [0, 0];
  let pages = 0;
  let kept = Promise.resolve();
  await eachLogPage(pool, { organizationId, size: upTo, filter }, async (page) => {
    for (const { leaf, row } of page) {
      writer.add(leaf, row);
      await check.add(leaf);
      if (row) rows += 1;
    }
    done += page.length;
    pages += 1;
    if (pages % PAGES_A_PIECE > 0) return;
    const written = writer.take();
    const files = { [rowsFile]: written.rows, [PROOF_FILE]: written.proof };
    // It is stored while the next pages are processed.
    await kept;
    kept = keep(files, { status: 'running', done, rows });
    kept.catch(() => {});
  });
  await kept;
  if (!(await isAsInStore(pool, organizationId, check))) {
    // It would differ again.
    return keep({}, { status: 'failed', done, rows });
  }
  const end = await writer.end({
    opening: await trialBalanceAt(pool, organizationId, bounds ? bounds.first - 1 : 0),
    closing: await trialBalanceAt(pool, organizationId, bounds?.last ?? 0),
  });
  const files = {
    [rowsFile]: end.rows,
    [PROOF_FILE]: end.proof,
    [MANIFEST_FILE]: end.manifest,
    [SIGNATURE_FILE]: end.signature,
  };
  await keep(files, { status: 'finished', done, rows, parts: end.parts });
}

const TREE_WAIT_MS = 60_000;
const LOOK_MS = 100;

/** Compares the log's rows with its tree, which has at least the exported ones. */
async function startCheck(
  pool: pg.Pool,
  keys: readonly PublicKey[],
  { organizationId, upTo }: ExportOrder,
): Promise<LogCheck> {
  const madeBefore = await databaseTime(pool);
  const found = await pollUntil(
    async () => {
      const tree = (await treesOf(pool, [organizationId])).get(organizationId);
      return (tree?.frontier.size ?? 0) >= upTo ? { tree } : null;
    },
    { everyMs: LOOK_MS, maxMs: TREE_WAIT_MS },
  );
  if (!found) throw new Error('The tree of the audit log is behind');
  return new LogCheck({ pool, organizationId, tree: found.tree, madeBefore, keys });
}

/** Adds what the log has besides the exported rows, and keeps whether the rows are the events. */
async function isAsInStore(
  pool: pg.Pool,
  organizationId: string,
  check: LogCheck,
): Promise<boolean> {
  for (const since = performance.now(); check.size < check.sizeOfTree; await pause(LOOK_MS)) {
    const leaves = await leavesAfter(pool, organizationId, check.size, check.sizeOfTree);
    for (const leaf of leaves) await check.add(leaf);
    if (leaves.length > 0 || performance.now() - since < TREE_WAIT_MS) continue;
    if ((await logSize(pool, organizationId)) >= check.sizeOfTree) break;
    // That is no difference: the job is repeated.
    throw new Error('The rows of the audit log are behind');
  }
  const difference = await check.end();
  await keepRowsDifference(pool, organizationId, difference);
  return difference === null;
}

type Progress = {
  readonly status: 'running' | 'finished' | 'failed';
  readonly [name: string]: unknown;
};

/** Stores pieces of the bundle's files with the progress. Deletes those of an earlier attempt. */
async function keeperOf(pool: pg.Pool, { id, organizationId }: ExportOrder) {
  const places = new Map<string, number>();
  await inTenant(pool, organizationId, (client) =>
    client.query('delete from operational.audit_export_chunks where export_id = $1', [id]),
  );
  return (files: Readonly<Record<string, Buffer>>, progress: Progress): Promise<void> =>
    inTenant(pool, organizationId, async (client) => {
      // Lost pieces would be made again. The last transaction makes all of them durable.
      if (progress.status === 'running') await client.query('set local synchronous_commit = off');
      for (const [file, content] of Object.entries(files)) {
        if (content.length === 0) continue;
        const start = places.get(file) ?? 0;
        await client.query(
          `insert into operational.audit_export_chunks
             (organization_id, export_id, file, start, bytes, content) values ($1, $2, $3, $4, $5, $6)`,
          [organizationId, id, file, start, content.length, content],
        );
        places.set(file, start + content.length);
      }
      await client.query(
        'update operational.audit_exports set state = state || $2 where export_id = $1',
        [id, JSON.stringify(progress)],
      );
    });
}

/** The ledger's accounts and chain head as of an entry of the audit log. */
async function trialBalanceAt(
  pool: pg.Pool,
  organizationId: string,
  auditSequence: number,
): Promise<TrialBalance> {
  return inTenant(pool, organizationId, async (client) => {
    const { rows: heads } = await client.query<{ sequence: string; hash: string }>(
      `select l.sequence, l.hash from read_model.audit_entries a
       join read_model.ledger_entries l on l.organization_id = a.organization_id
         and l.at = a.at and l.entry_id = a.event_id
       where a.organization_id = $1 and a.category = 'ledger' and a.sequence <= $2
       order by a.sequence desc limit 1`,
      [organizationId, auditSequence],
    );
    const head = heads[0] ? { sequence: Number(heads[0].sequence), hash: heads[0].hash } : null;
    const { rows } = await client.query<{ account: string; debits: string; credits: string }>(
      `select account, sum(debit) as debits, sum(credit) as credits from read_model.journal
       where organization_id = $1 and sequence <= $2 group by account order by account`,
      [organizationId, head?.sequence ?? 0],
    );
    const accounts = rows.map(({ account, debits, credits }) => ({
      account,
      debits: Number(debits),
      credits: Number(credits),
    }));
    return { auditSequence, accounts, head };
  });
}
