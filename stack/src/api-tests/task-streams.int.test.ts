import { Tallyhand } from '@tallyhand/client';
import { assignResources } from '@tallyhand/contracts/features/agents/agents.endpoints';
import { signOut } from '@tallyhand/contracts/features/identity/identity.endpoints';
import {
  createPlaybook,
  type Playbook,
} from '@tallyhand/contracts/features/playbooks/playbooks.endpoints';
import {
  cancelTask,
  executeTask,
  getTask,
  streamTask,
  type TaskDetail,
} from '@tallyhand/contracts/features/tasks/tasks.endpoints';
import type { Problem } from '@tallyhand/contracts/kernel/problem';
import {
  type ApiClient,
  agentWithArticle,
  playbookInput,
  registerOrganization,
} from '@tallyhand/test-kit/api-client';
import { type HttpServer, httpServer } from '@tallyhand/test-kit/http-server';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { cutLine } from '../testing/cut-line.ts';
import { openStream, type StreamEvent } from '../testing/event-stream.ts';
import { newKey } from '../testing/members.ts';
import { type OwnProduct, startTestProduct } from '../testing/product.ts';

let product: OwnProduct;
let model: HttpServer;
let client: ApiClient;
let agentId: string;
/** Requests to the model that wait for an answer. */
let asked: ((answer: string) => void)[];

beforeAll(async () => {
  model = await httpServer((_, response) => {
    asked.push((content) => {
      const message = { role: 'assistant', content };
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ choices: [{ index: 0, message, finish_reason: 'stop' }] }));
    });
  });
  product = await startTestProduct({
    model: {
      openAiApiKey: 'key-of-the-test',
      openAiBaseUrl: `${model.origin}/v1`,
      openAiModel: 'peer',
    },
  });
});
afterAll(async () => {
  await product[Symbol.asyncDispose]();
  await model[Symbol.asyncDispose]();
});
beforeEach(async () => {
  asked = [];
  ({ client } = await registerOrganization(product.url));
  const { agent, article } = await agentWithArticle(client);
  agentId = agent.id;
  const steps = ['Look up the order', 'Answer the customer'];
  const playbook = await client.call<Playbook>(createPlaybook, {
    body: { ...playbookInput, steps },
  });
  const body = { articles: [article.id], playbooks: [playbook.body.id] };
  await client.call(assignResources, { params: { id: agentId }, body });
});

const body = { input: 'Anna wants to return order 7', type: 'playbook' };
const run = () => openStream(product.url, client, executeTask, { params: { id: agentId }, body });
const join = (id: string, lastId?: string, by = client) =>
  openStream(product.url, by, streamTask, {
    params: { id },
    ...(lastId === undefined ? {} : { headers: { 'last-event-id': lastId } }),
  });

/** A request that a test leaves open would count as one of the next test. */
const isAsked = () => expect.poll(() => asked.length).toBe(1);

/** Waits for the model's next request, and answers it. */
async function answer(text: string) {
  await isAsked();
  asked.shift()?.(text);
}

const names = (events: readonly StreamEvent[]) =>
  events.map(({ event, data }) =>
    event === 'step' ? `step ${(data as { output: string }).output}` : event,
  );
const idOf = (started: StreamEvent | undefined) =>
  (started?.data as { taskId: string } | undefined)?.taskId ?? '';

describe('a run that is streamed', () => {
  it('reports each finished step, and ends with the answer', async () => {
    await using stream = await run();
    const taskId = idOf(await stream.next());
    await answer('Order 7 was sent.');
    expect(names([(await stream.next()) as StreamEvent])).toEqual(['step Order 7 was sent.']);
    await answer('Anna may return it.');
    const rest = await stream.until('reply');
    expect(names(rest)).toEqual(['step Anna may return it.', 'reply']);
    expect(rest.at(-1)?.data).toMatchObject({ taskId, success: true, creditCost: 1 });
    expect(await stream.next()).toBeUndefined();
  });

  it('is refused with a problem before it begins', async () => {
    await using stream = await openStream(product.url, client, executeTask, {
      params: { id: agentId },
      body: { ...body, input: '' },
    });
    expect(stream.status).toBe(422);
    expect(stream.headers.get('content-type')).toContain('application/problem+json');
  });
});

describe('GET /api/tasks/{id}/events', () => {
  it('joins a run, and continues where another stream was lost', async () => {
    const lost = await run();
    const taskId = idOf(await lost.next());
    await answer('Order 7 was sent.');
    await lost.next();
    lost.leave();
    await using resumed = await join(taskId, lost.lastId);
    await using whole = await join(taskId);
    await answer('Anna may return it.');
    expect(names(await resumed.until('reply'))).toEqual(['step Anna may return it.', 'reply']);
    const all = await whole.until('reply');
    expect(names(all)).toEqual([
      'started',
      'step Order 7 was sent.',
      'step Anna may return it.',
      'reply',
    ]);
    expect(await resumed.next()).toBeUndefined();
    // After its end, too.
    await using later = await join(taskId);
    expect(await later.until('none')).toEqual(all);
    const { body: task } = await client.call<TaskDetail>(getTask, { params: { id: taskId } });
    expect(all.at(-1)?.data).toMatchObject({ taskId, output: task.output, sources: task.sources });
  });

  it('ends with a cancelled task', async () => {
    await using stream = await run();
    const taskId = idOf(await stream.next());
    await using joined = await join(taskId);
    await isAsked();
    await client.call(cancelTask, { params: { id: taskId } });
    for (const each of [stream, joined]) {
      const [reply] = (await each.until('reply')).slice(-1);
      expect(reply?.data).toMatchObject({ success: false, errorCode: 'cancelled' });
    }
  });

  it('ends when its sign-in does', async () => {
    await using stream = await run();
    await using joined = await join(idOf(await stream.next()));
    expect((await joined.next())?.event).toBe('started');
    await client.call(signOut);
    expect(await joined.next()).toBeUndefined();
    expect((await stream.until('failed')).at(-1)?.data).toMatchObject({ code: 'not-signed-in' });
    await answer('Nobody reads this.');
    await answer('Nor this.');
  });

  it('is refused for an unknown task, another organization’s, and an id of no event', async () => {
    await using stream = await run();
    const taskId = idOf(await stream.next());
    const { client: stranger } = await registerOrganization(product.url);
    expect((await join(taskId, undefined, stranger)).status).toBe(404);
    expect((await join(crypto.randomUUID())).status).toBe(404);
    const refused = await client.send<Problem>('GET', `/api/tasks/${taskId}/events`, {
      headers: { 'last-event-id': 'first' },
    });
    expect([refused.status, refused.body.errors?.[0]?.path]).toEqual([422, 'Last-Event-ID']);
    await isAsked();
    await client.call(cancelTask, { params: { id: taskId } });
  });
});

/** The client library behind a line that can be cut. */
async function clientOnLine() {
  const line = await cutLine(product.url);
  const { key } = await newKey(client, 'Admin');
  return { line, sdk: new Tallyhand({ baseUrl: line.url, apiKey: key }) };
}

const WHOLE = ['started', 'step Order 7 was sent.', 'step Anna may return it.', 'reply'];

describe('client.agents.executeStream', () => {
  it('continues after each cut: every event once and in order, one task, one credit', async () => {
    const { line, sdk } = await clientOnLine();
    await using _ = line;
    const seen: StreamEvent[] = [];
    for await (const event of sdk.agents.executeStream(agentId, {
      input: body.input,
      type: 'playbook',
    })) {
      seen.push(event);
      line.cut();
      if (event.event === 'started') void answer('Order 7 was sent.');
      if (event.event === 'step' && event.data.ordinal === 1) void answer('Anna may return it.');
    }
    expect(names(seen)).toEqual(WHOLE);
    expect(seen.at(-1)?.data).toMatchObject({ success: true, creditCost: 1 });
    expect((await sdk.tasks.list()).data).toEqual([
      expect.objectContaining({ id: idOf(seen[0]), status: 'success', creditCost: 1 }),
    ]);
  });

  it('closes the connection when its signal aborts, and the task continues', async () => {
    const { line, sdk } = await clientOnLine();
    await using _ = line;
    const left = new AbortController();
    let taskId = '';
    const reading = (async () => {
      const options = { signal: left.signal };
      const run = sdk.agents.executeStream(
        agentId,
        { input: 'Return it', type: 'playbook' },
        options,
      );
      for await (const { event, data } of run) {
        if (event === 'started') taskId = data.taskId;
        left.abort(new Error('I left'));
      }
    })();
    await expect(reading).rejects.toThrow('I left');
    await expect.poll(() => line.open).toBe(0);
    await answer('Order 7 was sent.');
    await answer('Anna may return it.');
    expect(await sdk.tasks.wait(taskId)).toMatchObject({ status: 'success' });
  });
});

describe('client.tasks.events.stream', () => {
  it('joins a run, continues after each cut, and reads what was done afterwards', async () => {
    const { line, sdk } = await clientOnLine();
    await using _ = line;
    const begun = { input: body.input, type: 'playbook' } as const;
    const { taskId } = await sdk.agents.execute(agentId, begun, { wait: false });
    const seen: StreamEvent[] = [];
    for await (const event of sdk.tasks.events.stream(taskId)) {
      seen.push(event);
      line.cut();
      if (event.event === 'started') void answer('Order 7 was sent.');
      if (event.event === 'step' && event.data.ordinal === 1) void answer('Anna may return it.');
    }
    expect(names(seen)).toEqual(WHOLE);
    expect(await sdk.tasks.retrieve(taskId)).toMatchObject({ status: 'success', creditCost: 1 });
  });

  it('continues where another stream, perhaps of another process, was left', async () => {
    const { line, sdk } = await clientOnLine();
    await using _ = line;
    const first = sdk.agents.executeStream(agentId, { input: body.input, type: 'playbook' });
    let taskId = '';
    for await (const { event, data } of first) {
      if (event === 'started') taskId = data.taskId;
      if (event === 'started') await answer('Order 7 was sent.');
      if (event === 'step') break;
    }
    await answer('Anna may return it.');
    const { lastEventId } = first;
    const rest: StreamEvent[] = [];
    for await (const event of sdk.tasks.events.stream(taskId, { lastEventId })) rest.push(event);
    expect(names(rest)).toEqual(WHOLE.slice(2));
    expect(await sdk.tasks.events.stream(taskId).final()).toMatchObject({ taskId, success: true });
  });
});
