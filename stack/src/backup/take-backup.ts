import { hash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { type FileHandle, open, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { HeldAppends, readEvents } from '@tallyhand/event-store/storage/copies';
import { type ZipFile, zipOf } from '@tallyhand/service-kit/zip';
import pg from 'pg';
import { OperatorError } from '../operator/command.ts';
import { type Dumped, dumpTable, tablesToDump } from './dump-tables.ts';
import { lineOfEvent, partsOf } from './event-lines.ts';
import {
  BACKUP_FORMAT,
  BACKUP_VERSION,
  EVENTS_FOLDER,
  MANIFEST_FILE,
  MANIFEST_HASH_FILE,
  type Manifest,
  SECRETS_FILE,
  TABLES_FOLDER,
} from './manifest.ts';
import { saysSo } from './out-of-room.ts';
import { type BackedUpSecrets, sealSecrets } from './sealed-secrets.ts';

/** The event store's writer waits a little longer than this while its appends are held. */
const HELD_MS_MAX = 1_500;

export type BackupSource = {
  /** The folder of the embedded event store. */
  readonly eventStoreDir: string;
  /** Of a role that sees every row: a superuser, or a role with BYPASSRLS. */
  readonly databaseUrl: string;
  /** Null leaves them out. */
  readonly secrets: { readonly values: BackedUpSecrets; readonly passphrase: string } | null;
};

/**
 * Writes one file (mode 0600) with everything that the product could not rebuild. Events and tables
 * are of one moment, in which no append was running: as if every process had been killed then,
 * which the product recovers from. Throws with nothing left behind.
 */
export async function takeBackup(source: BackupSource, file: string): Promise<Manifest> {
  if (existsSync(file)) throw new OperatorError(`${file} exists already.`);
  const unfinished = join(dirname(file), `.${basename(file)}.unfinished`);
  const client = new pg.Client({ connectionString: source.databaseUrl });
  client.on('error', () => {});
  await client.connect();
  const handle = await open(unfinished, 'wx', 0o600).catch((error) => {
    throw new OperatorError(`${unfinished} can't be made (${error.code}).`);
  });
  try {
    const parts = new BackupParts(source, client);
    await writeAll(handle, zipOf(parts.files()));
    await handle.sync();
    const { size } = await handle.stat();
    await handle.close();
    await rename(unfinished, file);
    const manifest = parts.manifest();
    await noteBackup(client, manifest.madeAt, size);
    return manifest;
  } catch (error) {
    await handle.close().catch(() => {});
    await rm(unfinished, { force: true });
    if (!saysSo(error)) throw error;
    throw new OperatorError(
      `The disk of ${dirname(file)} is full: there is no room for the backup, and nothing of it was ` +
        'left there. The product continues to run.',
    );
  } finally {
    await client.end().catch(() => {});
  }
}

/**
 * Records the time, so that metrics can report the backup's age and evidence packs list it. A failure
 * does not affect the backup.
 */
async function noteBackup(client: pg.Client, madeAt: string, bytes: number) {
  await client
    .query(
      `with kept as (insert into operational.backups (made_at, bytes) values ($1, $2)
         on conflict do nothing)
       insert into operational.last_backup (made_at, bytes) values ($1, $2)
       on conflict (is_only) do update set made_at = excluded.made_at, bytes = excluded.bytes`,
      [madeAt, bytes],
    )
    .catch(() => {});
}

async function writeAll(handle: FileHandle, chunks: AsyncIterable<Buffer>) {
  for await (const chunk of chunks) {
    for (let done = 0; done < chunk.length; ) {
      done += (await handle.write(chunk, done)).bytesWritten;
    }
  }
}

/**
 * The content of the archive, in one pass; the manifest is known when everything else was written.
 */
class BackupParts {
  readonly #source: BackupSource;
  readonly #client: pg.Client;
  readonly #madeAt = new Date();
  readonly #files: Manifest['files'] = [];
  readonly #tables: Manifest['tables'] = [];
  #migrations: string[] = [];
  #events = 0;
  #streams = 0;

  constructor(source: BackupSource, client: pg.Client) {
    this.#source = source;
    this.#client = client;
  }

  async *files(): AsyncGenerator<ZipFile> {
    this.#events = await freeze(this.#client, this.#source.eventStoreDir);
    const { rows } = await this.#client.query<{ id: string }>(
      'select id from operational.migrations order by applied_at, id',
    );
    this.#migrations = rows.map(({ id }) => id);
    for (const table of await tablesToDump(this.#client)) {
      yield* this.#noted(partsOf(`${TABLES_FOLDER}/${table.name}`, this.#rowsOf(table)));
    }
    await this.#client.query('commit');
    yield* this.#noted(partsOf(EVENTS_FOLDER, this.#eventLines()));
    const manifest = Buffer.from(`${JSON.stringify(this.manifest(), null, 1)}\n`);
    const manifestHash = hash('sha256', manifest);
    yield { name: MANIFEST_FILE, contents: manifest };
    yield { name: MANIFEST_HASH_FILE, contents: Buffer.from(`${manifestHash}\n`) };
    const { secrets } = this.#source;
    if (!secrets) return;
    const sealed = sealSecrets(secrets.values, secrets.passphrase, manifestHash);
    yield { name: SECRETS_FILE, contents: sealed };
  }

  manifest(): Manifest {
    return {
      format: BACKUP_FORMAT,
      version: BACKUP_VERSION,
      madeAt: this.#madeAt.toISOString(),
      eventStore: { events: this.#events, streams: this.#streams },
      migrations: this.#migrations,
      tables: this.#tables,
      hasSecrets: this.#source.secrets !== null,
      files: this.#files,
    };
  }

  async *#noted(parts: AsyncIterable<ZipFile>): AsyncGenerator<ZipFile> {
    for await (const part of parts) {
      const { name, contents } = part;
      const sha256 = hash('sha256', contents);
      this.#files.push({ name, bytes: contents.length, sha256 });
      yield part;
    }
  }

  async *#rowsOf(table: Dumped): AsyncGenerator<string> {
    let rows = 0;
    for await (const line of dumpTable(this.#client, table)) {
      rows += 1;
      yield line;
    }
    this.#tables.push({ name: table.name, columns: [...table.columns], rows });
  }

  async *#eventLines(): AsyncGenerator<string> {
    for await (const event of readEvents(this.#source.eventStoreDir, this.#events)) {
      if (event.revision === 0) this.#streams += 1;
      yield lineOfEvent(event);
    }
  }
}

/**
 * Opens a transaction that sees the tables at a moment without appends, and returns the position of
 * the last event then. So everything stored before an event, such as a person's key, is included,
 * and nothing refers to missing events.
 */
async function freeze(client: pg.Client, eventStoreDir: string): Promise<number> {
  await client.query('begin transaction isolation level repeatable read read only');
  // Row-level security must not silently omit a row.
  await client.query('set local row_security = off');
  await client.query(`set local statement_timeout = ${HELD_MS_MAX}`);
  const head = await headOfMoment(client, eventStoreDir);
  await client.query('set local statement_timeout = 0');
  return head;
}

async function headOfMoment(client: pg.Client, eventStoreDir: string): Promise<number> {
  using held = new HeldAppends(eventStoreDir);
  // The transaction sees what its first query sees.
  await client.query('select pg_current_snapshot()');
  return held.head;
}
