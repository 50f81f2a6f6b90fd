import {
  type LedgerEntry,
  listLedgerEntries,
} from '@tallyhand/contracts/features/credits/credits.endpoints';
import {
  getOrganization,
  type Organization,
} from '@tallyhand/contracts/features/organizations/organizations.endpoints';
import {
  cancelTask,
  EXPORTED_IDS_MAX,
  type ExecutionResult,
  executeTask,
  exportTasks,
  getTask,
  listTasks,
  retryTask,
  type Task,
  type TaskDetail,
} from '@tallyhand/contracts/features/tasks/tasks.endpoints';
import type { Problem } from '@tallyhand/contracts/kernel/problem';
import {
  type ApiClient,
  agentWithArticle,
  registerOrganization,
} from '@tallyhand/test-kit/api-client';
import { type HttpServer, httpServer } from '@tallyhand/test-kit/http-server';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { nextOf, pagesFrom } from '../testing/audit-pages.ts';
import { membersOfEachRole } from '../testing/members.ts';
import { type OwnProduct, startTestProduct } from '../testing/product.ts';

const async = { prefer: 'respond-async' };

let product: OwnProduct;
let model: HttpServer;
/** Requests to the model that are not answered; each is let go by a call. */
const asked: { readonly answer: (status: number) => void; readonly isOpen: () => boolean }[] = [];
let client: ApiClient;
let viewer: ApiClient;
let agentId = '';

beforeAll(async () => {
  model = await httpServer((_, response) => {
    const answer = (status: number) => {
      const message = { role: 'assistant', content: 'Within 30 days.' };
      response.writeHead(status, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ choices: [{ index: 0, message, finish_reason: 'stop' }] }));
    };
    let isOpen = true;
    response.on('close', () => {
      isOpen = false;
    });
    asked.push({ answer, isOpen: () => isOpen });
  });
  product = await startTestProduct({
    model: {
      openAiApiKey: 'key-of-the-test',
      openAiBaseUrl: `${model.origin}/v1`,
      openAiModel: 'peer',
    },
  });
  ({ client } = await registerOrganization(product.url));
  viewer = (await membersOfEachRole(client, product.url)).get('Viewer') ?? expect.fail();
  agentId = (await agentWithArticle(client)).agent.id;
});
afterAll(async () => {
  await product[Symbol.asyncDispose]();
  await model[Symbol.asyncDispose]();
});

/** A task that waits for the model. */
async function startTask(by = client, input = 'Within how many days?') {
  const before = asked.length;
  const options = { params: { id: agentId }, body: { input }, headers: async };
  const { body } = await by.call<{ taskId: string }>(executeTask, options);
  await expect.poll(() => asked.length).toBe(before + 1);
  const request = asked[before] ?? expect.fail();
  return { id: body.taskId, request };
}
const cancel = (id: string, by = client) => by.call<Problem>(cancelTask, { params: { id } });
const retry = (id: string, by = client) =>
  by.call<ExecutionResult & Problem>(retryTask, { params: { id } });
const detail = async (id: string) =>
  (await client.call<TaskDetail>(getTask, { params: { id } })).body;
const ended = (id: string) =>
  expect.poll(async () => (await detail(id)).status).not.toMatch(/queued|running/);
const balance = async () => (await client.call<Organization>(getOrganization)).body;
async function entriesOf(id: string) {
  const { body } = await client.call<LedgerEntry[]>(listLedgerEntries);
  const own = body.filter(({ reservationId }) => reservationId === id).toReversed();
  return own.map(({ kind, reason }) => (reason ? `${kind} (${reason})` : kind));
}

describe('a task that is cancelled', () => {
  it('stops its work, costs nothing, and is final', async () => {
    const { creditBalance } = await balance();
    const { id, request } = await startTask();
    expect(await cancel(id)).toMatchObject({ status: 200, body: { status: 'cancelled' } });
    // The request to the model is broken off.
    await expect.poll(request.isOpen).toBe(false);
    expect(await detail(id)).toMatchObject({ status: 'cancelled', creditCost: 0 });
    expect(await entriesOf(id)).toEqual(['reserved', 'released (work-cancelled)']);
    expect(await balance()).toMatchObject({ creditBalance, reserved: 0 });
  });

  it('answers the waiting call', async () => {
    const before = asked.length;
    const options = { params: { id: agentId }, body: { input: 'Hello' } };
    const waiting = client.call<ExecutionResult>(executeTask, options);
    await expect.poll(() => asked.length).toBe(before + 1);
    const newest = async () =>
      (await client.call<Task[]>(listTasks, { query: { limit: '1' } })).body[0];
    await expect.poll(async () => (await newest())?.status).toBe('running');
    await cancel((await newest())?.id ?? '');
    const { status, body } = await waiting;
    expect(status).toBe(200);
    expect(body).toMatchObject({ success: false, error: 'The task was cancelled.', creditCost: 0 });
    expect(body).toMatchObject({ errorCode: 'cancelled', errorParams: {} });
  });

  it('is cancelled once: a second call changes nothing', async () => {
    const { id } = await startTask();
    await cancel(id);
    expect((await cancel(id)).status).toBe(200);
    expect(await entriesOf(id)).toHaveLength(2);
  });

  it('must not have ended', async () => {
    const { id, request } = await startTask();
    request.answer(200);
    await ended(id);
    expect((await cancel(id)).body).toMatchObject({ status: 409, code: 'task-ended' });
    // The charge follows the task's own ending.
    await expect.poll(() => entriesOf(id)).toEqual(['reserved', 'charged']);
  });

  it('is for the member who started it, and for Admins', async () => {
    const own = await startTask(client);
    expect((await cancel(own.id, viewer)).body).toMatchObject({
      status: 403,
      code: 'not-your-task',
    });
    expect((await cancel(own.id)).status).toBe(200);
    const theirs = await startTask(viewer);
    expect((await cancel(theirs.id, viewer)).status).toBe(200);
    const another = await startTask(viewer);
    expect((await cancel(another.id, client)).status).toBe(200);
  });
});

describe('a task that is tried again', () => {
  it('runs as a new one, and is paid for once', async () => {
    const { id } = await startTask();
    await cancel(id);
    const before = asked.length;
    const again = retry(id);
    await expect.poll(() => asked.length).toBe(before + 1);
    asked[before]?.answer(200);
    const { body } = await again;
    expect(body).toMatchObject({ success: true, creditCost: 1 });
    expect(body.taskId).not.toBe(id);
    expect(await detail(body.taskId)).toMatchObject({
      retryOf: id,
      input: (await detail(id)).input,
    });
    expect(await entriesOf(body.taskId)).toEqual(['reserved', 'charged']);
  });

  it('must have failed or been cancelled', async () => {
    const { id, request } = await startTask();
    expect((await retry(id)).body).toMatchObject({ status: 409, code: 'task-not-retried' });
    request.answer(200);
    await ended(id);
    expect((await retry(id)).body).toMatchObject({ status: 409, code: 'task-not-retried' });
    expect((await retry(id, viewer)).body).toMatchObject({ status: 403, code: 'not-your-task' });
  });
});

describe('the list of tasks', () => {
  async function cancelSome(number: number) {
    for (let count = 0; count < number; count++) await cancel((await startTask()).id);
  }
  const find = async (query: Record<string, string>) =>
    (await client.call<Task[]>(listTasks, { query })).body;

  it('finds by text, status, type, agent and time, together', async () => {
    const mark = crypto.randomUUID();
    const { id, request } = await startTask(client, `100% of Ärmel_${mark}?`);
    request.answer(200);
    await ended(id);
    const today = new Date().toISOString().slice(0, 10);
    const all = { q: `ärmel_${mark}`, status: 'success', type: 'query', agentId, from: today };
    expect((await find({ ...all, to: today })).map((task) => task.id)).toEqual([id]);
    // Nothing of a pattern is meant as one.
    expect(await find({ q: `1__% of Ärmel_${mark}` })).toEqual([]);
    expect(await find({ ...all, status: 'failed' })).toEqual([]);
    expect(await find({ ...all, type: 'playbook' })).toEqual([]);
    expect(await find({ ...all, agentId: crypto.randomUUID() })).toEqual([]);
    expect(await find({ ...all, to: '2020-01-01' })).toEqual([]);
    expect(await find({ ...all, from: '2999-01-01T00:00:00Z' })).toEqual([]);
  });

  it('continues within the matches', async () => {
    await cancelSome(2);
    const { headers } = await client.call(listTasks, {
      query: { status: 'cancelled', limit: '1' },
    });
    const next = /<([^>]+)>/.exec(headers.get('link') ?? '')?.[1] ?? '';
    const { body } = await client.send<Task[]>('GET', next);
    expect(body.map(({ status }) => status)).toEqual(['cancelled']);
  });

  it('pages in both directions of time, each task once', async () => {
    await cancelSome(3);
    const all = (await find({})).map(({ id }) => id);
    const paged = (order: string) => pagesFrom<Task>(client, `${listTasks.path}?limit=2&${order}`);
    const newest = await paged('order=newest');
    expect(newest.flat().map(({ id }) => id)).toEqual(all);
    const oldest = await paged('order=oldest');
    expect(oldest.flat().map(({ id }) => id)).toEqual(all.toReversed());
    expect(oldest.slice(0, -1).every((page) => page.length === 2)).toBe(true);
  });

  it('refuses the cursor of the other order', async () => {
    await cancelSome(2);
    const { headers } = await client.call(listTasks, { query: { limit: '1', order: 'oldest' } });
    const path = nextOf(headers)?.replace('&order=oldest', '') ?? '';
    const { status, body } = await client.send<Problem>('GET', path);
    expect([status, body.errors?.[0]?.path]).toEqual([422, 'cursor']);
  });

  it.each([
    ['status', 'done'],
    ['type', 'dance'],
    ['agentId', 'me'],
    ['from', 'yesterday'],
    ['to', '2026-13-01'],
    ['order', 'best'],
    ['q', 'x'.repeat(201)],
  ])('names %s when it is wrong', async (name, value) => {
    const query = { [name]: value };
    const { status, body } = await client.call<Problem>(listTasks, { query });
    expect([status, body.errors?.[0]?.path]).toEqual([422, name]);
  });
});

describe('the export of tasks', () => {
  it('is the filtered list as CSV, safe to open', async () => {
    const { id, request } = await startTask(client, '=HYPERLINK("http://example.com")');
    request.answer(200);
    await ended(id);
    const { headers, body } = await client.call<string>(exportTasks, { query: { q: 'HYPERLINK' } });
    expect(headers.get('content-type')).toBe('text/csv; charset=utf-8');
    expect(headers.get('content-disposition')).toContain('tasks.csv');
    const [heads, row, ...rest] = body.trim().split('\r\n');
    expect([heads?.startsWith('Created,Agent,Type,Status,Input'), rest]).toEqual([true, []]);
    expect(row).toContain(`"'=HYPERLINK(""http://example.com"")"`);
    expect(row).toContain(id);
  });

  it('is JSON on request, with the texts whole', async () => {
    const long = 'A long question. '.repeat(300).trim();
    const { id, request } = await startTask(client, long);
    request.answer(200);
    await ended(id);
    const query = { format: 'json', q: 'A long question' };
    const { body } = await client.call<Task[]>(exportTasks, { query });
    expect(body).toMatchObject([{ id, input: long, status: 'success', agentName: 'Support' }]);
    const none = { format: 'json', q: crypto.randomUUID() };
    expect((await client.call(exportTasks, { query: none })).body).toEqual([]);
  });

  it('is of the chosen tasks, oldest first, whatever the filter says', async () => {
    const ids: string[] = [];
    for (const input of ['The first question', 'The second question', 'The third question']) {
      const { id, request } = await startTask(client, input);
      request.answer(200);
      await ended(id);
      ids.push(id);
    }
    const [first, , third] = ids;
    const query = { format: 'json', q: 'nothing', ids: `${third},${first},${crypto.randomUUID()}` };
    const { body } = await client.call<Task[]>(exportTasks, { query });
    expect(body.map(({ id }) => id)).toEqual([first, third]);
    const { client: other } = await registerOrganization(product.url);
    expect((await other.call(exportTasks, { query })).body).toEqual([]);
    const many = Array.from({ length: EXPORTED_IDS_MAX + 1 }, () => third).join();
    expect((await client.call(exportTasks, { query: { ids: many } })).status).toBe(422);
  });
});
