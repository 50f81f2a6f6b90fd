import { listAgents } from '@tallyhand/contracts/features/agents/agents.endpoints';
import { noteObservations } from '@tallyhand/contracts/features/audit/observations.endpoints';
import {
  listMembers,
  type Member,
  renewInvitationLink,
} from '@tallyhand/contracts/features/team/team.endpoints';
import type { Problem } from '@tallyhand/contracts/kernel/problem';
import { bearer } from '@tallyhand/service-kit/http/service-token';
import { type ApiClient, apiClient, registerOrganization } from '@tallyhand/test-kit/api-client';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sharedProduct, type TestProduct } from '../testing/product.ts';

const LONG_AGO = '2026-01-01T00:00:00.000Z';

let product: TestProduct;
let db: pg.Client;

beforeAll(async () => {
  product = await sharedProduct();
  db = new pg.Client({ connectionString: product.config.databaseUrl });
  await db.connect();
});
afterAll(async () => {
  await db.end();
});

async function signInOf(userId: string) {
  const { rows } = await db.query<{ sign_in_id: string; last_seen_at: Date }>(
    'select sign_in_id, last_seen_at from operational.sign_ins where user_id = $1',
    [userId],
  );
  if (!rows[0]) throw new Error('Nobody signed in');
  return { id: rows[0].sign_in_id, seenAt: rows[0].last_seen_at.toISOString() };
}
const notSeenSince = (userId: string, interval: string) =>
  db.query(
    'update operational.sign_ins set last_seen_at = now() - $2::interval where user_id = $1',
    [userId, interval],
  );
const observe = (observations: unknown[], token = product.config.internalToken ?? '') =>
  apiClient(product.internalUrl).call<Problem | ''>(noteObservations, {
    body: { observations },
    headers: { authorization: bearer(token) },
  });

describe("the time of a member's last visit", () => {
  it.each([
    ['a read', (client: ApiClient) => client.call(listAgents)],
    ['a command', (client: ApiClient) => client.call(renewInvitationLink)],
  ])('is recorded by %s, which keeps the sign-in alive', async (_name, call) => {
    const { client, user } = await registerOrganization(product.url);
    await notSeenSince(user.id, '6 days');
    const before = Date.now();
    await call(client);
    await expect
      .poll(async () => Date.parse((await signInOf(user.id)).seenAt))
      .toBeGreaterThan(before - 5_000);
  });

  it('is shown to all members, and never to those of other organizations', async () => {
    const { client, user } = await registerOrganization(product.url);
    const future = new Date(Date.now() + 3_600_000).toISOString();
    await db.query('update operational.sign_ins set last_seen_at = $2 where user_id = $1', [
      user.id,
      future,
    ]);
    const { body } = await client.call<Member[]>(listMembers);
    expect(body).toHaveLength(1);
    expect(Date.parse(body[0]?.lastActive ?? '')).toBe(Date.parse(future));
  });

  it('accepts reports from other processes, and is never in the future', async () => {
    const { user } = await registerOrganization(product.url);
    await notSeenSince(user.id, '3 days');
    const { id, seenAt } = await signInOf(user.id);
    const seen = (at: string) => ({ kind: 'seen', signInId: id, at });
    expect((await observe([seen(LONG_AGO), seen('2999-01-01T00:00:00.000Z')])).status).toBe(204);
    await expect.poll(async () => (await signInOf(user.id)).seenAt > seenAt).toBe(true);
    expect(Date.parse((await signInOf(user.id)).seenAt)).toBeLessThanOrEqual(Date.now() + 1_000);
  });

  it('brings no sign-in back that has ended', async () => {
    const { user } = await registerOrganization(product.url);
    await notSeenSince(user.id, '8 days');
    const { id, seenAt } = await signInOf(user.id);
    const other = await registerOrganization(product.url);
    await notSeenSince(other.user.id, '1 day');
    const { id: otherId, seenAt: otherSeenAt } = await signInOf(other.user.id);
    const at = new Date().toISOString();
    await observe([id, otherId].map((signInId) => ({ kind: 'seen', signInId, at })));
    // They are written in their order.
    await expect.poll(async () => (await signInOf(other.user.id)).seenAt > otherSeenAt).toBe(true);
    expect((await signInOf(user.id)).seenAt).toBe(seenAt);
  });
});

describe('observations', () => {
  it('are accepted from internal processes only, and only as declared', async () => {
    expect((await observe([], 'another token')).status).toBe(401);
    expect((await observe([{ kind: 'else' }])).status).toBe(422);
    const outside = await apiClient(product.url).call(noteObservations, {
      body: { observations: [] },
      headers: { authorization: bearer(product.config.internalToken ?? '') },
    });
    expect(outside.status).toBe(404);
  });
});
