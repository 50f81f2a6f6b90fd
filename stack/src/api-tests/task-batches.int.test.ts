import { getOrganization } from '@tallyhand/contracts/features/organizations/organizations.endpoints';
import {
  BATCH_MAX,
  type BatchedResult,
  executeTask,
  executeTasks,
  getTask,
  type TaskDetail,
} from '@tallyhand/contracts/features/tasks/tasks.endpoints';
import type { Problem } from '@tallyhand/contracts/kernel/problem';
import {
  type ApiClient,
  agentWithArticle,
  registerOrganization,
} from '@tallyhand/test-kit/api-client';
import { beforeEach, describe, expect, it } from 'vitest';
import { sharedProduct } from '../testing/product.ts';

let url: string;
let client: ApiClient;
let agentId: string;
beforeEach(async () => {
  ({ url } = await sharedProduct());
  ({ client } = await registerOrganization(url));
  agentId = (await agentWithArticle(client)).agent.id;
});

const input = 'How long can items be returned?';
const task = (idempotencyKey: string, more: object = {}) => ({
  agentId,
  idempotencyKey,
  input,
  ...more,
});
const many = (count: number) => Array.from({ length: count }, (_, n) => task(`task ${n}`));

type Answered = { tasks: BatchedResult[] } & Problem;
const send = (tasks: unknown) => client.call<Answered>(executeTasks, { body: { tasks } });
async function resultsOf(tasks: unknown) {
  const { status, body } = await send(tasks);
  expect(status).toBe(200);
  return body.tasks;
}
const statuses = (results: readonly BatchedResult[]) => results.map(({ status }) => status);

const credits = async () =>
  (await client.call<{ creditBalance: number; reserved: number }>(getOrganization)).body;

describe('POST /api/tasks/batch', () => {
  it('starts each task once, however often it is sent', async () => {
    const tasks = [task('a'), task('b'), task('a')];
    const first = await resultsOf(tasks);
    expect(statuses(first)).toEqual([202, 202, 202]);
    const [a, b, again] = first.map(({ taskId }) => taskId);
    expect(again).toBe(a);
    expect(b).not.toBe(a);
    expect(await resultsOf(tasks)).toEqual(first);
    for (const id of [a, b]) {
      const read = () => client.call<TaskDetail>(getTask, { params: { id: String(id) } });
      await expect.poll(async () => (await read()).body).toMatchObject({ status: 'success' });
    }
    await expect.poll(credits).toMatchObject({ creditBalance: 98, reserved: 0 });
  });

  it('knows the key of a task that was executed alone', async () => {
    const alone = await client.call<{ taskId: string }>(executeTask, {
      params: { id: agentId },
      body: { input },
      headers: { prefer: 'respond-async', 'idempotency-key': 'alone' },
    });
    const [same, other] = await resultsOf([
      task('alone'),
      task('alone', { input: 'Another question' }),
    ]);
    expect(same).toMatchObject({ status: 202, taskId: alone.body.taskId, problem: null });
    expect(other).toMatchObject({
      status: 409,
      taskId: null,
      problem: { code: 'idempotency-key-reused' },
    });
  });

  it('gives the first tasks the credits that there are, and the others 402', async () => {
    // A new organization has 100.
    expect(statuses(await resultsOf(many(97)))).toEqual(Array(97).fill(202));
    const last = await resultsOf([97, 98, 99, 100, 101].map((n) => task(`task ${n}`)));
    expect(statuses(last)).toEqual([202, 202, 202, 402, 402]);
    expect(last[4]?.problem?.code).toBe('insufficient-credits');
    await expect.poll(credits).toMatchObject({ creditBalance: 0, reserved: 0 });
  });

  it('refuses a task alone: another organization’s agent, a tool that is not assigned', async () => {
    const other = await registerOrganization(url);
    const { agent } = await agentWithArticle(other.client);
    const results = await resultsOf([
      task('a', { agentId: agent.id }),
      task('b', { type: 'tool_run' }),
      task('c'),
    ]);
    expect(statuses(results)).toEqual([404, 409, 202]);
    expect(results.map(({ problem }) => problem?.code)).toEqual([
      'not-found',
      'no-tool-assigned',
      undefined,
    ]);
  });

  it.each([
    ['no task', () => [], 'tasks'],
    ['too many tasks', () => many(BATCH_MAX + 1), 'tasks'],
    ['a task without input', () => [task('a'), task('b', { input: ' ' })], 'tasks.1.input'],
    ['a task without a key', () => [task('')], 'tasks.0.idempotencyKey'],
    ['an unknown field', () => [task('a', { price: 0 })], 'tasks.0.price'],
    ['text', () => ['text'], 'tasks.0'],
  ])('refuses %s, and starts nothing', async (_, tasks, path) => {
    const refused = await send(tasks());
    expect([refused.status, refused.body.errors?.map((error) => error.path)]).toEqual([
      422,
      [path],
    ]);
    expect(await credits()).toMatchObject({ creditBalance: 100, reserved: 0 });
  });
});
