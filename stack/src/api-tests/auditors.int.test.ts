import { endpoints } from '@tallyhand/contracts/endpoints';
import { getAgentHistory } from '@tallyhand/contracts/features/agents/agents.endpoints';
import {
  createApiKey,
  type NewApiKey,
} from '@tallyhand/contracts/features/api-keys/api-keys.endpoints';
import {
  type AuditEntry,
  listAuditEntries,
} from '@tallyhand/contracts/features/audit/audit.endpoints';
import {
  downloadAuditExport,
  getAuditCheck,
} from '@tallyhand/contracts/features/audit/audit-exports.endpoints';
import { startVerification } from '@tallyhand/contracts/features/credits/credits.endpoints';
import {
  type CurrentUser,
  getCurrentUser,
  signIn,
  signOut,
} from '@tallyhand/contracts/features/identity/identity.endpoints';
import {
  changeMember,
  issueInvitation,
  listInvitations,
  listMembers,
  type Member,
} from '@tallyhand/contracts/features/team/team.endpoints';
import type { Problem } from '@tallyhand/contracts/kernel/problem';
import {
  type ApiAnswer,
  type ApiClient,
  agentWithArticle,
  apiClient,
  keyClient,
  refusalCodeOf,
  registerOrganization,
  testPassword,
} from '@tallyhand/test-kit/api-client';
import { beforeAll, describe, expect, it } from 'vitest';
import { auditorCalls, endAccessAt, inDays, joinUpTo } from '../testing/auditors.ts';
import { finishedExport } from '../testing/finished-export.ts';
import { joinAs, newKey } from '../testing/members.ts';
import { sharedProduct, type TestProduct } from '../testing/product.ts';

let product: TestProduct;
let admin: ApiClient;
beforeAll(async () => {
  product = await sharedProduct();
  admin = (await registerOrganization(product.url)).client;
});

const refusal = ({ status, body }: ApiAnswer) => [status, (body as Problem | null)?.code];
const errorOf = ({ body }: ApiAnswer) => (body as Problem).errors?.[0];
const someone = () => `${crypto.randomUUID()}@example.com`;
const endNow = (userId: string) =>
  endAccessAt(product.config.databaseUrl, userId, `${inDays(0)}T00:00:00Z`);
const ENDED = [403, 'auditor-access-ended'];

/** Written by hand: everything that an Auditor may call, besides calls without a sign-in. */
const OPEN = [
  'getCurrentUser',
  'downloadOwnData',
  'changeProfile',
  'changePassword',
  'beginSecondFactor',
  'confirmSecondFactor',
  'removeSecondFactor',
  'getSecondFactor',
  'listSignIns',
  'listSignInHistory',
  'endSignIn',
  'endOtherSignIns',
  'erasePerson',
  'listAuditEntries',
  'startAuditExport',
  'listAuditExports',
  'getAuditExport',
  'downloadAuditExport',
  'downloadAuditEvidence',
  'getAuditCheckpoint',
  'getAuditConsistency',
  'getAuditCheck',
  'listAuditKeys',
  'downloadAuditTimestamps',
  'getAuditPublishing',
  'getLogStream',
  'getRetention',
  'listAgents',
  'getAgent',
  'getAgentHistory',
  'listArticles',
  'getArticle',
  'getArticleHistory',
  'listPlaybooks',
  'getPlaybook',
  'getPlaybookHistory',
  'listTools',
  'getTool',
  'getToolHistory',
  'getOrganization',
  'listLedgerEntries',
  'listLedgerGroups',
  'exportLedger',
  'getTrialBalance',
  'getVerification',
  'startVerification',
  'listStatements',
  'exportStatement',
  'getStatementPdf',
  'getStatementSignature',
];

describe('an Auditor', () => {
  const closed = endpoints.filter(({ isPublic, name }) => !isPublic && !OPEN.includes(name));
  it('is refused every call but those of the role, with a sign-in and with a key', async () => {
    const { client } = await joinAs(admin, product.url, 'Auditor');
    const key = keyClient(product.url, (await newKey(admin, 'Auditor')).key);
    expect(closed.length).toBeGreaterThan(100);
    for (const endpoint of closed) {
      const params = { id: crypto.randomUUID(), hash: '0'.repeat(64) };
      const query: Record<string, string> =
        endpoint.name === 'listAgentSummaries' ? { ids: params.id } : {};
      for (const caller of [client, key]) {
        const answer = await caller.call(endpoint, { params, query });
        const given = refusalCodeOf(answer.body);
        const isOfPerson = caller === key && !endpoint.takesApiKeys;
        const expected = isOfPerson ? 'key-not-allowed' : 'role-not-allowed';
        expect([endpoint.name, answer.status, given]).toEqual([endpoint.name, 403, expected]);
      }
    }
  });

  it('is refused by the MCP server', async () => {
    const { key } = await newKey(admin, 'Auditor');
    const answer = await fetch(`${product.url}/mcp`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${key}`,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} }),
    });
    expect(answer.status).toBe(403);
    expect(await answer.text()).toContain('Your role (Auditor)');
  });
});

describe('the last day of an Auditor', () => {
  const invite = (body: object) =>
    admin.call(issueInvitation, { body: { email: someone(), role: 'Auditor', ...body } });

  it('is in 30 days, unless the Admin chooses another', async () => {
    const { user } = await joinAs(admin, product.url, 'Auditor');
    expect(user.lastDay).toBe(inDays(30));
    const { client, userId } = await joinUpTo(admin, product.url, inDays(3));
    expect((await client.call<CurrentUser>(getCurrentUser)).body.lastDay).toBe(inDays(3));
    const { body: members } = await admin.call<Member[]>(listMembers);
    expect(members.find(({ id }) => id === userId)).toMatchObject({
      role: 'Auditor',
      lastDay: inDays(3),
    });
    expect(members.find(({ role }) => role === 'Admin')?.lastDay).toBeNull();
    const email = someone();
    await invite({ email, lastDay: inDays(3) });
    const { body: invitations } = await admin.call<{ email: string }[]>(listInvitations);
    // The invitation does not outlast the access that it offers.
    expect(invitations.find((each) => each.email === email)).toMatchObject({
      lastDay: inDays(3),
      expiresAt: `${inDays(4)}T00:00:00.000Z`,
    });
  });

  it('is refused if it is no day of the next year, and for other roles', async () => {
    const { userId } = await joinUpTo(admin, product.url, inDays(3));
    const cases = [
      [inDays(-1), 'Last day must be today (UTC) or later'],
      [inDays(367), 'Last day must be at most 366 days from now'],
      ['31.01.2027', 'Must be a day, as 2027-01-31'],
      ['2027-02-30', 'Must be a day, as 2027-01-31'],
    ] as const;
    for (const [lastDay, message] of cases) {
      const changed = { params: { id: userId }, body: { role: 'Auditor', lastDay } };
      for (const answer of [await invite({ lastDay }), await admin.call(changeMember, changed)]) {
        expect([lastDay, answer.status]).toEqual([lastDay, 422]);
        expect(errorOf(answer)).toEqual({ path: 'lastDay', message });
      }
    }
    const other = await invite({ role: 'Viewer', lastDay: inDays(3) });
    expect(errorOf(other)).toEqual({ path: 'lastDay', message: 'Only an Auditor has a last day' });
  });

  it('can be moved, and ends with the role', async () => {
    const { client, userId } = await joinUpTo(admin, product.url, inDays(3));
    const params = { id: userId };
    const change = (body: object) => admin.call(changeMember, { params, body });
    const state = { id: userId, status: 'active' };
    const later = await change({ role: 'Auditor', lastDay: inDays(366) });
    expect(later.body).toEqual({ ...state, role: 'Auditor', lastDay: inDays(366) });
    expect((await change({ role: 'Auditor', lastDay: inDays(0) })).status).toBe(200);
    expect((await client.call(getAuditCheck)).status).toBe(200);
    const editor = await change({ role: 'Editor' });
    expect(editor.body).toEqual({ ...state, role: 'Editor', lastDay: null });
    expect(refusal(await client.call(getAuditCheck))).toEqual([403, 'role-not-allowed']);
  });
});

describe('after the last day', () => {
  it('every call with a running sign-in is refused, and works again when it is extended', async () => {
    const { client, userId } = await joinUpTo(admin, product.url, inDays(3));
    await endNow(userId);
    for (const call of [getAuditCheck, getCurrentUser, listAuditEntries, startVerification]) {
      const answer = await client.call(call);
      expect([call.name, ...refusal(answer)]).toEqual([call.name, ...ENDED]);
      expect((answer.body as Problem).detail).toContain(
        `Your access as an auditor ended on ${inDays(-1)}.`,
      );
    }
    const cookies = [...client.cookies];
    const body = { role: 'Auditor', lastDay: inDays(1) };
    await admin.call(changeMember, { params: { id: userId }, body });
    expect((await client.call(getAuditCheck)).status).toBe(200);
    await endNow(userId);
    // The cookie goes, so that the browser can show another sign-in.
    expect((await client.call(signOut)).status).toBe(204);
    expect(client.cookies.get('tallyhand')).toBeFalsy();
    expect(cookies.length).toBeGreaterThan(0);
    // A kept cookie is worth nothing when the access is extended.
    await admin.call(changeMember, { params: { id: userId }, body });
    for (const [name, value] of cookies) client.cookies.set(name, value);
    expect(refusal(await client.call(getAuditCheck))).toEqual([401, 'not-signed-in']);
  });

  it('a sign-in is refused, also with the right password, and a finished export is not to be had', async () => {
    const { client, email, userId } = await joinUpTo(admin, product.url, inDays(3));
    const id = await finishedExport(client);
    await endNow(userId);
    const login = (password: string) =>
      apiClient(product.url).call(signIn, { body: { email, password } });
    expect(refusal(await login('not the password'))).toEqual([401, 'wrong-credentials']);
    const answer = await login(testPassword);
    expect(refusal(answer)).toEqual(ENDED);
    expect((answer.body as Problem).params).toEqual({ lastDay: inDays(-1) });
    expect(refusal(await client.call(downloadAuditExport, { params: { id } }))).toEqual(ENDED);
  });
});

describe('an API key with the role Auditor', () => {
  const create = (expiresAt?: string) =>
    admin.call<NewApiKey>(createApiKey, { body: { name: 'Audit', role: 'Auditor', expiresAt } });

  it('must expire within a year', async () => {
    const message = 'The key of an Auditor must expire, at most 366 days from now';
    for (const answer of [await create(), await create(`${inDays(368)}T00:00:00Z`)]) {
      expect(answer.status).toBe(422);
      expect(errorOf(answer)).toEqual({ path: 'expiresAt', message });
    }
    const beyond = await create('9999-12-31T23:59:59-12:00');
    expect([beyond.status, errorOf(beyond)?.path]).toEqual([422, 'expiresAt']);
    expect((await create('9999-12-31T23:59:59Z')).status).toBe(422);
    expect((await create(`${inDays(366)}T00:00:00Z`)).status).toBe(201);
  });

  it('is refused with a reason after its end', async () => {
    const soon = new Date(Date.now() + 1_500);
    const { key } = (await create(soon.toISOString())).body;
    const client = keyClient(product.url, key);
    expect((await client.call(getAuditCheck)).status).toBe(200);
    await expect.poll(async () => refusal(await client.call(getAuditCheck))).toEqual(ENDED);
    expect(refusal(await client.call(startVerification))).toEqual(ENDED);
  });

  it('has no rights when its creator is no longer an Admin, and the lesser ones of an Auditor', async () => {
    const { client: second, user } = await joinAs(admin, product.url, 'Admin');
    const [audit, editor, all] = await Promise.all(
      (['Auditor', 'Editor', 'Admin'] as const).map(async (role) =>
        keyClient(product.url, (await newKey(second, role)).key),
      ),
    );
    const become = (body: object) => admin.call(changeMember, { params: { id: user.id }, body });
    await become({ role: 'Auditor', lastDay: inDays(2) });
    expect((await audit?.call(getAuditCheck))?.status).toBe(200);
    expect((await all?.call(getAuditCheck))?.status).toBe(200);
    expect(refusal((await all?.call(listMembers)) as ApiAnswer)).toEqual([403, 'role-not-allowed']);
    expect((await editor?.call(getAuditCheck))?.status).toBe(401);
    await endNow(user.id);
    expect(refusal((await audit?.call(getAuditCheck)) as ApiAnswer)).toEqual(ENDED);
    await become({ role: 'Viewer' });
    expect((await audit?.call(getAuditCheck))?.status).toBe(401);
  });
});

describe('the record of what an Auditor reads', () => {
  it('is in the audit log of the Admin: who, which call, which object and filter', async () => {
    const { client: owner } = await registerOrganization(product.url);
    const { agent } = await agentWithArticle(owner);
    const { client, userId } = await joinUpTo(owner, product.url, inDays(3));
    const query = { kind: 'agent', q: 'harbour' };
    expect((await client.call(listAuditEntries, { query })).status).toBe(200);
    await client.call(getAgentHistory, { params: { id: agent.id } });
    await client.call(startVerification);
    const by = { by: userId, kind: 'member', count: 1 };
    await expect
      .poll(() => auditorCalls(owner))
      .toEqual([
        { ...by, call: 'startVerification', params: {} },
        { ...by, call: 'getAgentHistory', params: { id: agent.id } },
        { ...by, call: 'listAuditEntries', params: { kind: 'agent', q: '…' } },
      ]);
    const { body } = await owner.call<AuditEntry[]>(listAuditEntries, {
      query: { kind: 'AuditorCalled' },
    });
    expect(body[0]?.actor.name).toBe('The auditor');
  });

  it('counts repeats, and leaves out the own account, refused calls and what has its own event', async () => {
    const { client: owner } = await registerOrganization(product.url);
    const { client } = await joinUpTo(owner, product.url, inDays(3));
    for (let i = 0; i < 20; i += 1) await client.call(getAuditCheck);
    await client.call(getCurrentUser);
    await client.call(listMembers);
    const id = await finishedExport(client);
    await expect
      .poll(() => auditorCalls(owner))
      .toMatchObject([{ call: 'getAuditExport', params: { id } }, { call: 'getAuditCheck' }]);
    const { body } = await owner.call<AuditEntry[]>(listAuditEntries);
    const types = body.map(({ type }) => type);
    expect(types.filter((type) => type === 'AuditLogExported')).toHaveLength(1);
    expect(types.filter((type) => type === 'CallRefused')).toHaveLength(1);
  });

  it('names the key that called, and is not for members of other roles', async () => {
    const { client: owner } = await registerOrganization(product.url);
    await owner.call(getAuditCheck);
    expect(await auditorCalls(owner)).toEqual([]);
    const { key, id } = await newKey(owner, 'Auditor');
    await keyClient(product.url, key).call(getAuditCheck);
    await expect
      .poll(() => auditorCalls(owner))
      .toEqual([{ by: id, kind: 'api-key', count: 1, call: 'getAuditCheck', params: {} }]);
    expect(JSON.stringify(await auditorCalls(owner))).not.toContain(key);
  });
});
