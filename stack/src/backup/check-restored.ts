import { setTimeout as pause } from 'node:timers/promises';
import {
  type OpenedKit,
  openKit,
  type ServiceConfig,
} from '@tallyhand/command-service/app/open-kit';
import { checkLogs } from '@tallyhand/command-service/features/audit/check-logs';
import { verifyLedger } from '@tallyhand/command-service/features/credits/verify-ledger';
import { openForReading } from '@tallyhand/event-store/storage/database';
import { EventRows } from '@tallyhand/event-store/storage/event-rows';
import { start as startProjector } from '@tallyhand/projector/start';
import { jsonLog } from '@tallyhand/service-kit/log';
import { openPool } from '@tallyhand/service-kit/postgres/pool';
import type pg from 'pg';
import { OperatorError } from '../operator/command.ts';
import { isFull } from './out-of-room.ts';

const PROGRESS_MS = 2_000;

/** Where the restored stores are while they are built. */
export type RestoredStores = {
  readonly dataDir: string;
  /** Of an administrator. */
  readonly databaseUrl: string;
  readonly eventStoreUrl: string;
  readonly masterKey: string;
  readonly signingKey: string;
  readonly auditKey: ServiceConfig['auditKey'];
};

/**
 * Builds all read models from the first event, and compares them with the events: every ledger's
 * chain and balances, every signed checkpoint of an audit log. Nothing is sent or run. Throws an
 * OperatorError with all faults, unless they are accepted: the product may have had them when the
 * backup was taken.
 */
export async function checkRestored(
  stores: RestoredStores,
  acceptsFaults: boolean,
  say: (line: string) => void,
): Promise<void> {
  const log = jsonLog('restore', 'silent');
  await using _projector = await startProjector({ ...stores, log });
  await using opened = await openKit({
    ...stores,
    publicUrl: 'http://127.0.0.1',
    trustProxy: false,
    rateLimitScale: 1,
    log,
  });
  await readModelsBuilt(opened, stores.dataDir, say);
  const faults = await faultsOfProjections(stores.databaseUrl);
  const { rows } = await opened.kit.pool.query<{ id: string }>(
    'select distinct organization_id as id from operational.access order by 1',
  );
  for (const { id } of rows) {
    const ledger = await verifyLedger(opened.kit, id);
    if (ledger.status !== 'passed') faults.push(`the ledger of ${id} does not hold`);
  }
  const { checkpoints, differences } = await checkLogs(opened.kit, { hurries: true });
  for (const { organizationId, first, last } of differences) {
    const entries = `entries ${first} to ${last} of the audit log of ${organizationId}`;
    faults.push(`${entries} are not what was signed of them`);
  }
  if (faults.length === 0) {
    say(`${rows.length} ledgers and ${checkpoints} signed checkpoints hold.`);
    return;
  }
  const report = `What the backup holds is not whole:\n  ${faults.join('\n  ')}`;
  if (!acceptsFaults)
    throw new OperatorError(`${report}\nWith --accept-faults it is restored as it is.`);
  say(report);
}

/** Events that could not be projected, and rows with inconsistent figures. */
async function faultsOfProjections(databaseUrl: string): Promise<string[]> {
  const pool = openPool(databaseUrl, 1);
  try {
    const { rows } = await pool.query<{ fault: string }>(
      `select format('%s can''t take an event of %s', projection, stream) as fault
       from read_model.parked_streams
       union all select format('%s has %s differences from what it must be', projection, differences)
       from read_model.checks where differences <> 0 order by 1`,
    );
    return rows.map(({ fault }) => fault);
  } finally {
    await pool.end();
  }
}

/** A projector waits until a full disk has space again: here no one would free it. */
async function readModelsBuilt(
  { kit }: OpenedKit,
  dataDir: string,
  say: (line: string) => void,
): Promise<void> {
  const head = await kit.streams.eventLog.head();
  if (!head) return;
  while (!(await kit.readPosition.reached(head, PROGRESS_MS))) {
    if (await isFull(dataDir)) throw new Error('Read models find no room');
    say(`Read models: position ${kit.readPosition.current().commit} of ${head.commit}`);
    await pause(0);
  }
}

/** Tables with positions of $all in `position`, each at or before the newest event. */
const POSITION_TABLES = [
  'operational.reaction_checkpoints',
  'operational.audit_trees',
  'operational.embeddings',
  'operational.idempotency',
  'operational.notification_checks',
  // Its name in a database that this release has not migrated yet.
  'operational.notice_looks',
];

/** Those that exist: the database may not be migrated yet. */
export async function positionTables(client: pg.Client): Promise<readonly string[]> {
  const { rows } = await client.query<{ name: string }>(
    'select name from unnest($1::text[]) name where to_regclass(name) is not null',
    [POSITION_TABLES],
  );
  return rows.map(({ name }) => name);
}

/** Events that the tables refer to and the embedded event store lacks, as sentences. */
export async function checkAgreement(
  client: pg.Client,
  eventStoreDir: string,
): Promise<readonly string[]> {
  using db = openForReading(eventStoreDir);
  const events = new EventRows(db);
  const head = events.head();
  const faults: string[] = [];
  for (const table of await positionTables(client)) {
    const { rows } = await client.query<{ count: string }>(
      `select count(*) from ${table}
       where substring(position from '^C(\\d+)-')::numeric > $1`,
      [head],
    );
    if (rows[0]?.count !== '0') faults.push(`${table} knows of events after the last, ${head}.`);
  }
  const { rows: snapshots } = await client.query<{ stream: string; revision: string }>(
    'select stream, revision from operational.snapshots',
  );
  for (const { stream, revision } of snapshots) {
    const number = events.streamNumber(stream);
    const last = number === null ? -1 : events.lastRevision(number);
    if (Number(revision) > last) faults.push(`A snapshot is ahead of its stream ${stream}.`);
  }
  return faults;
}
