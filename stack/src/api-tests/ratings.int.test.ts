import { changeAgent, deleteAgent } from '@tallyhand/contracts/features/agents/agents.endpoints';
import {
  getTaskHistory,
  type LoggedEvent,
} from '@tallyhand/contracts/features/audit/audit.endpoints';
import {
  type ChatReply,
  type ConversationDetail,
  chatWithAgent,
  deleteConversation,
  getConversation,
} from '@tallyhand/contracts/features/chat/chat.endpoints';
import { erasePerson } from '@tallyhand/contracts/features/identity/account.endpoints';
import {
  type AgentRatings,
  getAgentRatings,
  rateReply,
  rateTask,
} from '@tallyhand/contracts/features/ratings/ratings.endpoints';
import { REASON_MAX } from '@tallyhand/contracts/features/ratings/ratings.fields';
import {
  cancelTask,
  type ExecutionResult,
  executeTask,
  exportTasks,
  getTask,
  listTasks,
  type Task,
  type TaskDetail,
} from '@tallyhand/contracts/features/tasks/tasks.endpoints';
import type { Problem } from '@tallyhand/contracts/kernel/problem';
import {
  type ApiClient,
  agentWithArticle,
  keyClient,
  registerOrganization,
  testPassword,
} from '@tallyhand/test-kit/api-client';
import { beforeAll, describe, expect, it } from 'vitest';
import { joinAs, newKey } from '../testing/members.ts';
import { sharedProduct, type TestProduct } from '../testing/product.ts';

let product: TestProduct;
let admin: ApiClient;
let agentId: string;
beforeAll(async () => {
  product = await sharedProduct();
  ({ client: admin } = await registerOrganization(product.url));
  agentId = (await agentWithArticle(admin)).agent.id;
});

const input = 'How long can items be returned?';
async function newTask(agent = agentId) {
  const asked = { params: { id: agent }, body: { input } };
  return (await admin.call<ExecutionResult>(executeTask, asked)).body.taskId;
}
const rate = (by: ApiClient, id: string, body: object) =>
  by.call<Problem>(rateTask, { params: { id }, body });
const detail = async (by: ApiClient, id: string) =>
  (await by.call<TaskDetail>(getTask, { params: { id } })).body;
const ratingsOf = async (id: string, by = admin) =>
  (await by.call<AgentRatings>(getAgentRatings, { params: { id } })).body;
const newAgent = async () => (await agentWithArticle(admin)).agent.id;
const reason = 'It quotes last year’s price.';

describe('PUT /api/tasks/{id}/rating', () => {
  it('shows with the task how each member rated it', async () => {
    const id = await newTask();
    const viewer = await joinAs(admin, product.url, 'Viewer');
    const { status, body } = await rate(viewer.client, id, { rating: 'down', reason });
    expect([status, body]).toEqual([200, { rating: 'down', reason }]);
    await rate(admin, id, { rating: 'up' });
    // The Viewer's own position is older than the Admin's rating.
    await expect.poll(async () => (await detail(viewer.client, id)).rating.up).toBe(1);
    const { rating, ratings } = await detail(viewer.client, id);
    expect(rating).toEqual({ up: 1, down: 1, own: 'down' });
    expect(ratings).toEqual([
      expect.objectContaining({ rating: 'up', reason: null }),
      expect.objectContaining({
        rating: 'down',
        reason,
        ratedBy: { id: viewer.user.id, name: 'The Viewer' },
      }),
    ]);
    const { body: listed } = await admin.call<Task[]>(listTasks, { query: { limit: '1' } });
    expect(listed[0]).toMatchObject({ id, rating: { up: 1, down: 1, own: 'up' } });
  });

  it('replaces the rating, and null takes it back', async () => {
    const id = await newTask();
    await rate(admin, id, { rating: 'down', reason });
    await rate(admin, id, { rating: 'up' });
    expect(await detail(admin, id)).toMatchObject({
      rating: { up: 1, down: 0, own: 'up' },
      ratings: [{ rating: 'up', reason: null }],
    });
    const { body } = await rate(admin, id, { rating: null });
    expect(body).toEqual({ rating: null, reason: null });
    expect(await detail(admin, id)).toMatchObject({
      rating: { up: 0, down: 0, own: null },
      ratings: [],
    });
  });

  it('changes nothing when it is repeated', async () => {
    const id = await newTask();
    const asked = { rating: 'down', reason };
    await rate(admin, id, asked);
    await rate(admin, id, asked);
    await rate(admin, id, { rating: null });
    await rate(admin, id, { rating: null });
    const { body } = await admin.call<LoggedEvent[]>(getTaskHistory, { params: { id } });
    const types = body.map(({ type }) => type).filter((type) => /Rat/.test(type));
    expect(types).toEqual(['RatingRemoved', 'AnswerRated']);
  });

  it('takes the rating of an API key, which is its own', async () => {
    const id = await newTask();
    const { id: keyId, key } = await newKey(admin, 'Editor', 'Scripts');
    expect((await rate(keyClient(product.url, key), id, { rating: 'up' })).status).toBe(200);
    const { rating, ratings } = await detail(admin, id);
    expect(rating).toEqual({ up: 1, down: 0, own: null });
    expect(ratings[0]?.ratedBy).toEqual({ id: keyId, name: 'Scripts' });
  });

  it('is refused without an answer', async () => {
    const params = { id: agentId };
    const headers = { prefer: 'respond-async' };
    const asked = { params, body: { input }, headers };
    const { taskId: id } = (await admin.call<{ taskId: string }>(executeTask, asked)).body;
    await admin.call(cancelTask, { params: { id } });
    const { status } = await detail(admin, id);
    const rated = await rate(admin, id, { rating: 'up' });
    // A task that ended before it could be cancelled has an answer.
    expect(rated.body.code).toBe(status === 'cancelled' ? 'nothing-to-rate' : undefined);
  });

  it('is refused with a reason that is too long', async () => {
    const id = await newTask();
    const { status, body } = await rate(admin, id, {
      rating: 'down',
      reason: 'a'.repeat(REASON_MAX + 1),
    });
    expect([status, body.errors?.[0]?.path]).toEqual([422, 'reason']);
    const longest = { rating: 'down', reason: 'a'.repeat(REASON_MAX) };
    expect((await rate(admin, id, longest)).status).toBe(200);
  });
});

describe('the list and export of tasks', () => {
  it('finds tasks by how they are rated, and exports it', async () => {
    const agent = await newAgent();
    const [good, bad] = [await newTask(agent), await newTask(agent)];
    await newTask(agent);
    await rate(admin, good, { rating: 'up' });
    await rate(admin, bad, { rating: 'down', reason });
    const found = async (rating: string) => {
      const { body } = await admin.call<Task[]>(listTasks, { query: { agentId: agent, rating } });
      return body.map(({ id }) => id);
    };
    expect([await found('up'), await found('down')]).toEqual([[good], [bad]]);
    const query = { agentId: agent, rating: 'down', format: 'json' };
    const { body } = await admin.call<unknown[]>(exportTasks, { query });
    expect(body).toMatchObject([
      { id: bad, rating: { up: 0, down: 1 }, ratings: [{ rating: 'down', reason }] },
    ]);
    const csv = await admin.call<string>(exportTasks, { query: { ...query, format: 'csv' } });
    expect(csv.body).toContain('Thumbs up,Thumbs down,Reasons');
    expect(csv.body).toContain(`,0,1,${reason},`);
    const wrong = await admin.call<Problem>(listTasks, { query: { rating: 'best' } });
    expect([wrong.status, wrong.body.errors?.[0]?.path]).toEqual([422, 'rating']);
  });
});

describe('PUT /api/conversations/{id}/rating', () => {
  const chat = async (by: ApiClient, id: string) => {
    const body = { message: input };
    return (await by.call<ChatReply>(chatWithAgent, { params: { id }, body })).body;
  };
  const rateIn = (by: ApiClient, { conversationId: id, messageId }: ChatReply, body: object) =>
    by.call<Problem>(rateReply, { params: { id }, body: { messageId, ...body } });
  const messages = async (by: ApiClient, id: string) =>
    (await by.call<ConversationDetail>(getConversation, { params: { id } })).body.messages;

  it('shows the rating with the reply, and with the agent its reason', async () => {
    const agent = await newAgent();
    const reply = await chat(admin, agent);
    await rateIn(admin, reply, { rating: 'down', reason });
    const [question, answer] = await messages(admin, reply.conversationId);
    expect([question?.rating, answer?.rating]).toEqual([null, { rating: 'down', reason }]);
    const { reasons } = await ratingsOf(agent);
    expect(reasons).toEqual([
      { rating: 'down', reason, version: 1, taskId: null, updatedAt: expect.any(String) },
    ]);
    // With the conversation the reason is gone; the count stays.
    await admin.call(deleteConversation, { params: { id: reply.conversationId } });
    expect(await ratingsOf(agent)).toMatchObject({ total: { up: 0, down: 1 }, reasons: [] });
    expect((await rateIn(admin, reply, { rating: 'up' })).status).toBe(404);
  });

  it('is for the member of the conversation, and for replies in it', async () => {
    const reply = await chat(admin, agentId);
    const [question] = await messages(admin, reply.conversationId);
    const editor = (await joinAs(admin, product.url, 'Editor')).client;
    const wrong = { ...reply, messageId: question?.id ?? '' };
    const refused = [
      await rateIn(editor, reply, { rating: 'up' }),
      await rateIn(admin, wrong, { rating: 'up' }),
    ];
    expect(refused.map(({ status }) => status)).toEqual([404, 404]);
  });
});

describe('GET /api/agents/{id}/ratings', () => {
  it('counts the ratings of each version, the current one first', async () => {
    const id = await newAgent();
    const first = await newTask(id);
    await rate(admin, first, { rating: 'down' });
    await admin.call(changeAgent, { params: { id }, body: { description: 'Knows returns' } });
    expect((await ratingsOf(id)).versions).toEqual([
      { version: 2, up: 0, down: 0 },
      { version: 1, up: 0, down: 1 },
    ]);
    const [second, third] = [await newTask(id), await newTask(id)];
    await rate(admin, second, { rating: 'up' });
    await rate(admin, third, { rating: 'up' });
    await rate(admin, first, { rating: null });
    const { total, versions } = await ratingsOf(id);
    expect(total).toEqual({ up: 2, down: 0 });
    expect(versions).toEqual([{ version: 2, up: 2, down: 0 }]);
  });

  it('is gone with the agent, whose answers can still be rated', async () => {
    const id = await newAgent();
    const task = await newTask(id);
    await admin.call(deleteAgent, { params: { id } });
    expect((await admin.call(getAgentRatings, { params: { id } })).status).toBe(404);
    expect((await rate(admin, task, { rating: 'up' })).status).toBe(200);
  });
});

describe('the reason of an erased member', () => {
  it('is gone, and the rating stays', async () => {
    const id = await newTask(await newAgent());
    const { client } = await joinAs(admin, product.url, 'Editor');
    await rate(client, id, { rating: 'down', reason });
    const erased = await client.call(erasePerson, { body: { password: testPassword } });
    expect(erased.status).toBe(204);
    const shown = async () => (await detail(admin, id)).ratings;
    await expect
      .poll(shown)
      .toMatchObject([{ rating: 'down', reason: null, ratedBy: { name: 'erased' } }]);
  });
});
