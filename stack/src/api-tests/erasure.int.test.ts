import {
  type AuditEntry,
  listAuditEntries,
} from '@tallyhand/contracts/features/audit/audit.endpoints';
import {
  type AuditExport,
  listAuditExports,
} from '@tallyhand/contracts/features/audit/audit-exports.endpoints';
import { chatWithAgent } from '@tallyhand/contracts/features/chat/chat.endpoints';
import {
  changeProfile,
  erasePerson,
} from '@tallyhand/contracts/features/identity/account.endpoints';
import {
  getCurrentUser,
  registerUser,
  signIn,
} from '@tallyhand/contracts/features/identity/identity.endpoints';
import { executeTask } from '@tallyhand/contracts/features/tasks/tasks.endpoints';
import {
  issueInvitation,
  listInvitations,
  listMembers,
  restoreMember,
} from '@tallyhand/contracts/features/team/team.endpoints';
import type { Problem } from '@tallyhand/contracts/kernel/problem';
import { openPool } from '@tallyhand/service-kit/postgres/pool';
import {
  type ApiClient,
  agentWithArticle,
  apiClient,
  registerOrganization,
  testPassword,
} from '@tallyhand/test-kit/api-client';
import type pg from 'pg';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { verifiedExport } from '../testing/audit-pages.ts';
import { tables } from '../testing/database-rights.ts';
import { type OwnProduct, startTestProduct } from '../testing/product.ts';

let product: OwnProduct;
let pool: pg.Pool;
beforeAll(async () => {
  product = await startTestProduct({ trustProxy: true });
  pool = openPool(product.config.databaseUrl, 1);
});
afterAll(async () => {
  await pool.end();
  await product[Symbol.asyncDispose]();
});

/** Unlikely to appear by chance in any other stored data. */
function newPerson() {
  const mark = crypto.randomUUID().slice(0, 8);
  return {
    email: `Grace.${mark}@example.com`,
    second: `hopper.${mark}@example.com`,
    username: `Grace ${mark}`,
    renamed: `Hopper ${mark}`,
    said: `What Grace ${mark} said`,
    address: `2001:db8::${mark.slice(0, 4)}:${mark.slice(4)}`,
  };
}
type Person = ReturnType<typeof newPerson>;

/** Joins by mail, works, talks, changes name and address, and fails to sign in. */
async function joinAndWork(admin: ApiClient, person: Person) {
  const { email, second, username, renamed, said, address } = person;
  const invited = await admin.call<{ token: string }>(issueInvitation, {
    body: { email, role: 'Editor', message: `Welcome, ${username}` },
  });
  const client = apiClient(product.url);
  const headers = { 'x-forwarded-for': address };
  const body = { email, username, password: testPassword, invite: invited.body.token };
  const joined = await client.call<{ user: { id: string } }>(registerUser, { body, headers });
  expect(joined.status).toBe(201);
  const wrong = { email, password: 'a wrong password' };
  expect((await apiClient(product.url).call(signIn, { body: wrong, headers })).status).toBe(401);
  const { agent } = await agentWithArticle(client);
  const params = { id: agent.id };
  await client.call(chatWithAgent, { params, body: { message: said }, headers });
  const task = { input: 'How long do returns take?' };
  expect((await client.call(executeTask, { params, body: task, headers })).status).toBe(200);
  const changed = { username: renamed, email: second, currentPassword: testPassword };
  expect((await client.call(changeProfile, { body: changed, headers })).status).toBe(200);
  return { client, id: joined.body.user.id };
}

const erase = (client: ApiClient, password = testPassword) =>
  client.call<Problem>(erasePerson, { body: { password } });

/** Every row of the read models that holds one of the texts. */
async function rowsWith(texts: readonly string[]): Promise<string[]> {
  const found: string[] = [];
  for (const table of tables) {
    const { rows } = await pool.query<{ row: string }>(
      `select t::text as row from read_model.${table} t where t::text ilike any($1)`,
      [texts.map((text) => `%${text}%`)],
    );
    found.push(...rows.map(({ row }) => `${table}: ${row}`));
  }
  return found;
}

async function allRows(organizationId: string): Promise<Map<string, string[]>> {
  const found = new Map<string, string[]>();
  for (const table of tables) {
    const { rows } = await pool.query<{ row: string }>(
      `select t::text as row from read_model.${table} t where organization_id = $1
       order by t::text collate "C"`,
      [organizationId],
    );
    found.set(
      table,
      rows.map(({ row }) => row),
    );
  }
  return found;
}

describe('a member who erases their account', () => {
  const person = newPerson();
  const texts = [person.email, person.second, person.username, person.renamed, person.said];
  let admin: ApiClient;
  let organizationId: string;
  let adminId: string;
  let grace: { client: ApiClient; id: string };
  let exported: string;
  let leaves: unknown[];

  /** How many keys of texts are there of entries that show this text. */
  async function keysOfTexts(text: string) {
    const { rowCount } = await pool.query(
      `select from read_model.audit_entries a, jsonb_each_text(a.text_keys) k
     where a.revealed->>k.key = $1`,
      [text],
    );
    return rowCount;
  }

  const leavesUpTo = async (sequence: number) =>
    (
      await pool.query(
        `select sequence, leaf, data from read_model.audit_entries
         where organization_id = $1 and sequence <= $2 order by sequence`,
        [organizationId, sequence],
      )
    ).rows;

  beforeAll(async () => {
    const registered = await registerOrganization(product.url);
    admin = registered.client;
    organizationId = registered.user.organization.id;
    adminId = registered.user.id;
    grace = await joinAndWork(admin, person);
    // A failed sign-in is recorded a moment later.
    const failed = () => rowsWith(['wrong-credentials']);
    await vi.waitFor(async () => expect(await failed()).not.toEqual([]));
    const held = await verifiedExport(admin, product.url);
    exported = held.id;
    expect(held.proof).toMatchObject({ isWell: true });
    expect(held.bytes.includes(person.email)).toBe(true);
    expect((await rowsWith(texts)).length).toBeGreaterThan(5);
    expect((await rowsWith([person.address])).length).toBeGreaterThan(2);
    expect(await keysOfTexts(person.email)).toBeGreaterThan(0);
    leaves = await leavesUpTo(1_000_000);
    expect((await erase(grace.client, 'a wrong password')).status).toBe(422);
    expect((await erase(grace.client)).status).toBe(204);
  });

  it('is signed out permanently, and has left', async () => {
    expect((await grace.client.call(getCurrentUser)).status).toBe(401);
    for (const email of [person.email, person.second]) {
      const body = { email, password: testPassword };
      expect((await apiClient(product.url).call(signIn, { body })).status).toBe(401);
    }
    const members = await admin.call<{ id: string }[]>(listMembers);
    expect(members.body.map(({ id }) => id)).not.toContain(grace.id);
    const back = await admin.call<Problem>(restoreMember, { params: { id: grace.id } });
    expect([back.status, back.body.code]).toEqual([404, 'not-found']);
    // Recorded a moment later.
    const refused = { query: { kind: 'CallRefused' } };
    await expect
      .poll(async () => {
        const { body } = await admin.call<AuditEntry[]>(listAuditEntries, refused);
        return body.map(({ actor }) => actor.id);
      })
      .toContain(adminId);
  });

  it('has neither name nor address in any view', async () => {
    await admin.call(listMembers);
    expect(await rowsWith([...texts, person.address])).toEqual([]);
    const found = async (q: string) =>
      (await admin.call<AuditEntry[]>(listAuditEntries, { query: { q } })).body;
    expect(await found(person.email)).toEqual([]);
    expect(await found(person.username)).toEqual([]);
    const query = { kind: 'UserRegistered' };
    const entries = (await admin.call<AuditEntry[]>(listAuditEntries, { query })).body;
    expect(entries.find(({ object }) => object.id === grace.id)?.changes).toContainEqual({
      field: 'email',
      before: null,
      after: 'erased',
    });
    const invitations = await admin.call<{ email: string }[]>(listInvitations);
    expect(invitations.body.map(({ email }) => email)).toEqual(['erased']);
  });

  it('leaves no key, password or sign-in behind', async () => {
    for (const table of ['password_hashes', 'sign_ins', 'held_addresses', 'account_tokens']) {
      const { rowCount } = await pool.query(`select from operational.${table} where user_id = $1`, [
        grace.id,
      ]);
      expect([table, rowCount]).toEqual([table, 0]);
    }
    const { rows } = await pool.query(
      'select sealed from operational.person_keys where person_id = $1',
      [grace.id],
    );
    expect(rows).toEqual([{ sealed: null }]);
    expect(await keysOfTexts('erased')).toBe(0);
  });

  it("is in no export any more, and the log's proof is unchanged", async () => {
    const list = await admin.call<AuditExport[]>(listAuditExports);
    expect(list.body.map(({ id }) => id)).not.toContain(exported);
    const after = await verifiedExport(admin, product.url);
    expect(after.proof).toMatchObject({ isWell: true });
    for (const text of texts) expect(after.bytes.includes(text)).toBe(false);
    expect(await leavesUpTo(leaves.length)).toEqual(leaves);
  });

  it('is still erased after everything is rebuilt from the first event', async () => {
    const whole = async () =>
      (
        await pool.query(
          `select projection, position from read_model.checkpoints order by projection`,
        )
      ).rows;
    const before = await allRows(organizationId);
    const checkpoints = await whole();
    await product.restart(async () => {
      for (const table of tables) await pool.query(`delete from read_model.${table}`);
      await pool.query('delete from read_model.checkpoints');
    });
    await expect.poll(whole).toEqual(checkpoints);
    const after = await allRows(organizationId);
    for (const [table, rows] of before) expect([table, after.get(table)]).toEqual([table, rows]);
  });

  it('frees their addresses', async () => {
    const { client: admin } = await registerOrganization(product.url);
    const person = newPerson();
    const { client } = await joinAndWork(admin, person);
    expect((await erase(client)).status).toBe(204);
    for (const email of [person.email, person.second]) {
      const body = {
        email,
        username: 'Another',
        password: 'not the password of before',
        organizationName: 'Other',
      };
      expect((await apiClient(product.url).call(registerUser, { body })).status).toBe(201);
    }
  });
});

describe('the only Admin', () => {
  it('of several members has to hand over first', async () => {
    const { client: admin } = await registerOrganization(product.url);
    const { client: member } = await joinAndWork(admin, newPerson());
    const refused = await erase(admin);
    expect([refused.status, refused.body.code]).toEqual([409, 'last-admin']);
    expect((await admin.call(getCurrentUser)).status).toBe(200);
    expect((await erase(member)).status).toBe(204);
    expect((await erase(admin)).status).toBe(204);
  });

  it('closes the organization as its last member: no invitation opens it again', async () => {
    const { client: admin, user } = await registerOrganization(product.url);
    const email = `${crypto.randomUUID()}@example.com`;
    const { body } = await admin.call<{ token: string }>(issueInvitation, { body: { email } });
    expect((await erase(admin)).status).toBe(204);
    const late = await apiClient(product.url).call<Problem>(registerUser, {
      body: { email, username: 'Late', password: testPassword, invite: body.token },
    });
    expect([late.status, late.body.code]).toEqual([409, 'invitation-not-valid']);
    const { rows } = await pool.query(
      `select from read_model.audit_entries
       where organization_id = $1 and type = 'OrganizationClosed'`,
      [user.organization.id],
    );
    expect(rows).toHaveLength(1);
  });
});
