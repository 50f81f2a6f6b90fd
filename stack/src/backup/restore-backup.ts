import { chmod, mkdtemp, readdir, readFile, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { startEventStore } from '@tallyhand/event-store/server';
import { writeEvents } from '@tallyhand/event-store/storage/copies';
import { verifyStore } from '@tallyhand/event-store/storage/verify';
import { OperatorError } from '../operator/operator-error.ts';
import { startPostgres } from '../postgres/start-postgres.ts';
import { eventStoreUsers } from '../supervisor/embedded-event-store.ts';
import { ensureDatabase } from '../supervisor/ensure-database.ts';
import { makeSecrets, type Secrets, writeSecrets } from '../supervisor/secrets.ts';
import { checkAgreement, checkRestored } from './check-restored.ts';
import { eventOfLine } from './event-lines.ts';
import { loadTables } from './load-tables.ts';
import { EVENTS_FOLDER, type Manifest, TABLES_FOLDER } from './manifest.ts';
import { type Backup, openBackup } from './open-backup.ts';
import { isForWantOfRoom } from './out-of-room.ts';
import { openSecrets } from './sealed-secrets.ts';
import { withClient } from './with-client.ts';

/** The operator's secrets: a passphrase, or the keys of a backup without secrets. */
export type RestoreOptions = {
  /** Restores despite failed consistency checks; altered bytes are never accepted. */
  readonly acceptsFaults?: boolean;
  readonly passphrase?: string | undefined;
  readonly masterKey?: string | undefined;
  readonly signingKey?: string | undefined;
};

/**
 * Creates a data folder from a backup. It is built and checked in a folder beside it, which is
 * renamed at the very end: until then, and whenever this throws, nothing else has changed.
 */
export async function restoreBackup(
  file: string,
  dataDir: string,
  options: RestoreOptions,
  say: (line: string) => void,
): Promise<Manifest> {
  await refuseFull(dataDir);
  using backup = await openBackup(file);
  const secrets = secretsOf(backup, options);
  const building = await mkdtemp(join(dirname(dataDir), `${basename(dataDir)}.restoring-`));
  try {
    // When root starts PostgreSQL, it runs as another user, who must be able to enter.
    await chmod(building, 0o755);
    await build(backup, secrets, building, { ...options, say });
    await rename(building, dataDir);
  } catch (error) {
    const wantsRoom = await isForWantOfRoom(error, building);
    await removeUnfinished(building);
    if (wantsRoom) {
      throw new OperatorError(
        `The disk of ${dirname(dataDir)} is full: there is no room for what the backup holds. Nothing ` +
          'was left there.',
      );
    }
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOTEMPTY' || code === 'EEXIST') throw isFull(dataDir);
    if (code === 'EBUSY' || code === 'EXDEV') {
      throw new OperatorError(`${dataDir} is a mount of its own: name a folder in it.`);
    }
    throw error;
  }
  return backup.manifest;
}

const isFull = (dataDir: string) =>
  new OperatorError(`${dataDir} is not empty. Name a folder that is empty, or not there yet.`);

async function refuseFull(dataDir: string) {
  const names = await readdir(dataDir).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw new OperatorError(`DATA_DIR ${dataDir} can't be used (${error.code}).`);
  });
  if (names.length > 0) throw isFull(dataDir);
}

function secretsOf({ secrets, manifestHash }: Backup, keys: RestoreOptions): Secrets {
  if (secrets) {
    if (!keys.passphrase) {
      throw new OperatorError('The secrets in it are sealed: set BACKUP_PASSPHRASE.');
    }
    const opened = openSecrets(secrets, keys.passphrase, manifestHash);
    if (opened) return opened;
    throw new OperatorError(
      'BACKUP_PASSPHRASE does not open the secrets in it: it is another one, or someone has ' +
        'changed the backup.',
    );
  }
  const { masterKey, signingKey } = keys;
  if (masterKey && signingKey) return { ...makeSecrets(), masterKey, signingKey };
  throw new OperatorError(
    'It was made without secrets: set MASTER_KEY and SIGNING_KEY to those of then ' +
      '(masterKey and signingKey in secrets.json).',
  );
}

async function build(
  backup: Backup,
  secrets: Secrets,
  dataDir: string,
  { acceptsFaults = false, say }: RestoreOptions & { readonly say: (line: string) => void },
) {
  const { manifest } = backup;
  writeSecrets(dataDir, secrets);
  const eventStoreDir = join(dataDir, 'event-store');
  await writeEvents(eventStoreDir, eventsOf(backup));
  const found = verifyStore(eventStoreDir);
  const { events, streams } = manifest.eventStore;
  if (found.events !== events || found.streams !== streams) {
    throw new OperatorError(
      `There should be ${events} events in ${streams} streams, and there are ${found.events} in ` +
        `${found.streams}.`,
    );
  }
  say(`${events} events in ${streams} streams are whole.`);

  await using stack = new AsyncDisposableStack();
  const { postgresPassword: password, masterKey, signingKey } = secrets;
  const postgres = await startPostgres({ dataDir: join(dataDir, 'postgres'), password });
  stack.defer(() => postgres.stop());
  const databaseUrl = await ensureDatabase(postgres.url);
  await loadTables(databaseUrl, masterKey, {
    ...manifest,
    lines: ({ name }) => backup.lines(`${TABLES_FOLDER}/${name}`),
  });
  const faults = await withClient(databaseUrl, (client) => checkAgreement(client, eventStoreDir));
  if (faults.length > 0) throw new OperatorError(faults.join('\n'));
  const rows = manifest.tables.reduce((sum, table) => sum + table.rows, 0);
  say(`${rows} rows in ${manifest.tables.length} tables agree with them.`);
  const users = eventStoreUsers(masterKey);
  const eventStore = stack.use(await startEventStore({ dataDir: eventStoreDir, port: 0, users }));
  const eventStoreUrl = eventStore.urlOf('writer');
  const stores = { dataDir, databaseUrl, eventStoreUrl, masterKey, signingKey };
  await checkRestored(stores, acceptsFaults, say);
}

async function* eventsOf(backup: Backup) {
  for await (const lines of backup.lines(EVENTS_FOLDER)) {
    for (const line of lines) yield eventOfLine(line);
  }
}

/** PostgreSQL's files may be elsewhere, where its user can't enter the folder. */
async function removeUnfinished(building: string) {
  const elsewhere = await readFile(join(building, 'postgres', 'location'), 'utf8').catch(() => '');
  if (elsewhere.trim()) await rm(elsewhere.trim(), { recursive: true, force: true });
  await rm(building, { recursive: true, force: true, maxRetries: 10 });
}
