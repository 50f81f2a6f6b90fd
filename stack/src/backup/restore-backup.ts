import { hash } from 'node:crypto';
import { chmod, mkdtemp, readdir, readFile, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { writeWhole } from '@tallyhand/event-store/access/write-whole';
import { startEventStore } from '@tallyhand/event-store/server';
import { writeEvents } from '@tallyhand/event-store/storage/copies';
import { verifyStore } from '@tallyhand/event-store/storage/verify';
import {
  type OpenBundle,
  openBundle,
  UnreadableBundle,
} from '@tallyhand/service-kit/audit-bundle/zip-reader';
import { OperatorError } from '../operator/command.ts';
import { startPostgres } from '../postgres/start-postgres.ts';
import { ensureDatabase, eventStoreUsers } from '../supervisor/embedded-servers.ts';
import { auditKeyFile, makeSecrets, writeSecrets } from '../supervisor/secrets.ts';
import { checkAgreement, checkRestored } from './check-restored.ts';
import { eventOfLine, linesOf } from './event-lines.ts';
import { loadTables } from './load-tables.ts';
import {
  BACKUP_VERSION,
  EVENTS_FOLDER,
  MANIFEST_FILE,
  MANIFEST_HASH_FILE,
  Manifest,
  ManifestHead,
  SECRETS_FILE,
  TABLES_FOLDER,
  withClient,
} from './manifest.ts';
import { isForWantOfRoom } from './out-of-room.ts';
import { type BackedUpSecrets, openSecrets } from './sealed-secrets.ts';

/** The operator's secrets: a passphrase, or the keys of a backup without secrets. */
export type RestoreOptions = {
  /** Restores despite failed consistency checks; altered bytes are never accepted. */
  readonly acceptsFaults?: boolean;
  readonly passphrase?: string | undefined;
  readonly masterKey?: string | undefined;
  readonly signingKey?: string | undefined;
  readonly auditKeyPem?: string | undefined;
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
      throw new OperatorError(`${dataDir} is a mount point: name a folder in it.`);
    }
    throw error;
  }
  return backup.manifest;
}

/** The keys that have signed audit logs. */
const KEY_TABLE = 'operational.audit_keys';

const isFull = (dataDir: string) =>
  new OperatorError(`${dataDir} is not empty. Name a folder that is empty, or not there yet.`);

async function refuseFull(dataDir: string) {
  const names = await readdir(dataDir).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw new OperatorError(`DATA_DIR ${dataDir} can't be used (${error.code}).`);
  });
  if (names.length > 0) throw isFull(dataDir);
}

function secretsOf({ secrets, manifestHash }: Backup, keys: RestoreOptions): BackedUpSecrets {
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
  const { masterKey, signingKey, auditKeyPem } = keys;
  if (masterKey && signingKey) return { ...makeSecrets(), masterKey, signingKey, auditKeyPem };
  throw new OperatorError(
    'It was made without secrets: set MASTER_KEY and SIGNING_KEY to those of then ' +
      '(masterKey and signingKey in secrets.json).',
  );
}

async function build(
  backup: Backup,
  { auditKeyPem, ...secrets }: BackedUpSecrets,
  dataDir: string,
  { acceptsFaults = false, say }: RestoreOptions & { readonly say: (line: string) => void },
) {
  const { manifest } = backup;
  writeSecrets(dataDir, secrets);
  const auditKeyPath = auditKeyFile(dataDir);
  if (auditKeyPem !== undefined) writeWhole(auditKeyPath, auditKeyPem);
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
  const hasKeys = manifest.tables.some(({ name, rows }) => name === KEY_TABLE && rows > 0);
  if (hasKeys && auditKeyPem === undefined) {
    say('Audit logs are signed again once their key is in audit-key.pem, or the settings name it.');
  }
  const users = eventStoreUsers(masterKey);
  const eventStore = stack.use(await startEventStore({ dataDir: eventStoreDir, port: 0, users }));
  const eventStoreUrl = eventStore.urlOf('writer');
  const auditKey = { kind: 'file', path: auditKeyPath } as const;
  const stores = { dataDir, databaseUrl, eventStoreUrl, masterKey, signingKey, auditKey };
  await checkRestored(stores, acceptsFaults, say);
}

async function* eventsOf(backup: Backup) {
  for await (const lines of backup.lines(EVENTS_FOLDER)) {
    for (const line of lines) yield eventOfLine(line);
  }
}

/** PostgreSQL's files are elsewhere if its user can't enter the folder. */
async function removeUnfinished(building: string) {
  const elsewhere = await readFile(join(building, 'postgres', 'location'), 'utf8').catch(() => '');
  if (elsewhere.trim()) await rm(elsewhere.trim(), { recursive: true, force: true });
  await rm(building, { recursive: true, force: true, maxRetries: 10 });
}

const FILES_MAX = 1_000_000;
const MANIFEST_BYTES_MAX = 512 * 1024 * 1024;

/** A backup whose used bytes were all verified. */
type Backup = Disposable & {
  readonly manifest: Manifest;
  readonly manifestHash: string;
  /** Sealed; null where they were left out. */
  readonly secrets: Buffer | null;
  /** The lines of a folder, in their order. */
  lines(folder: string): AsyncGenerator<string[]>;
};

/** Reads the whole file once. Throws an OperatorError that names the fault. */
export async function openBackup(file: string): Promise<Backup> {
  try {
    return await opened(file);
  } catch (error) {
    if (!(error instanceof UnreadableBundle)) throw error;
    throw new OperatorError(`${file} is not restored: ${error.message}`);
  }
}

async function opened(file: string): Promise<Backup> {
  const archive = await openBundle(file, FILES_MAX);
  try {
    const { manifest, manifestHash } = await readManifest(archive);
    const names = new Set([
      MANIFEST_FILE,
      MANIFEST_HASH_FILE,
      ...manifest.files.map((f) => f.name),
    ]);
    if (manifest.hasSecrets) names.add(SECRETS_FILE);
    if (names.size !== archive.names.length || archive.names.some((name) => !names.has(name))) {
      throw new UnreadableBundle('its files are not those of its manifest.');
    }
    for (const { name, bytes, sha256 } of manifest.files) {
      const contents = await readWhole(archive, name, bytes);
      if (hash('sha256', contents) !== sha256) throw altered(name);
    }
    return {
      manifest,
      manifestHash,
      secrets: manifest.hasSecrets
        ? await readWhole(archive, SECRETS_FILE, MANIFEST_BYTES_MAX)
        : null,
      async *lines(folder) {
        for (const { name, bytes } of manifest.files) {
          if (!name.startsWith(`${folder}/`)) continue;
          yield await linesOf(await readWhole(archive, name, bytes));
        }
      },
      [Symbol.dispose]: () => archive[Symbol.dispose](),
    };
  } catch (error) {
    archive[Symbol.dispose]();
    throw error;
  }
}

async function readManifest(archive: OpenBundle) {
  if (!archive.names.includes(MANIFEST_FILE)) {
    throw new UnreadableBundle('it is no backup of Tallyhand: it has no manifest.');
  }
  const contents = await readWhole(archive, MANIFEST_FILE, MANIFEST_BYTES_MAX);
  const manifestHash = hash('sha256', contents);
  const noted = await readWhole(archive, MANIFEST_HASH_FILE, MANIFEST_BYTES_MAX);
  if (noted.toString().trim() !== manifestHash) throw altered(MANIFEST_FILE);
  const json: unknown = JSON.parse(contents.toString());
  const head = ManifestHead.safeParse(json);
  if (!head.success) throw new UnreadableBundle('it is no backup of Tallyhand.');
  if (head.data.version > BACKUP_VERSION) {
    throw new UnreadableBundle('it was made by a newer release. Restore it with that one.');
  }
  const manifest = Manifest.safeParse(json);
  if (!manifest.success) throw altered(MANIFEST_FILE);
  return { manifest: manifest.data, manifestHash };
}

const altered = (name: string) =>
  new UnreadableBundle(`${name} in it is not as it was written: it was altered or damaged.`);

async function readWhole(archive: OpenBundle, name: string, bytesMax: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of archive.read(name)) {
    bytes += chunk.length;
    if (bytes > bytesMax) throw altered(name);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
