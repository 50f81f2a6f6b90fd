import { endpoints } from '@tallyhand/contracts/endpoints';
import {
  assignResources,
  changeAgent,
  createAgent,
  getAgent,
} from '@tallyhand/contracts/features/agents/agents.endpoints';
import {
  type Attachment,
  uploadAttachment,
} from '@tallyhand/contracts/features/attachments/attachments.endpoints';
import {
  type AuditExport,
  startAuditExport,
} from '@tallyhand/contracts/features/audit/audit-exports.endpoints';
import { changeAuditPublishing } from '@tallyhand/contracts/features/audit/audit-publishing.endpoints';
import { setLogStream } from '@tallyhand/contracts/features/audit/log-stream.endpoints';
import { type ChatReply, chatWithAgent } from '@tallyhand/contracts/features/chat/chat.endpoints';
import { setLimit } from '@tallyhand/contracts/features/credits/credits.endpoints';
import { purchaseCredits } from '@tallyhand/contracts/features/credits/payments.endpoints';
import { listSignIns, type SignIn } from '@tallyhand/contracts/features/identity/account.endpoints';
import { getArticle } from '@tallyhand/contracts/features/knowledge/knowledge.endpoints';
import {
  changeNotificationPreferences,
  listNotifications,
  markNotificationsRead,
  type Notification,
} from '@tallyhand/contracts/features/notifications/notifications.endpoints';
import {
  getOrganization,
  type Organization,
} from '@tallyhand/contracts/features/organizations/organizations.endpoints';
import {
  createPlaybook,
  type Playbook,
} from '@tallyhand/contracts/features/playbooks/playbooks.endpoints';
import { rateTask } from '@tallyhand/contracts/features/ratings/ratings.endpoints';
import { getImage, getSession } from '@tallyhand/contracts/features/sessions/sessions.endpoints';
import { openTicket } from '@tallyhand/contracts/features/support/support.endpoints';
import {
  type ExecutionResult,
  executeTask,
} from '@tallyhand/contracts/features/tasks/tasks.endpoints';
import {
  listInvitations,
  renewInvitationLink,
} from '@tallyhand/contracts/features/team/team.endpoints';
import { createTool, type Tool } from '@tallyhand/contracts/features/tools/tools.endpoints';
import {
  createWebhook,
  testWebhook,
} from '@tallyhand/contracts/features/webhooks/webhooks.endpoints';
import { type Endpoint, EVENT_STREAM } from '@tallyhand/contracts/kernel/endpoint';
import type { Problem } from '@tallyhand/contracts/kernel/problem';
import {
  type ApiClient,
  agentInput,
  agentWithArticle,
  playbookInput,
  refusalCodeOf,
  registerOrganization,
  toolInput,
} from '@tallyhand/test-kit/api-client';
import { beforeAll, describe, expect, it } from 'vitest';
import { newConnection } from '../testing/connections.ts';
import { tables } from '../testing/database-rights.ts';
import { newMailbox, unreachable } from '../testing/mailboxes.ts';
import { invite, newKey, retainFormerMember } from '../testing/members.ts';
import { earlierOrganization, neededQueries } from '../testing/past-months.ts';
import { pastSession } from '../testing/past-sessions.ts';
import { sharedProduct, type TestProduct } from '../testing/product.ts';
import { connectedAs } from '../testing/service-connection.ts';

/** Uploads the example, a document, and returns its id. */
async function newAttachment(client: ApiClient): Promise<string> {
  const { body } = await client.call<Attachment>(uploadAttachment, {
    body: uploadAttachment.example,
  });
  return body.id;
}

/** Have rows only for faults, for work in progress, or where a model was called. */
const PASSING = ['ledger_checks', 'mailbox_mails', 'model_usage_daily', 'agent_model_cost'];
const secret = `Secret ${crypto.randomUUID()}`;
let product: TestProduct;
let client: ApiClient;
let other: ApiClient;
/** Of the other organization: no member of the first may learn that they exist. */
const theirs = {
  organization: '',
  agent: '',
  article: '',
  task: '',
  invitation: '',
  payment: '',
  playbook: '',
  tool: '',
  connection: '',
  conversation: '',
  export: '',
  member: '',
  session: '',
  image: '',
  mailbox: '',
  key: '',
  webhook: '',
  delivery: '',
  signIn: '',
  attachment: '',
};

beforeAll(async () => {
  product = await sharedProduct();
  ({ client } = await earlierOrganization(product));
  const registered = await registerOrganization(product.url);
  other = registered.client;
  const { agent, article } = await agentWithArticle(other, { title: secret, content: secret });
  const { id: userId, organization } = registered.user;
  const own = { organizationId: organization.id, userId, agentId: agent.id };
  const past = await pastSession(product.config, other, own, secret);
  const options = { params: { id: agent.id }, body: { input: secret } };
  const { body } = await other.call<ExecutionResult>(executeTask, options);
  const params = { id: body.taskId };
  await other.call(rateTask, { params, body: { rating: 'down', reason: secret } });
  await other.call(renewInvitationLink);
  await other.call(changeAuditPublishing, { body: { every: 'week' } });
  await other.call(setLogStream, {
    body: { kind: 'webhook', address: 'https://example.com/hook' },
  });
  await retainFormerMember(other, product.url);
  await other.call(setLimit, { body: { kind: 'agent', id: agent.id, monthlyCredits: 10 } });
  const wanted = { credits: 100, amount: 49, testOutcome: 'declined' };
  const bought = await other.call<{ paymentIntentId: string }>(purchaseCredits, { body: wanted });
  const message = { params: { id: agent.id }, body: { message: secret } };
  const { body: reply } = await other.call<ChatReply>(chatWithAgent, message);
  const hook = { url: 'https://example.com/hook', events: ['*'], description: secret };
  const { id: webhook } = (await other.call<{ id: string }>(createWebhook, { body: hook })).body;
  Object.assign(theirs, {
    organization: organization.id,
    member: userId,
    signIn: (await other.call<SignIn[]>(listSignIns)).body[0]?.id,
    session: past.sessionId,
    image: past.image,
    agent: agent.id,
    article: article.id,
    task: body.taskId,
    payment: bought.body.paymentIntentId,
    playbook: (await other.call<Playbook>(createPlaybook, { body: playbookInput })).body.id,
    conversation: reply.conversationId,
    attachment: await newAttachment(other),
    tool: (await other.call<Tool>(createTool, { body: { ...toolInput, name: secret } })).body.id,
    connection: (await newConnection(other, { name: secret })).id,
    invitation: (await invite(other, 'Viewer')).id,
    mailbox: await newMailbox(other, agent.id, { replyTemplate: `{{answer}} ${secret}` }),
    key: (await newKey(other, 'Viewer', secret)).id,
    webhook,
    delivery: (await other.call<{ id: string }>(testWebhook, { params: { id: webhook } })).body.id,
    export: (await other.call<AuditExport>(startAuditExport, { body: { format: 'csv' } })).body.id,
  });
  await other.call(openTicket, {
    body: { name: secret, email: 'ada@example.com', subject: secret, message: secret },
  });
  await other.call(listInvitations);
  const { body: notifications } = await other.call<Notification[]>(listNotifications);
  await other.call(markNotificationsRead, { body: { ids: notifications.map(({ id }) => id) } });
  await other.call(markNotificationsRead, { body: { all: true } });
  await other.call(changeNotificationPreferences, { body: { agentStatusUpdates: false } });
});

describe('an object of another organization', () => {
  const withId = endpoints.filter(({ path }) => path.includes('{id}'));
  const bodies: Record<string, object> = {
    executeTask: { input: 'Hello' },
    startSession: { goal: 'Hello' },
    chatWithAgent: { message: 'Hello' },
    renameConversation: { title: 'Mine' },
    rateTask: { rating: 'up' },
    rateReply: { messageId: crypto.randomUUID(), rating: 'up' },
    changeAgent: { isActive: false },
    changeArticle: { isPublic: true },
    changePlaybook: { estimatedDuration: 5 },
    changeTool: { name: 'Another' },
    testTool: { input: 'GET /' },
    connectTool: {},
    changeConnection: { name: 'Another' },
    testConnection: {},
    assignResources: {},
    actOnTestPayment: { action: 'refund' },
    changeMember: { role: 'Viewer' },
    changeWebhook: { description: 'Mine' },
    connectMailbox: unreachable(),
  };

  function idFor({ name, path, feature }: Endpoint): string {
    if (/^\/(api\/agents|v1\/models)\//.test(path)) return theirs.agent;
    if (path.startsWith('/api/conversations/')) return theirs.conversation;
    if (/Member/.test(name)) return theirs.member;
    if (name === 'redeliverWebhook') return theirs.delivery;
    const kinds = {
      knowledge: 'article',
      tasks: 'task',
      ratings: 'task',
      team: 'invitation',
      credits: 'payment',
      playbooks: 'playbook',
      tools: 'tool',
      models: 'connection',
      audit: 'export',
      sessions: 'session',
      'api-keys': 'key',
      webhooks: 'webhook',
      mailboxes: 'mailbox',
      identity: 'signIn',
      attachments: 'attachment',
    };
    return theirs[kinds[feature as keyof typeof kinds] as keyof typeof theirs];
  }

  it.each(withId.map(({ name }) => name))('is unknown to %s, like a random id', async (name) => {
    const endpoint = withId.find((each) => each.name === name) ?? expect.fail();
    const id = idFor(endpoint);
    expect(id).toMatch(/^[0-9a-f-]{36}$/);
    const ask = async (of: string) => {
      const options = { params: { id: of }, body: bodies[name] ?? endpoint.example };
      const { status, body } = await client.call(endpoint, options);
      const text = JSON.stringify(body, (key, value) => (key === 'correlationId' ? null : value));
      return { status, code: refusalCodeOf(body), text };
    };
    const answer = await ask(id);
    expect([answer.status, answer.code]).toEqual([404, 'not-found']);
    expect(JSON.stringify(answer)).not.toContain(secret);
    // One and the same answer: nothing reveals that this one exists.
    for (const unknownId of [crypto.randomUUID(), 'no-id', `${id} `, "x' or 1=1"]) {
      expect(await ask(unknownId)).toEqual(answer);
    }
  });

  it('is not served as an image', async () => {
    const ask = async (by: ApiClient, hash: string) => {
      const { status, body } = await by.call<Problem>(getImage, { params: { hash } });
      return [status, body.code];
    };
    expect(await ask(client, theirs.image)).toEqual([404, 'not-found']);
    expect(await ask(client, '0'.repeat(64))).toEqual([404, 'not-found']);
    expect(await ask(other, theirs.image)).toEqual([200, undefined]);
  });

  it('is still there, unchanged', async () => {
    expect((await other.call(getAgent, { params: { id: theirs.agent } })).status).toBe(200);
    expect((await other.call(getArticle, { params: { id: theirs.article } })).status).toBe(200);
    expect((await other.call(getSession, { params: { id: theirs.session } })).status).toBe(200);
    const { body } = await other.call<Organization>(getOrganization);
    expect(body).toMatchObject({ creditBalance: 99, reserved: 0 });
  });

  it('cannot be assigned, nor with a new agent or the change of one', async () => {
    const { agent } = await agentWithArticle(client);
    const asked = { params: { id: agent.id }, body: { articles: [theirs.article] } };
    const errors = [{ path: 'articles.0', message: 'There is no such article' }];
    for (const answer of [
      await client.call<Problem>(assignResources, asked),
      await client.call<Problem>(changeAgent, asked),
      await client.call<Problem>(createAgent, { body: { ...agentInput, ...asked.body } }),
    ]) {
      expect([answer.status, answer.body.errors]).toEqual([422, errors]);
    }
  });

  const lists = endpoints.filter(
    ({ path, method, media }) => method === 'GET' && !path.includes('{') && media !== EVENT_STREAM,
  );
  it.each(lists)('is not in the answer of $name', async (endpoint) => {
    const { name, feature } = endpoint;
    const query = name === 'listAgentSummaries' ? { ids: theirs.agent } : neededQueries[name];
    const { status, body } = await client.call(endpoint, query ? { query } : {});
    expect(status).toBe(200);
    // The audit log has the refused calls above, with the ids that the caller sent.
    const { payment: asked, ...never } = theirs;
    const isLog =
      feature === 'audit' || ['getOrganizationHistory', 'downloadOwnData'].includes(name);
    for (const mark of [secret, ...Object.values(never), ...(isLog ? [] : [asked])]) {
      expect(JSON.stringify(body)).not.toContain(mark);
    }
  });

  it('is not reached by its cursor either', async () => {
    const { headers } = await other.send('GET', '/api/agents?limit=1');
    const cursor = /cursor=([^>&]+)/.exec(headers.get('link') ?? '')?.[1];
    expect(cursor).toBeDefined();
    const { status, body } = await client.send('GET', `/api/agents?cursor=${cursor}`);
    expect(status).toBe(200);
    expect(JSON.stringify(body)).not.toContain(theirs.agent);
  });
});

describe('row-level security', () => {
  it.each(['query', 'command'] as const)('shows the role %s no rows', async (role) => {
    await connectedAs(product, role, async (db) => {
      for (const table of tables) {
        const { rows } = await db.query(`select * from read_model.${table}`);
        expect([table, rows]).toEqual([table, []]);
      }
    });
  });

  it('shows the rows of the organization that is set, and no others', async () => {
    await connectedAs(product, 'query', async (db) => {
      await db.query(`select set_config('tallyhand.organization_id', $1, false)`, [
        theirs.organization,
      ]);
      for (const table of tables) {
        const { rows } = await db.query<{ organization_id: string }>(
          `select organization_id from read_model.${table}`,
        );
        const found = new Set(rows.map((row) => row.organization_id));
        const expected = PASSING.includes(table) ? [] : [theirs.organization];
        expect([table, [...found]]).toEqual([table, expected]);
      }
    });
  });

  it('is forced on every table that the projector fills', async () => {
    await connectedAs(product, 'query', async (db) => {
      const { rows } = await db.query<{ relname: string }>(
        `select c.relname from pg_class c join pg_namespace n on n.oid = c.relnamespace
         where n.nspname = 'read_model' and c.relkind in ('r', 'p')
           and c.relrowsecurity and c.relforcerowsecurity order by 1`,
      );
      expect(rows.map(({ relname }) => relname)).toEqual(tables.toSorted());
    });
  });
});
