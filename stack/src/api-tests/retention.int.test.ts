import { type OpenedKit, openKit } from '@tallyhand/command-service/app/open-kit';
import { eraseFormerMembers } from '@tallyhand/command-service/features/identity/retention';
import {
  type AuditEntry,
  listAuditEntries,
} from '@tallyhand/contracts/features/audit/audit.endpoints';
import { erasePerson } from '@tallyhand/contracts/features/identity/account.endpoints';
import { getCurrentUser } from '@tallyhand/contracts/features/identity/identity.endpoints';
import {
  changeRetention,
  getRetention,
  liftLegalHold,
  placeLegalHold,
  type Retention,
} from '@tallyhand/contracts/features/organizations/retention.endpoints';
import {
  listMembers,
  removeMember,
  restoreMember,
} from '@tallyhand/contracts/features/team/team.endpoints';
import type { Problem } from '@tallyhand/contracts/kernel/problem';
import { type ApiClient, registerOrganization, testPassword } from '@tallyhand/test-kit/api-client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { verifiedExport } from '../testing/audit-pages.ts';
import { joinAs } from '../testing/members.ts';
import { type OwnProduct, startTestProduct } from '../testing/product.ts';

const DAY_MS = 86_400_000;

const stack = new AsyncDisposableStack();
let product: OwnProduct;
let opened: OpenedKit;
beforeAll(async () => {
  product = stack.use(await startTestProduct());
  opened = stack.use(await openKit(product.config));
});
afterAll(() => stack.disposeAsync());

const retention = async (client: ApiClient) => (await client.call<Retention>(getRetention)).body;
const keepFor = (client: ApiClient, days: unknown) =>
  client.call<Problem>(changeRetention, { body: { days } });
const hold = (client: ApiClient, reason: unknown) =>
  client.call<Problem>(placeLegalHold, { body: { reason } });
const lift = (client: ApiClient) => client.call(liftLegalHold);
const erase = (client: ApiClient) =>
  client.call<Problem>(erasePerson, { body: { password: testPassword } });

async function hasKey(userId: string): Promise<boolean> {
  const { rowCount } = await opened.kit.pool.query(
    'select from operational.person_keys where person_id = $1 and sealed is not null',
    [userId],
  );
  return rowCount === 1;
}

/** What the worker knows of the organization; a reaction tells it. */
async function known(organizationId: string) {
  const { rows } = await opened.kit.pool.query<{ days: number | null; is_held: boolean }>(
    'select days, is_held from operational.retention where organization_id = $1',
    [organizationId],
  );
  return rows[0] ?? null;
}

/** Looks for due people, as of some days from now, until the condition holds. */
async function look(days: number, until: () => Promise<unknown>, workers = 1) {
  await using looks = new AsyncDisposableStack();
  const now = () => new Date(Date.now() + days * DAY_MS);
  for (let count = 0; count < workers; count += 1) {
    looks.use(eraseFormerMembers(opened.kit, opened.features.erasure, { everyMs: 20, now }));
  }
  await expect.poll(until).toBe(true);
}

/** Another organization, whose only removed member is erased by the same look. */
async function erasedElsewhere(days: number) {
  const { client, user } = await registerOrganization(product.url);
  const { user: leaving } = await joinAs(client, product.url, 'Viewer');
  await keepFor(client, 30);
  await client.call(removeMember, { params: { id: leaving.id } });
  await expect.poll(() => known(user.organization.id)).toMatchObject({ days: 30 });
  await look(days, async () => !(await hasKey(leaving.id)));
}

const erasures = async (client: ApiClient) =>
  (await client.call<AuditEntry[]>(listAuditEntries, { query: { kind: 'PersonErased' } })).body;

describe('the retention rule', () => {
  it('erases a removed member after its days, once, and the log stays provable', async () => {
    const { client, user } = await registerOrganization(product.url);
    const { user: leaving } = await joinAs(client, product.url, 'Viewer');
    const { user: returning } = await joinAs(client, product.url, 'Viewer');
    expect(await retention(client)).toEqual({
      days: null,
      hold: null,
      waiting: 0,
      nextDueAt: null,
    });
    expect(await keepFor(client, 30)).toMatchObject({ status: 200, body: { days: 30 } });
    for (const { id } of [leaving, returning]) {
      expect((await client.call(removeMember, { params: { id } })).status).toBe(204);
    }
    expect((await client.call(restoreMember, { params: { id: returning.id } })).status).toBe(200);
    const waiting = await retention(client);
    expect(waiting).toMatchObject({ days: 30, hold: null, waiting: 1 });
    const days = (Date.parse(waiting.nextDueAt ?? '') - Date.now()) / DAY_MS;
    expect(Math.abs(days - 30)).toBeLessThan(1);
    const before = await verifiedExport(client, product.url);
    expect(before.proof).toMatchObject({ isWell: true });
    expect(before.bytes.includes(leaving.email)).toBe(true);

    await expect.poll(() => known(user.organization.id)).toMatchObject({ days: 30 });
    await erasedElsewhere(31);
    await look(31, async () => !(await hasKey(leaving.id)), 2);
    expect(await hasKey(returning.id)).toBe(true);
    await expect.poll(() => retention(client)).toMatchObject({ waiting: 0, nextDueAt: null });
    const erased = await erasures(client);
    expect(erased.map(({ object }) => object.id)).toEqual([leaving.id]);
    expect(erased[0]?.actor).toMatchObject({ kind: 'worker' });
    const after = await verifiedExport(client, product.url);
    expect(after.proof).toMatchObject({ isWell: true });
    expect(after.bytes.includes(leaving.email)).toBe(false);
    const members = (await client.call<{ id: string }[]>(listMembers)).body.map(({ id }) => id);
    expect(members.toSorted()).toEqual([user.id, returning.id].toSorted());
    const back = await client.call(restoreMember, { params: { id: leaving.id } });
    expect(back.status).toBe(404);
  });

  it('erases no one before the days are over, or after it has ended', async () => {
    const { client, user } = await registerOrganization(product.url);
    const { user: leaving } = await joinAs(client, product.url, 'Viewer');
    await keepFor(client, 60);
    await client.call(removeMember, { params: { id: leaving.id } });
    await expect.poll(() => known(user.organization.id)).toMatchObject({ days: 60 });
    await erasedElsewhere(59);
    expect(await hasKey(leaving.id)).toBe(true);
    await keepFor(client, null);
    // As if the worker had not heard of the end yet.
    await expect.poll(() => known(user.organization.id)).toMatchObject({ days: null });
    await opened.kit.pool.query(
      'update operational.retention set days = 60 where organization_id = $1',
      [user.organization.id],
    );
    await erasedElsewhere(61);
    expect(await hasKey(leaving.id)).toBe(true);
    expect((await client.call(restoreMember, { params: { id: leaving.id } })).status).toBe(200);
  });

  it('takes whole days from 30 to 3,650', async () => {
    const { client } = await registerOrganization(product.url);
    for (const days of [29, 3_651, 30.5, '30']) {
      const { status, body } = await keepFor(client, days);
      expect([days, status, body.errors?.[0]?.path]).toEqual([days, 422, 'days']);
    }
    expect((await keepFor(client, 3_650)).status).toBe(200);
  });
});

describe('a legal hold', () => {
  it('keeps removed members and people who erase themselves until it is lifted', async () => {
    const { client, user } = await registerOrganization(product.url);
    const { user: removed } = await joinAs(client, product.url, 'Viewer');
    const { client: own, user: leaving } = await joinAs(client, product.url, 'Viewer');
    await keepFor(client, 30);
    expect((await hold(client, 'Case 2026-114')).status).toBe(200);
    expect((await hold(client, 'Case 2026-114')).status).toBe(200);
    const other = await hold(client, 'Another case');
    expect([other.status, other.body.code]).toEqual([409, 'legal-hold']);
    expect((await retention(client)).hold).toEqual({
      reason: 'Case 2026-114',
      placedAt: expect.any(String),
      placedBy: user.id,
    });
    await client.call(removeMember, { params: { id: removed.id } });

    const answer = await erase(own);
    expect(answer.status).toBe(204);
    expect(answer.headers.get('erasure-status')).toBe('waits-for-legal-hold');
    expect((await own.call(getCurrentUser)).status).toBe(401);
    await expect.poll(() => retention(client)).toMatchObject({ waiting: 2, nextDueAt: null });
    // They wanted to be erased: no one brings them back.
    const back = await client.call(restoreMember, { params: { id: leaving.id } });
    expect(back.status).toBe(404);
    await expect.poll(() => known(user.organization.id)).toEqual({ days: 30, is_held: true });
    await erasedElsewhere(31);
    // As if the worker had not heard of the hold yet.
    await opened.kit.pool.query(
      'update operational.retention set is_held = false where organization_id = $1',
      [user.organization.id],
    );
    await erasedElsewhere(31);
    expect([await hasKey(removed.id), await hasKey(leaving.id)]).toEqual([true, true]);
    expect(await erasures(client)).toEqual([]);

    expect((await lift(client)).status).toBe(204);
    expect((await lift(client)).status).toBe(204);
    expect((await retention(client)).hold).toBeNull();
    await expect.poll(() => known(user.organization.id)).toEqual({ days: 30, is_held: false });
    await look(0, async () => !(await hasKey(leaving.id)));
    expect(await hasKey(removed.id)).toBe(true);
    await look(31, async () => !(await hasKey(removed.id)));
    await expect.poll(async () => (await erasures(client)).length).toBe(2);
  });

  it('is a reason that the last member can not leave', async () => {
    const { client, user } = await registerOrganization(product.url);
    await hold(client, 'Case 2026-114');
    const refused = await erase(client);
    expect([refused.status, refused.body.code]).toEqual([409, 'legal-hold']);
    expect((await client.call(getCurrentUser)).status).toBe(200);
    expect(await hasKey(user.id)).toBe(true);
    await lift(client);
    expect((await erase(client)).status).toBe(204);
    expect(await hasKey(user.id)).toBe(false);
  });

  it('needs a reason of 1 to 500 characters', async () => {
    const { client } = await registerOrganization(product.url);
    for (const reason of ['', '  ', 'x'.repeat(501), null]) {
      const { status, body } = await hold(client, reason);
      expect([status, body.errors?.[0]?.path]).toEqual([422, 'reason']);
    }
  });

  it('and the rule are for Admins; Auditors read them', async () => {
    const { client } = await registerOrganization(product.url);
    const { client: auditor } = await joinAs(client, product.url, 'Auditor');
    expect(await retention(auditor)).toMatchObject({ days: null, hold: null });
    expect((await keepFor(auditor, 30)).status).toBe(403);
    expect((await hold(auditor, 'Mine')).status).toBe(403);
    expect((await lift(auditor)).status).toBe(403);
  });
});
