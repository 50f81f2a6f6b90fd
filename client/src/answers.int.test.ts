import { describe, expect, it } from 'vitest';
import { AnswerError, ConnectionError, isProblem, TimeoutError } from './tallyhand.ts';
import { agent, all, clientOf, failure, now } from './testing/clients.ts';
import {
  dropped,
  events,
  json,
  problem,
  raw,
  type Script,
  scriptedServer,
} from './testing/scripted-server.ts';

describe('a list', () => {
  const page = (items: readonly number[], link?: string) => json(items, 200, link ? { link } : {});

  it('continues by the link to the next page, at the same address', async () => {
    await using server = await scriptedServer(
      page([1, 2], '<https://elsewhere.example/other?cursor=b&limit=2>; rel="next"'),
      page([], '</api/tasks?cursor=c&limit=2>; rel="next"'),
      page([3]),
    );
    expect(await all(clientOf(server.url).tasks.list({ limit: 2 }))).toEqual([1, 2, 3]);
    expect(server.requests.map(({ url }) => url)).toEqual([
      '/api/tasks?limit=2',
      '/api/tasks?cursor=b&limit=2',
      '/api/tasks?cursor=c&limit=2',
    ]);
  });

  it('gives its pages one by one', async () => {
    await using server = await scriptedServer(
      page([1], '</api/tasks?cursor=b>; rel="next"'),
      page([2]),
    );
    const first = await clientOf(server.url).tasks.list();
    expect([first.data, first.hasNextPage()]).toEqual([[1], true]);
    const second = await first.nextPage();
    expect([second?.data, second?.hasNextPage(), await second?.nextPage()]).toEqual([
      [2],
      false,
      null,
    ]);
  });

  it('requests no page that is not needed', async () => {
    await using server = await scriptedServer(page([1], '</api/tasks?cursor=b>; rel="next"'));
    for await (const task of clientOf(server.url).tasks.list()) if (task) break;
    expect(server.requests).toHaveLength(1);
  });

  it('ends when a link leads back to the same page', async () => {
    await using server = await scriptedServer(page([1], '</api/tasks?cursor=b>; rel="next"'));
    expect(await all(clientOf(server.url).tasks.list())).toEqual([1, 1]);
  });

  it('is refused if it is none', async () => {
    await using server = await scriptedServer(json({}));
    expect(await failure(clientOf(server.url).tasks.list())).toBeInstanceOf(AnswerError);
  });
});

describe('a stream', () => {
  const text = (piece: string) => `event: text\ndata: ${JSON.stringify({ piece })}\n\n`;
  const reply = 'id: C9-P9\nevent: reply\ndata: {"response":"Hello"}\n\n';
  const chat = (url: string, options = {}) =>
    clientOf(url).agents.chatStream('a', { message: 'Hello' }, options);

  it('yields events as they come, and ends with the reply', async () => {
    await using server = await scriptedServer(
      events([text('Hel'), ': still here\n\n', text('lo'), reply], 'stays open'),
    );
    const client = clientOf(server.url);
    expect(await all(client.agents.chatStream('a', { message: 'Hello' }))).toEqual([
      { event: 'text', data: { piece: 'Hel' } },
      { event: 'text', data: { piece: 'lo' } },
      { event: 'reply', data: { response: 'Hello' } },
    ]);
    expect(server.requests[0]?.headers.accept).toBe('text/event-stream');
    expect(client.position).toBe('C9-P9');
  });

  it('returns its reply', async () => {
    await using server = await scriptedServer(events([text('Hello'), reply]));
    expect(await chat(server.url).final()).toEqual({ response: 'Hello' });
  });

  it('begins again with the same key until it is answered', async () => {
    await using server = await scriptedServer(dropped, problem(503, 'later', now), events([reply]));
    expect(await chat(server.url).final()).toEqual({ response: 'Hello' });
    expect(new Set(server.requests.map(({ headers }) => headers['idempotency-key'])).size).toBe(1);
  });

  it('throws the problem that ends it', async () => {
    const failed =
      'event: failed\ndata: {"status":409,"code":"reply-stopped","detail":"Stopped."}\n\n';
    await using server = await scriptedServer(events([text('Hel'), failed]));
    const error = await failure(chat(server.url).final());
    expect(isProblem(error, 'agents.chat') && error.code).toBe('reply-stopped');
  });

  it.each(['ends', 'breaks'] as const)('that %s without a reply has failed', async (end) => {
    await using server = await scriptedServer(events([text('Hel')], end));
    expect(await failure(chat(server.url).final())).toBeInstanceOf(ConnectionError);
    expect(server.requests).toHaveLength(1);
  });

  it('that falls silent has failed', async () => {
    await using server = await scriptedServer(events([text('Hel')], 'stays open'));
    const stream = chat(server.url, { idleTimeoutMs: 100 });
    expect(await failure(stream.final())).toBeInstanceOf(TimeoutError);
  });

  it('is given up by leaving the loop, and by the signal', async () => {
    const closed = Promise.withResolvers<void>();
    const endless: Script = async (response) => {
      response.on('close', () => closed.resolve());
      response.writeHead(200, { 'content-type': 'text/event-stream' }).write(text('Hel'));
    };
    await using server = await scriptedServer(endless);
    for await (const { event } of chat(server.url)) if (event === 'text') break;
    await closed.promise;
    const abort = new AbortController();
    const reading = failure(
      (async () => {
        for await (const _ of chat(server.url, { signal: abort.signal })) abort.abort();
      })(),
    );
    expect(await reading).toMatchObject({ name: 'AbortError' });
  });

  it('is read once', async () => {
    await using server = await scriptedServer(events([reply]));
    const stream = chat(server.url);
    await stream.final();
    expect(await failure(stream.final())).toMatchObject({ message: 'A stream is read once' });
  });

  it.each([
    ['of another type', json({ response: 'Hello' })],
    ['with an event that is no JSON', events(['event: text\ndata: {\n\n'])],
  ])('%s is refused', async (_, script) => {
    await using server = await scriptedServer(script);
    expect(await failure(chat(server.url).final())).toBeInstanceOf(AnswerError);
  });
});

describe('the stream of a task', () => {
  const started = 'id: 0.0\nevent: started\ndata: {"taskId":"t"}\n\n';
  const step = (ordinal: number) =>
    `id: 0.${ordinal}\nevent: step\ndata: {"ordinal":${ordinal}}\n\n`;
  const end = (id: string) => `id: ${id}\nevent: reply\ndata: {"taskId":"t"}\n\n`;
  const runOn = (url: string, options = {}) =>
    clientOf(url).agents.executeStream('a', { input: 'Go' }, options);

  it('continues after its last event when it was lost, cut in the middle of an event too', async () => {
    await using server = await scriptedServer(
      events([started, step(1), step(2).slice(0, 20)], 'breaks'),
      problem(503, 'later', now),
      events([step(2)]),
      events([step(3), end('0.3')]),
    );
    const client = clientOf(server.url, { position: 'C1-P1' });
    const seen = await all(client.agents.executeStream('a', { input: 'Go' }));
    expect(seen.map(({ event, data }) => ('ordinal' in data ? data.ordinal : event))).toEqual([
      'started',
      1,
      2,
      3,
      'reply',
    ]);
    expect(
      server.requests.map(({ method, url, headers }) => [method, url, headers['last-event-id']]),
    ).toEqual([
      ['POST', '/api/agents/a/execute', undefined],
      ['GET', '/api/tasks/t/events', '0.1'],
      ['GET', '/api/tasks/t/events', '0.1'],
      ['GET', '/api/tasks/t/events', '0.2'],
    ]);
    // The ids of these events are no positions.
    expect(client.position).toBe('C1-P1');
  });

  it('is requested again with its key when it was lost before its first event', async () => {
    await using server = await scriptedServer(
      events([], 'breaks'),
      events([started, end('C9-P9')]),
    );
    const client = clientOf(server.url);
    expect(await client.agents.executeStream('a', { input: 'Go' }).final()).toEqual({
      taskId: 't',
    });
    const sent = server.requests.map(({ method, headers }) => [method, headers['idempotency-key']]);
    expect(sent).toEqual([sent[0], sent[0]]);
    expect(client.position).toBe('C9-P9');
  });

  it('that falls silent is joined again', async () => {
    await using server = await scriptedServer(
      events([started], 'stays open'),
      events([end('0.0')]),
    );
    expect(await runOn(server.url, { idleTimeoutMs: 100 }).final()).toEqual({ taskId: 't' });
  });

  it('has failed after as many losses without an event as retries', async () => {
    await using server = await scriptedServer(events([started], 'breaks'), events([]));
    expect(await failure(runOn(server.url, { retries: 1 }).final())).toBeInstanceOf(
      ConnectionError,
    );
    expect(server.requests).toHaveLength(2);
    await using strict = await scriptedServer(events([started], 'breaks'));
    expect(await failure(runOn(strict.url, { retries: 0 }).final())).toBeInstanceOf(
      ConnectionError,
    );
    expect(strict.requests).toHaveLength(1);
  });

  it('is given up by the signal while it waits to be joined again', async () => {
    await using server = await scriptedServer(events([started], 'breaks'));
    const abort = new AbortController();
    const reading = failure(runOn(server.url, { signal: abort.signal }).final());
    await expect.poll(() => server.requests.length).toBe(1);
    abort.abort();
    expect(await reading).toMatchObject({ name: 'AbortError' });
  });

  it('joins after the event that is named', async () => {
    await using server = await scriptedServer(events([end('0.4')]));
    const stream = clientOf(server.url).tasks.events.stream('t', { lastEventId: '0.4' });
    expect(await stream.final()).toEqual({ taskId: 't' });
    expect(server.requests[0]?.headers['last-event-id']).toBe('0.4');
  });
});

describe('an execution', () => {
  const task = (status: string) => ({
    id: 't',
    status,
    output: 'Done',
    errorMessage: null,
    creditCost: 1,
    reasoning: null,
    executionTimeMs: 5,
    sources: [],
  });

  it('that is accepted is waited for', async () => {
    const accepted = json({ taskId: 't' }, 202, now);
    await using server = await scriptedServer(
      accepted,
      json(task('running'), 200, now),
      json(task('success')),
    );
    const result = await clientOf(server.url).agents.execute('a', { input: 'Hello' });
    expect(result).toMatchObject({ taskId: 't', success: true, output: 'Done', creditCost: 1 });
    expect(server.requests.map(({ url }) => url)).toEqual([
      '/api/agents/a/execute',
      '/api/tasks/t',
      '/api/tasks/t',
    ]);
  });

  it.each([
    ['no task', [json({}, 202, now)]],
    ['no object', [json(null, 202, now)]],
    ['a task that is no object', [json({ taskId: 't' }, 202, now), json(null)]],
  ])('is refused if the server names %s', async (_, scripts) => {
    await using server = await scriptedServer(...scripts);
    const call = clientOf(server.url).agents.execute('a', { input: 'Hello' });
    expect(await failure(call)).toBeInstanceOf(AnswerError);
  });

  it('is answered at once where the caller does not wait', async () => {
    await using server = await scriptedServer(
      json({ taskId: 't' }, 202, now),
      json(task('failed')),
    );
    const client = clientOf(server.url);
    const accepted = await client.agents.execute('a', { input: 'Hello' }, { wait: false });
    expect(accepted).toEqual({ taskId: 't' });
    expect(server.requests[0]?.headers.prefer).toBe('respond-async');
    expect(await client.tasks.wait('t')).toMatchObject({ status: 'failed' });
  });
});

describe('a file', () => {
  it('is uploaded as a form, the same in each attempt', async () => {
    await using server = await scriptedServer(problem(503, 'later', now), json(agent, 201));
    const file = { name: 'returns.md', content: '# Returns', type: 'text/markdown' };
    await clientOf(server.url).articles.import({ file });
    for (const { headers, body } of server.requests) {
      expect(headers['content-type']).toMatch(/^multipart\/form-data; boundary=/);
      expect(body).toContain('name="file"; filename="returns.md"');
      expect(body).toContain('# Returns');
    }
    expect(server.requests).toHaveLength(2);
  });

  it('is downloaded as a response', async () => {
    await using server = await scriptedServer(raw(200, 'text/csv', 'id,input\n'));
    const response = await clientOf(server.url).tasks.export({ format: 'csv' });
    expect(await response.text()).toBe('id,input\n');
  });
});
