import {
  changeAgent,
  getAgent,
  listAgents,
} from '@tallyhand/contracts/features/agents/agents.endpoints';
import {
  type ApiKey,
  createApiKey,
  listApiKeys,
  type NewApiKey,
  revokeApiKey,
} from '@tallyhand/contracts/features/api-keys/api-keys.endpoints';
import {
  type AuditEntry,
  listAuditEntries,
} from '@tallyhand/contracts/features/audit/audit.endpoints';
import { createArticle } from '@tallyhand/contracts/features/knowledge/knowledge.endpoints';
import { getOrganization } from '@tallyhand/contracts/features/organizations/organizations.endpoints';
import {
  cancelTask,
  type ExecutionResult,
  executeTask,
  executeTasks,
  getTask,
  listTasks,
  type Task,
} from '@tallyhand/contracts/features/tasks/tasks.endpoints';
import {
  changeMember,
  removeMember,
  renewInvitationLink,
  restoreMember,
} from '@tallyhand/contracts/features/team/team.endpoints';
import type { Problem } from '@tallyhand/contracts/kernel/problem';
import { newApiKey } from '@tallyhand/service-kit/http/credentials';
import {
  type ApiClient,
  agentWithArticle,
  apiClient,
  keyClient,
  registerOrganization,
} from '@tallyhand/test-kit/api-client';
import pg from 'pg';
import { beforeAll, describe, expect, it } from 'vitest';
import { joinAs, newKey } from '../testing/members.ts';
import { sharedProduct, startTestProduct, type TestProduct } from '../testing/product.ts';

let product: TestProduct;
let admin: ApiClient;
let agentId = '';
let organizationId = '';

beforeAll(async () => {
  product = await sharedProduct();
  const registered = await registerOrganization(product.url);
  admin = registered.client;
  organizationId = registered.user.organization.id;
  agentId = (await agentWithArticle(admin)).agent.id;
});

const clientOf = ({ key }: NewApiKey) => keyClient(product.url, key);
const article = { title: 'By a key', content: 'Ten characters', category: 'General' };
const codeOf = async (answer: Promise<{ status: number; body: unknown }>) => {
  const { status, body } = await answer;
  return [status, (body as Problem).code];
};
const listed = async (id: string) => {
  const { body } = await admin.call<ApiKey[]>(listApiKeys);
  return body.find((each) => each.id === id);
};
async function sql<R extends object>(text: string, values: unknown[] = []): Promise<R[]> {
  const db = new pg.Client({ connectionString: product.config.databaseUrl });
  await db.connect();
  try {
    return (await db.query<R>(text, values)).rows;
  } finally {
    await db.end();
  }
}

describe('an API key', () => {
  it('is in the answer to its creation and nowhere else', async () => {
    const made = await newKey(admin, 'Editor', 'Nightly import');
    expect(made.key).toMatch(/^th_[A-Za-z0-9_-]{43}$/);
    const entry = await listed(made.id);
    expect(entry).toMatchObject({ name: 'Nightly import', role: 'Editor', status: 'active' });
    expect(JSON.stringify(entry)).not.toContain(made.key);
    const { body: audited } = await admin.call(listAuditEntries, { query: { kind: 'apikey' } });
    expect(JSON.stringify(audited)).toContain('ApiKeyCreated');
    expect(JSON.stringify(audited)).not.toContain(made.key);
    const rows = await sql('select to_jsonb(k) as row from operational.api_keys k');
    expect(JSON.stringify(rows)).not.toContain(made.key.slice(3));
  });

  it('is made once, and shown again, for one idempotency key', async () => {
    const options = {
      body: { name: 'Once', role: 'Viewer' },
      headers: { 'idempotency-key': crypto.randomUUID() },
    };
    const first = await admin.call<NewApiKey>(createApiKey, options);
    const second = await admin.call<NewApiKey>(createApiKey, options);
    expect(second.body).toEqual(first.body);
    expect((await clientOf(first.body).call(getOrganization)).status).toBe(200);
    const rows = await sql('select 1 from operational.api_keys where name = $1', ['Once']);
    expect(rows).toHaveLength(1);
    const [answer] = await sql<{ body: Buffer }>(
      'select body from operational.idempotency where key = $1',
      [options.headers['idempotency-key']],
    );
    expect(answer?.body.includes(first.body.key)).toBe(false);
  });

  it('sees its own changes immediately, without any cookie', async () => {
    const editor = clientOf(await newKey(admin, 'Editor'));
    const { status, body } = await editor.call<{ id: string }>(createArticle, { body: article });
    expect(status).toBe(201);
    editor.cookies.clear();
    const { body: audited } = await admin.call<AuditEntry[]>(listAuditEntries, {
      query: { object: body.id },
    });
    expect(audited[0]?.actor).toMatchObject({ kind: 'api-key', name: "The Editor's" });
    expect(audited[0]?.address).toBe('127.0.0.1');
    expect(audited[0]?.signInId).toBeNull();
  });

  it('is refused everywhere after its revocation', async () => {
    const made = await newKey(admin, 'Admin');
    const client = clientOf(made);
    const events = await fetch(`${product.url}/api/events`, {
      headers: { authorization: `Bearer ${made.key}` },
    });
    expect(events.status).toBe(200);
    await events.body?.cancel();
    expect((await client.call(listAgents)).status).toBe(200);
    expect((await admin.call(revokeApiKey, { params: { id: made.id } })).status).toBe(204);
    const calls = [client.call(listAgents), client.call(createArticle, { body: article })];
    for (const call of calls) expect(await codeOf(call)).toEqual([401, 'not-signed-in']);
    expect(await codeOf(client.send('GET', '/api/events'))).toEqual([401, 'not-signed-in']);
    expect((await listed(made.id))?.status).toBe('revoked');
    expect((await admin.call(revokeApiKey, { params: { id: made.id } })).status).toBe(204);
  });

  it('is refused after it has expired', async () => {
    const expiresAt = new Date(Date.now() + 3_600_000).toISOString();
    const body = { name: 'For an hour', role: 'Viewer', expiresAt };
    const { body: made } = await admin.call<NewApiKey>(createApiKey, { body });
    expect(made.expiresAt).toBe(expiresAt);
    expect((await clientOf(made).call(listAgents)).status).toBe(200);
    const past = `update operational.api_keys set expires_at = now() - interval '1 s'`;
    await sql(`${past} where key_id = $1`, [made.id]);
    expect(await codeOf(clientOf(made).call(listAgents))).toEqual([401, 'not-signed-in']);
  });

  it('cannot be created with an end in the past', async () => {
    const body = { name: 'Too late', role: 'Viewer', expiresAt: '2020-01-01T00:00:00Z' };
    const { status, body: problem } = await admin.call<Problem>(createApiKey, { body });
    expect(status).toBe(422);
    expect(problem.errors).toEqual([
      { path: 'expiresAt', message: 'Expiry must be in the future' },
    ]);
  });

  it('is ignored when it is malformed, whatever the cookie', async () => {
    for (const key of [newApiKey(), 'th_', 'th_short', '']) {
      const headers = { authorization: `Bearer ${key}` };
      expect(await codeOf(admin.call(listAgents, { headers }))).toEqual([401, 'not-signed-in']);
      const call = admin.call(createArticle, { body: article, headers });
      expect(await codeOf(call)).toEqual([401, 'not-signed-in']);
    }
  });

  it('needs no Origin header, which a cookie does', async () => {
    const headers = { origin: 'https://elsewhere.example', 'sec-fetch-site': 'cross-site' };
    const editor = clientOf(await newKey(admin, 'Editor'));
    expect((await editor.call(createArticle, { body: article, headers })).status).toBe(201);
    const byCookie = admin.call(createArticle, { body: article, headers });
    expect(await codeOf(byCookie)).toEqual([403, 'foreign-origin']);
  });
});

describe('work started by a key', () => {
  it('is its own: it and Admins may end it, other members and keys may not', async () => {
    const client = clientOf(await newKey(admin, 'AgentManager', 'Starter'));
    const other = clientOf(await newKey(admin, 'Editor'));
    const { client: member } = await joinAs(admin, product.url, 'Editor');
    const started = await client.call<ExecutionResult>(executeTask, {
      params: { id: agentId },
      body: { input: 'What is the rule for returns?' },
      headers: { prefer: 'respond-async' },
    });
    expect([200, 202]).toContain(started.status);
    const params = { id: started.body.taskId };
    for (const stranger of [other, member]) {
      expect((await stranger.call(cancelTask, { params })).status).toBe(403);
    }
    for (const owner of [client, admin]) {
      // It may have ended meanwhile, but it is theirs.
      expect([200, 409]).toContain((await owner.call(cancelTask, { params })).status);
    }
    const { body } = await admin.call<Task>(getTask, { params });
    expect(body.requestedBy.name).toBe('Starter');
  });
});

describe('the use of a key', () => {
  it('is listed, and recorded in the audit log by the hour', async () => {
    const made = await newKey(admin, 'Viewer', 'Much used');
    expect((await listed(made.id))?.lastUsedAt).toBeNull();
    for (let call = 0; call < 3; call += 1) await clientOf(made).call(listAgents);
    await clientOf(made).call(executeTask, { params: { id: agentId }, body: { input: 'Hello' } });
    // The process records its counts when it ends.
    await product.restart(async () => {
      const [uses] = await sql<{ count: string }>(
        'select count from operational.api_key_uses where key_id = $1',
        [made.id],
      );
      expect(Number(uses?.count)).toBe(4);
    });
    expect((await listed(made.id))?.lastUsedAt).not.toBeNull();
  });
});

describe('the keys of a removed member', () => {
  it('are revoked permanently, and so are keys created with them', async () => {
    const { client, user } = await joinAs(admin, product.url, 'Admin');
    const theirs = await newKey(client, 'Admin', 'Theirs');
    const further = await newKey(clientOf(theirs), 'Viewer', 'Made with theirs');
    const mine = await newKey(admin, 'Viewer', 'Mine');
    const params = { id: user.id };
    expect((await admin.call(removeMember, { params })).status).toBe(204);
    for (const key of [theirs, further]) {
      expect(await codeOf(clientOf(key).call(listAgents))).toEqual([401, 'not-signed-in']);
    }
    expect((await clientOf(mine).call(listAgents)).status).toBe(200);
    expect((await admin.call(restoreMember, { params })).status).toBe(200);
    expect(await codeOf(clientOf(theirs).call(listAgents))).toEqual([401, 'not-signed-in']);
    expect(await listed(further.id)).toMatchObject({ status: 'revoked' });
  });
});

describe('the keys of a member whose role changes', () => {
  it('may never do more than the member may now, nor may those that were made with them', async () => {
    const { client, user } = await joinAs(admin, product.url, 'Admin');
    const theirs = await newKey(client, 'Admin', 'Of a former Admin');
    const further = await newKey(clientOf(theirs), 'Editor', 'Made with it');
    const viewing = await newKey(client, 'Viewer');
    const become = (role: string) =>
      admin.call(changeMember, { params: { id: user.id }, body: { role } });
    const mayWrite = async (key: NewApiKey) =>
      (await clientOf(key).call(createArticle, { body: article })).status;
    const mayAdminister = async (key: NewApiKey) => (await clientOf(key).call(listApiKeys)).status;

    expect((await become('Editor')).status).toBe(200);
    expect([await mayAdminister(theirs), await mayWrite(theirs)]).toEqual([403, 201]);
    expect((await become('AgentManager')).status).toBe(200);
    expect([await mayWrite(theirs), await mayWrite(further)]).toEqual([403, 403]);
    expect((await clientOf(theirs).call(listAgents)).status).toBe(200);
    // The earlier rights return with the role, and never exceed the key's own role.
    expect((await become('Admin')).status).toBe(200);
    expect([await mayAdminister(theirs), await mayWrite(further)]).toEqual([200, 201]);
    expect([await mayAdminister(further), await mayWrite(viewing)]).toEqual([403, 403]);
    // Its creator is now a Viewer: it only reads.
    expect((await become('Viewer')).status).toBe(200);
    const pausing = clientOf(theirs).call(changeAgent, {
      params: { id: agentId },
      body: { isActive: false },
    });
    expect(await codeOf(pausing)).toEqual([403, 'key-reads-only']);
    expect((await clientOf(theirs).call(listAgents)).status).toBe(200);
  });
});

describe('a key of another organization', () => {
  it('reaches nothing here, and ends with its organization', async () => {
    const foreign = await registerOrganization(product.url);
    const key = clientOf(await newKey(foreign.client, 'Admin'));
    const params = { id: agentId };
    expect(await codeOf(key.call(getAgent, { params }))).toEqual([404, 'not-found']);
    const mine = await newKey(admin, 'Viewer');
    const revoking = key.call(revokeApiKey, { params: { id: mine.id } });
    expect(await codeOf(revoking)).toEqual([404, 'not-found']);
    expect((await clientOf(mine).call(listAgents)).status).toBe(200);
    await sql('update operational.access set is_active = false where organization_id = $1', [
      foreign.user.organization.id,
    ]);
    expect(await codeOf(key.call(listAgents))).toEqual([401, 'not-signed-in']);
    expect(organizationId).not.toBe(foreign.user.organization.id);
  });
});

describe('many calls', () => {
  it('are refused above the limit of the key, not of others', async () => {
    await using strict = await startTestProduct({ rateLimitScale: 0.02 });
    const { client } = await registerOrganization(strict.url);
    const [first, second] = [await newKey(client, 'Admin'), await newKey(client, 'Viewer')];
    const ask = () => keyClient(strict.url, first.key).call(listAgents);
    let accepted = 0;
    let answer = await ask();
    for (; answer.status === 200 && accepted < 60; answer = await ask()) accepted += 1;
    // More if a minute ends meanwhile.
    expect(accepted).toBeGreaterThanOrEqual(12);
    expect(answer.status).toBe(429);
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await keyClient(strict.url, second.key).call(listAgents)).status).toBe(200);
    // Each task of a batch counts as a call.
    const { agent } = await agentWithArticle(client);
    const third = keyClient(strict.url, (await newKey(client, 'Editor')).key);
    const batch = (count: number) => {
      const tasks = Array.from({ length: count }, (_, n) => ({
        agentId: agent.id,
        idempotencyKey: `question ${n}`,
        input: 'How long can items be returned?',
      }));
      return third.call(executeTasks, { body: { tasks } });
    };
    const refused = await batch(13);
    expect(refused.status).toBe(429);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await client.call(listTasks)).body).toEqual([]);
    expect((await batch(11)).status).toBe(200);
    // A call that costs much counts as several, in the service of commands as well.
    const renewing = [];
    for (let call = 0; call < 3; call += 1) {
      renewing.push(await keyClient(strict.url, first.key).call(renewInvitationLink));
    }
    expect(renewing.map(({ status }) => status)).toEqual([201, 201, 429]);
    expect((await apiClient(strict.url).call(listAgents)).status).toBe(401);
  });
});
