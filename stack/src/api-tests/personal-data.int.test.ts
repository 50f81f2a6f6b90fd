import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { registerUser, signIn } from '@tallyhand/contracts/features/identity/identity.endpoints';
import { issueInvitation } from '@tallyhand/contracts/features/team/team.endpoints';
import { openEventLog } from '@tallyhand/service-kit/event-store/event-log';
import { openPool } from '@tallyhand/service-kit/postgres/pool';
import { apiClient } from '@tallyhand/test-kit/api-client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type OwnProduct, startTestProduct } from '../testing/product.ts';
import { connectedAs } from '../testing/service-connection.ts';

// Unlikely to appear by chance in any other stored data.
const mark = randomUUID().slice(0, 8);
const email = `canary.${mark}@example.com`;
const username = `Canary ${mark}`;
const password = `canary-password-${mark}`;
const wrongPassword = `canary-mistyped-${mark}`;
const invited = `invited.${mark}@example.com`;
const message = `Canary message ${mark}`;
const ip = '203.0.113.77';
const userAgent = `CanaryBrowser/${mark}`;
const secrets = { email, username, password, wrongPassword, invited, message, ip, userAgent };

let product: OwnProduct;
let token: string;
beforeAll(async () => {
  product = await startTestProduct({ trustProxy: true });
  const client = apiClient(product.url);
  const headers = { 'x-forwarded-for': ip, 'user-agent': userAgent };
  const body = { email, username, password, organizationName: 'Harbour' };
  expect((await client.call(registerUser, { body, headers })).status).toBe(201);
  const wrong = { email, password: wrongPassword };
  expect((await client.call(signIn, { body: wrong, headers })).status).toBe(401);
  expect((await client.call(signIn, { body: { email, password }, headers })).status).toBe(200);
  const invitation = await client.call<{ token: string }>(issueInvitation, {
    body: { email: invited, role: 'Editor', message },
    headers: { ...headers, 'idempotency-key': mark },
  });
  expect(invitation.status).toBe(201);
  token = invitation.body.token;
});
afterAll(() => product[Symbol.asyncDispose]());

/** Every stored event whole, as text. */
async function storedEvents(): Promise<string[]> {
  const log = openEventLog(product.config.eventStoreUrl);
  try {
    const found: string[] = [];
    for await (const { event } of log.client.readAll()) {
      if (event)
        found.push(JSON.stringify([event.streamId, event.type, event.data, event.metadata]));
    }
    return found;
  } finally {
    await log.close();
  }
}

/** Every row of every table of the schemas, whole; binary columns as the bytes that they hold. */
async function storedRows(schemas: readonly string[]): Promise<Map<string, Buffer[]>> {
  const pool = openPool(product.config.databaseUrl, 1);
  try {
    const { rows: tables } = await pool.query<{ name: string }>(
      `select format('%I.%I', schemaname, tablename) as name from pg_tables
       where schemaname = any($1)`,
      [schemas],
    );
    const found = new Map<string, Buffer[]>();
    for (const { name } of tables) {
      const { rows } = await pool.query<Record<string, unknown>>(`select * from ${name}`);
      const values = rows.flatMap((row) => Object.values(row));
      found.set(
        name,
        values.map((v) => (Buffer.isBuffer(v) ? v : Buffer.from(JSON.stringify(v) ?? ''))),
      );
    }
    return found;
  } finally {
    await pool.end();
  }
}

async function tablesWith(text: string): Promise<string[]> {
  const tables = await storedRows(['read_model']);
  return [...tables]
    .filter(([, rows]) => rows.some((row) => row.includes(text)))
    .map(([name]) => name)
    .toSorted();
}

/** A file, unless the server has removed it since it was listed, as it does with its caches. */
function stillThere(path: string): Buffer[] {
  try {
    return [readFileSync(path)];
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}

/** The files of this database's tables, and of the server's write-ahead log. */
async function databaseFiles(): Promise<Buffer[]> {
  const pool = openPool(product.config.databaseUrl, 1);
  try {
    await pool.query('checkpoint');
    const { rows } = await pool.query<{ folder: string; base: string }>(
      `select current_setting('data_directory') as folder, oid::text as base
       from pg_database where datname = current_database()`,
    );
    const { folder = '', base = '' } = rows[0] ?? {};
    const folders = [join(folder, 'base', base), join(folder, 'pg_wal')];
    const lists = folders.map((one) =>
      readdirSync(one, { withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map(({ name }) => join(one, name)),
    );
    return lists.flat().flatMap(stillThere);
  } finally {
    await pool.end();
  }
}

describe('personal data', () => {
  it('is in no event', async () => {
    const events = await storedEvents();
    expect(events.some((event) => event.includes('UserRegistered'))).toBe(true);
    for (const [what, secret] of Object.entries(secrets)) {
      expect(
        events.filter((event) => event.includes(secret)),
        what,
      ).toEqual([]);
    }
  });

  it('is readable in no operational table and no job', async () => {
    const tables = await storedRows(['operational', 'jobs']);
    for (const filled of ['person_keys', 'password_hashes', 'sign_ins', 'idempotency']) {
      expect(tables.get(`operational.${filled}`), filled).not.toEqual([]);
    }
    for (const [name, values] of tables) {
      for (const [what, secret] of Object.entries({ ...secrets, token })) {
        expect(
          values.some((value) => value.includes(secret)),
          `${what} in ${name}`,
        ).toBe(false);
      }
    }
  });

  it('is readable in the read models that docs/security.md names, and in no other', async () => {
    const audit = 'read_model.audit_entries';
    const expected = {
      email: [audit, 'read_model.members'],
      username: [audit, 'read_model.members'],
      password: [],
      wrongPassword: [],
      token: [],
      invited: [audit, 'read_model.invitations'],
      message: [audit],
      ip: [audit],
      userAgent: [audit],
    };
    const found = async () => {
      const all = Object.entries({ ...secrets, token });
      const lists = all.map(async ([what, secret]) => [what, await tablesWith(secret)] as const);
      return Object.fromEntries(await Promise.all(lists));
    };
    // The read models have it a moment after the calls.
    await expect.poll(found).toEqual(expected);
  });

  it('is in the files of the database and its write-ahead log only where its tables have it', async () => {
    const files = await databaseFiles();
    const inFiles = (text: string) => files.some((file) => file.includes(text));
    for (const readable of [username, invited]) expect(inFiles(readable)).toBe(true);
    for (const secret of [password, wrongPassword, token]) expect(inFiles(secret)).toBe(false);
  });
});

describe('a service', () => {
  it.each(['projector', 'query'] as const)(
    'that is the %s can not read password hashes',
    async (role) => {
      await connectedAs(product, role, async (db) => {
        const read = db.query('select * from operational.password_hashes');
        await expect(read).rejects.toThrow('permission denied');
      });
    },
  );
});
