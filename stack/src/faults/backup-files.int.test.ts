import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { registerOrganization } from '@tallyhand/test-kit/api-client';
import { caseRuns } from '@tallyhand/test-kit/cases';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { positionTables } from '../backup/check-restored.ts';
import { withClient } from '../backup/manifest.ts';
import { openBackup, restoreBackup } from '../backup/restore-backup.ts';
import { openSecrets } from '../backup/sealed-secrets.ts';
import { takeBackup } from '../backup/take-backup.ts';
import { makeSecrets } from '../supervisor/secrets.ts';
import { type KeptProduct, startKeptProduct } from '../testing/kept-product.ts';
import { sharedFolder } from './supervised-product.ts';

const PASSPHRASE = 'a passphrase of the tests';

const stack = new AsyncDisposableStack();
let folder = '';
let product: KeptProduct;
let file = '';

beforeAll(async () => {
  folder = stack.use(await sharedFolder()).path;
  product = stack.use(await startKeptProduct());
  await registerOrganization(product.running.url);
  file = join(folder, 'whole.backup');
  await takeBackup({ ...source(), secrets: sealed() }, file);
});
afterAll(() => stack.disposeAsync());

const source = () => ({
  eventStoreDir: join(product.dataDir, 'event-store'),
  databaseUrl: product.keys.databaseUrl,
});
const sealed = () => ({
  values: { ...makeSecrets(), ...product.keys },
  passphrase: PASSPHRASE,
});

function changed(name: string, change: (bytes: Buffer) => Buffer): string {
  const path = join(folder, name);
  writeFileSync(path, change(readFileSync(file)));
  return path;
}

/** One sentence, and nothing in the folder or beside it. */
async function expectRefused(from: string, message: string, passphrase = PASSPHRASE) {
  const before = readdirSync(folder);
  const dataDir = join(folder, 'restored');
  await expect(restoreBackup(from, dataDir, { passphrase }, () => {})).rejects.toThrow(message);
  expect(existsSync(dataDir)).toBe(false);
  expect(readdirSync(folder)).toEqual(before);
}

describe('a backup', () => {
  it('is recorded with its size, for evidence packs', async () => {
    const { rows } = await withClient(product.keys.databaseUrl, (client) =>
      client.query<{ bytes: number }>('select bytes::float8 from operational.backups'),
    );
    expect(rows).toEqual([{ bytes: statSync(file).size }]);
  });
});

describe('a backup that is restored', () => {
  it('is refused when it was cut off, wherever', async () => {
    const { length } = readFileSync(file);
    for (const bytes of [0, 1, Math.floor(length / 2), length - 1]) {
      await expectRefused(
        changed('cut.backup', (whole) => whole.subarray(0, bytes)),
        'cut off',
      );
    }
  });

  it('is refused when a byte of its content was altered', async () => {
    using whole = await openBackup(file);
    const names = whole.manifest.files.map(({ name }) => name);
    const { numRuns } = caseRuns(3, names.length);
    for (const name of ['manifest.json', 'secrets.sealed', ...names.slice(-numRuns)]) {
      const altered = changed('altered.backup', (bytes) => {
        const at = bytes.indexOf(name) + name.length + 40;
        bytes[at] = (bytes[at] ?? 0) ^ 1;
        return bytes;
      });
      const message = name === 'secrets.sealed' ? 'does not open the secrets' : name;
      await expectRefused(altered, message);
    }
  });

  it('is refused when it is of a newer release, or not a backup', async () => {
    const newer = changed('newer.backup', (bytes) =>
      Buffer.from(bytes.toString('latin1').replace('"version": 1', '"version": 2'), 'latin1'),
    );
    // Its own hash is no longer right: a newer release would have written that, too.
    await expectRefused(newer, 'manifest.json in it is not as it was written');
    await expectRefused(
      changed('text.backup', () => Buffer.from('text')),
      'no ZIP file',
    );
    await expectRefused(join(folder, 'nothing.backup'), 'There is no such file');
  });

  it('is refused with another passphrase, and holds no secret in the open', async () => {
    await expectRefused(file, 'BACKUP_PASSPHRASE does not open', 'another passphrase');
    const bytes = readFileSync(file);
    const { masterKey, signingKey } = product.keys;
    expect([masterKey, signingKey].filter((secret) => bytes.includes(secret))).toEqual([]);
    using backup = await openBackup(file);
    const opened = openSecrets(backup.secrets ?? Buffer.of(), PASSPHRASE, backup.manifestHash);
    expect(opened).toMatchObject({ masterKey, signingKey });
  });

  it('is refused into a folder that is not empty', async () => {
    const options = { passphrase: PASSPHRASE };
    await expect(restoreBackup(file, folder, options, () => {})).rejects.toThrow('is not empty');
  });
});

describe('taking a backup', () => {
  it('overwrites nothing', async () => {
    const before = readFileSync(file);
    await expect(takeBackup({ ...source(), secrets: null }, file)).rejects.toThrow(
      'exists already',
    );
    expect(readFileSync(file)).toEqual(before);
  });

  it('knows every table with positions of the event store', async () => {
    const tables = await withClient(product.keys.databaseUrl, async (client) => {
      const { rows } = await client.query<{ name: string }>(
        `select 'operational.' || table_name as name from information_schema.columns
         where table_schema = 'operational' and column_name = 'position'`,
      );
      return { known: await positionTables(client), all: rows.map(({ name }) => name) };
    });
    expect(tables.known.toSorted()).toEqual(tables.all.toSorted());
  });

  it('has every table and row of the operational schema', async () => {
    using backup = await openBackup(file);
    const tables = await withClient(product.keys.databaseUrl, async (client) => {
      const { rows } = await client.query<{ name: string; sequences: string }>(
        `select 'operational.' || tablename as name,
           (select count(*) from pg_sequences where schemaname = 'operational') as sequences
         from pg_tables where schemaname = 'operational' and tablename <> 'migrations'`,
      );
      return rows;
    });
    const stored = new Map(backup.manifest.tables.map(({ name, rows }) => [name, rows]));
    expect(tables.filter(({ name }) => !stored.has(name))).toEqual([]);
    // A sequence's own state would have to be stored beside the rows.
    expect(tables[0]?.sequences).toBe('0');
    expect(stored.get('operational.person_keys')).toBe(1);
  });
});
