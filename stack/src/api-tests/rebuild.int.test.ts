import { createHash } from 'node:crypto';
import {
  completion,
  openAiPeer,
  type Peer,
  sendJson,
} from '@tallyhand/agent-runtime/openai/fixtures/openai-peer';
import {
  type Agent,
  changeAgent,
  createAgent,
  deleteAgent,
  restoreAgent,
} from '@tallyhand/contracts/features/agents/agents.endpoints';
import { changeAuditPublishing } from '@tallyhand/contracts/features/audit/audit-publishing.endpoints';
import {
  type ChatReply,
  chatWithAgent,
  regenerateReply,
} from '@tallyhand/contracts/features/chat/chat.endpoints';
import { setLimit } from '@tallyhand/contracts/features/credits/credits.endpoints';
import { purchaseCredits } from '@tallyhand/contracts/features/credits/payments.endpoints';
import { registerUser } from '@tallyhand/contracts/features/identity/identity.endpoints';
import {
  changeArticle,
  createArticle,
  deleteArticle,
} from '@tallyhand/contracts/features/knowledge/knowledge.endpoints';
import { setMeaningSearch } from '@tallyhand/contracts/features/models/meaning-search.endpoints';
import {
  changeNotificationPreferences,
  listNotifications,
  markNotificationsRead,
  type Notification,
} from '@tallyhand/contracts/features/notifications/notifications.endpoints';
import { createEmbeddings } from '@tallyhand/contracts/features/openai/embeddings.endpoints';
import { createPlaybook } from '@tallyhand/contracts/features/playbooks/playbooks.endpoints';
import { rateTask } from '@tallyhand/contracts/features/ratings/ratings.endpoints';
import { openTicket } from '@tallyhand/contracts/features/support/support.endpoints';
import {
  type ExecutionResult,
  executeTask,
  getTaskStats,
  type TaskStats,
} from '@tallyhand/contracts/features/tasks/tasks.endpoints';
import {
  issueInvitation,
  renewInvitationLink,
  revokeInvitation,
} from '@tallyhand/contracts/features/team/team.endpoints';
import { createTool } from '@tallyhand/contracts/features/tools/tools.endpoints';
import { readModels } from '@tallyhand/read-models/read-models';
import { openEventLog } from '@tallyhand/service-kit/event-store/event-log';
import { formatPosition, START } from '@tallyhand/service-kit/event-store/position';
import {
  type ApiClient,
  agentInput,
  agentWithArticle,
  apiClient,
  playbookInput,
  registerOrganization,
  testPassword,
  toolInput,
} from '@tallyhand/test-kit/api-client';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { newConnection } from '../testing/connections.ts';
import { pastMailbox } from '../testing/mailboxes.ts';
import { newKey, retainFormerMember } from '../testing/members.ts';
import { pastSession } from '../testing/past-sessions.ts';
import { type OwnProduct, startTestProduct } from '../testing/product.ts';

/** Has rows only where something is wrong. */
const CHECKS = 'ledger_checks';
const tables = readModels.flatMap((model) => Object.keys(model.tables));

let product: OwnProduct;
let peer: Peer;
let admin: pg.Client;
let client: ApiClient;

beforeAll(async () => {
  peer = await openAiPeer((response, { path }) =>
    path === '/v1/embeddings'
      ? sendJson(response, 200, { data: [{ index: 0, embedding: [1, 2] }] })
      : sendJson(response, 200, completion({ answer: 'Yes.' })),
  );
  product = await startTestProduct({ allowPrivateHosts: new URL(peer.baseURL).host });
  admin = new pg.Client({ connectionString: product.config.databaseUrl });
  await admin.connect();
  const own = await registerOrganization(product.url);
  ({ client } = own);
  await fill(own);
  await fill(await registerOrganization(product.url));
  expect(await taskStats()).toMatchObject({ total: 3, creditsUsed: 3 });
});
afterAll(async () => {
  await admin.end();
  await product[Symbol.asyncDispose]();
  await peer[Symbol.asyncDispose]();
});

/** Something of each kind of event, so that every projection has rows and changes of rows. */
async function fill({ client: own, user }: Awaited<ReturnType<typeof registerOrganization>>) {
  const { agent, article } = await agentWithArticle(own);
  await own.call(changeArticle, { params: { id: article.id }, body: { isPublic: true } });
  const hello = { params: { id: agent.id }, body: { message: 'Hello' } };
  const { conversationId } = (await own.call<ChatReply>(chatWithAgent, hello)).body;
  const again = await own.call(regenerateReply, { params: { id: conversationId } });
  expect(again.status).toBe(200);
  const whose = { organizationId: user.organization.id, userId: user.id, agentId: agent.id };
  await pastSession(product.config, own, whose);
  await pastMailbox(product.config, whose);
  await own.call(createPlaybook, { body: playbookInput });
  await own.call(createTool, { body: toolInput });
  const embeddingModel = 'meaning';
  const { id: connectionId } = await newConnection(own, { baseUrl: peer.baseURL, embeddingModel });
  const choice = { source: 'connection', connectionId };
  expect((await own.call(setMeaningSearch, { body: choice })).status).toBe(200);
  const text = { model: embeddingModel, input: 'Is it open?' };
  expect((await own.call(createEmbeddings, { body: text })).status).toBe(200);
  // Articles are not embedded: that would be work of the background.
  expect((await own.call(setMeaningSearch, { body: { source: 'off' } })).status).toBe(200);
  const modelled = await own.call<Agent>(createAgent, {
    body: { ...agentInput, model: { connectionId } },
  });
  const asked = { params: { id: modelled.body.id }, body: { input: 'Is it open?' } };
  expect((await own.call<ExecutionResult>(executeTask, asked)).body.success).toBe(true);
  const params = { id: agent.id };
  await own.call(changeAgent, { params, body: { name: 'Another name', isActive: false } });
  await own.call(changeAgent, { params, body: { isActive: true } });
  for (const input of ['Within how many days?', 'What is the price of a moon rocket?']) {
    const done = await own.call<ExecutionResult>(executeTask, { params, body: { input } });
    expect(done.status).toBe(200);
    const rating = { rating: 'down', reason: 'Too short' };
    const rated = { params: { id: done.body.taskId }, body: rating };
    expect((await own.call(rateTask, rated)).status).toBe(200);
  }
  const limit = { kind: 'agent', id: agent.id, monthlyCredits: 10 };
  expect((await own.call(setLimit, { body: limit })).status).toBe(200);
  const bought = { credits: 100, amount: 49, testOutcome: 'declined' };
  expect((await own.call(purchaseCredits, { body: bought })).status).toBe(201);
  await own.call(deleteAgent, { params });
  await own.call(restoreAgent, { params });
  await own.call(deleteArticle, { params: { id: article.id } });
  // Long enough for the blob store.
  const content = 'A sentence of some length stands here. '.repeat(4_000);
  await own.call(createArticle, { body: { title: 'Long', content, category: 'General' } });
  const email = `${crypto.randomUUID()}@example.com`;
  const invited = await own.call<{ token: string }>(issueInvitation, { body: { email } });
  const body = { email, username: 'Guest', password: testPassword, invite: invited.body.token };
  expect((await apiClient(product.url).call(registerUser, { body })).status).toBe(201);
  const other = await own.call<{ id: string }>(issueInvitation, {
    body: { email: `other-${email}` },
  });
  await own.call(revokeInvitation, { params: { id: other.body.id } });
  await own.call(renewInvitationLink);
  await own.call(changeAuditPublishing, { body: { every: 'week' } });
  await retainFormerMember(own, product.url);
  await newKey(own, 'Viewer');
  const question = { subject: 'A question', message: 'How does a rebuild go on meanwhile?' };
  const ticket = await own.call(openTicket, { body: { name: 'Ada', email, ...question } });
  expect(ticket.status).toBe(201);
  await readNotifications(own);
}

/** One by one and all at once, and a switch that is off. */
async function readNotifications(own: ApiClient) {
  const { body: listed } = await own.call<Notification[]>(listNotifications);
  const one = { ids: listed.slice(0, 1).map(({ id }) => id) };
  for (const body of [one, { all: true }]) {
    expect((await own.call(markNotificationsRead, { body })).status).toBe(204);
  }
  const off = { body: { emailNotifications: false } };
  expect((await own.call(changeNotificationPreferences, off)).status).toBe(200);
}

/** All that has happened is in the rows, its consequences too. */
async function isQuiet(): Promise<boolean> {
  await using opened = new AsyncDisposableStack();
  const eventLog = opened.adopt(openEventLog(product.config.eventStoreUrl), (log) => log.close());
  const head = formatPosition((await eventLog.head()) ?? START);
  const { rows } = await admin.query<{ position: string }>(
    `select position from operational.reaction_checkpoints
     union all select read_model.read_position()
     union all select 'a job' from jobs.job where state < 'completed' and name not like '\\_%'`,
  );
  return rows.every(({ position }) => position === head);
}

/** A hash over all rows of each table, whatever their order. */
async function rowHashes(): Promise<Map<string, string>> {
  const hashes = new Map<string, string>();
  for (const table of tables) {
    const { rows } = await admin.query<{ row: string }>(
      `select t::text as row from read_model.${table} t order by t::text collate "C"`,
    );
    const hash = createHash('sha256');
    for (const { row } of rows) hash.update(`${row}\n`);
    hashes.set(table, `${rows.length} rows, ${hash.digest('hex')}`);
  }
  return hashes;
}

async function checkpoints() {
  const { rows } = await admin.query<{ projection: string; version: number; position: string }>(
    'select projection, version, position from read_model.checkpoints order by projection',
  );
  return rows;
}

async function taskStats() {
  const { status, body } = await client.call<TaskStats>(getTaskStats);
  expect(status).toBe(200);
  return body;
}

describe('read models', () => {
  it('have rows in every table, so that the comparison is meaningful', async () => {
    await vi.waitUntil(isQuiet);
    const empty = [...(await rowHashes())].filter(([, hash]) => hash.startsWith('0 rows'));
    expect(empty.map(([table]) => table)).toEqual([CHECKS]);
  });

  it.each(['of another version', 'lost with their checkpoints', 'lost, with one checkpoint'])(
    'that are %s become the same rows again from the first event on',
    async (how) => {
      await vi.waitUntil(isQuiet);
      const [whole, before, stats] = [await checkpoints(), await rowHashes(), await taskStats()];
      await product.restart(async () => {
        if (how === 'of another version') {
          await admin.query('update read_model.checkpoints set version = version + 1');
          return;
        }
        const some = how === 'lost, with one checkpoint' ? ['tasks', 'agents'] : tables;
        for (const table of some) await admin.query(`delete from read_model.${table}`);
        await admin.query(
          some === tables
            ? 'delete from read_model.checkpoints'
            : `delete from read_model.checkpoints where projection in ('tasks', 'agents')`,
        );
      });
      await expect.poll(checkpoints).toEqual(whole);
      expect(await rowHashes()).toEqual(before);
      expect(await taskStats()).toEqual(stats);
    },
  );

  it('grow on from there', async () => {
    const before = await taskStats();
    const { agent } = await agentWithArticle(client);
    const body = { input: 'Within how many days?' };
    expect((await client.call(executeTask, { params: { id: agent.id }, body })).status).toBe(200);
    expect(await taskStats()).toMatchObject({
      total: before.total + 1,
      success: before.success + 1,
      creditsUsed: before.creditsUsed + 1,
    });
  });
});
