import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import {
  AnswerError,
  ApiError,
  ConnectionError,
  isProblem,
  Tallyhand,
  TimeoutError,
} from './tallyhand.ts';
import { agent, apiKey, clientOf, failure, now } from './testing/clients.ts';
import {
  dropped,
  json,
  problem,
  raw,
  type Script,
  scriptedServer,
  silent,
} from './testing/scripted-server.ts';

describe('a call', () => {
  it('sends method, path, key and body', async () => {
    await using server = await scriptedServer(json(agent));
    const client = clientOf(`${server.url}/below/`);
    expect(await client.agents.update('a/b', { isActive: true })).toEqual(agent);
    expect(server.requests).toMatchObject([
      {
        method: 'PUT',
        url: '/below/api/agents/a%2Fb',
        body: '{"isActive":true}',
        headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
      },
    ]);
  });

  it('sends the values of a query, and not those that are left out', async () => {
    await using server = await scriptedServer(json([]));
    await clientOf(server.url).tasks.list({ limit: 2, status: 'failed', q: undefined });
    expect(server.requests[0]?.url).toBe('/api/tasks?limit=2&status=failed');
  });

  it.each(['', '.', '..'])('refuses %j as an id, which would be another path', async (id) => {
    await using server = await scriptedServer(json(agent));
    await expect(clientOf(server.url).agents.delete(id)).rejects.toThrow(
      'agents.delete: id must be',
    );
    expect(server.requests).toEqual([]);
  });

  it('lets no header of the caller replace the key, or its own', async () => {
    await using server = await scriptedServer(json(agent));
    const headers = { Authorization: 'Bearer th_other', 'Idempotency-Key': 'x', 'X-Mine': 'mine' };
    const client = clientOf(server.url, { headers: { 'X-Mine': 'yours' } });
    await client.agents.update('a', { name: 'Sales' }, { headers, ifMatch: '"7"' });
    expect(server.requests[0]?.headers).toMatchObject({
      authorization: `Bearer ${apiKey}`,
      'idempotency-key': expect.stringMatching(/^[0-9a-f]{32}$/),
      'if-match': '"7"',
      'x-mine': 'mine',
    });
  });

  it('refuses a header that can not be sent, without trying', async () => {
    await using server = await scriptedServer(json(agent));
    const call = clientOf(server.url).tasks.retry('a', { idempotencyKey: 'Schlüssel\n1' });
    expect(await failure(call)).toBeInstanceOf(TypeError);
    expect(server.requests).toEqual([]);
  });

  it('gives the headers of the answer on request', async () => {
    const headers = { 'tallyhand-correlation-id': 'c', etag: '"7"' };
    await using server = await scriptedServer(json(agent, 200, headers));
    const { data, response, requestId } = await clientOf(server.url)
      .agents.retrieve('a')
      .withResponse();
    expect([data, response.headers.get('etag'), requestId]).toEqual([agent, '"7"', 'c']);
  });

  it('sends how far it has seen, and hands it on', async () => {
    const at = (position: string) => json(agent, 200, { 'tallyhand-position': position });
    await using server = await scriptedServer(at('C9-P9'), at('C8-P8'), json(agent));
    const client = clientOf(server.url);
    for (let times = 0; times < 3; times += 1) await client.agents.retrieve('a');
    const sent = server.requests.map(({ headers }) => headers['tallyhand-at-least']);
    expect(sent).toEqual([undefined, 'C9-P9', 'C9-P9']);
    const other = clientOf(server.url, { position: client.position });
    await other.agents.retrieve('a');
    expect(server.requests.at(-1)?.headers['tallyhand-at-least']).toBe('C9-P9');
  });
});

describe('a retry', () => {
  const create = (client: Tallyhand) =>
    client.articles.create({ title: 'a', content: 'b', category: 'c' });

  it.each([408, 429, 502, 503, 504])('follows the status %s, with the same key', async (status) => {
    await using server = await scriptedServer(problem(status, 'later', now), json(agent, 201));
    expect(await create(clientOf(server.url))).toEqual(agent);
    const [first, second] = server.requests.map(({ headers }) => headers['idempotency-key']);
    expect(first).toMatch(/^[0-9a-f]{32}$/);
    expect(second).toBe(first);
  });

  it('follows a dropped connection and an answer that is cut off', async () => {
    const cutOff: Script = (response, _request, socket) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': '400' });
      response.write('{"id":', () => socket.destroy());
    };
    await using server = await scriptedServer(dropped, cutOff, json(agent, 201));
    expect(await create(clientOf(server.url))).toEqual(agent);
    expect(new Set(server.requests.map(({ headers }) => headers['idempotency-key'])).size).toBe(1);
  });

  it('follows an attempt that takes too long', async () => {
    await using server = await scriptedServer(silent, json(agent));
    expect(await clientOf(server.url, { attemptTimeoutMs: 100 }).agents.retrieve('a')).toEqual(
      agent,
    );
  });

  it('uses another key for each call, and the one that is given', async () => {
    await using server = await scriptedServer(json(agent, 201));
    const client = clientOf(server.url);
    await create(client);
    await create(client);
    await client.agents.execute('a', { input: 'Hello' }, { idempotencyKey: 'mine' });
    const keys = server.requests.map(({ headers }) => headers['idempotency-key']);
    expect(new Set(keys).size).toBe(3);
    expect(keys[2]).toBe('mine');
  });

  it('of a batch has the same key for each task, made for those that have none', async () => {
    await using server = await scriptedServer(dropped, json({ tasks: [] }));
    const task = { agentId: 'a', input: 'Hello' };
    const tasks = [task, { ...task, idempotencyKey: 'mine' }];
    await clientOf(server.url).tasks.execute({ tasks });
    const [first, second] = server.requests.map(({ body }) => JSON.parse(body));
    expect(second).toEqual(first);
    expect(first.tasks).toEqual([
      { ...task, idempotencyKey: expect.stringMatching(/^[0-9a-f]{32}$/) },
      { ...task, idempotencyKey: 'mine' },
    ]);
  });

  it('ends after the requested number of retries', async () => {
    await using server = await scriptedServer(problem(503, 'dependency-down', now));
    const client = clientOf(server.url, { retries: 3 });
    expect(await failure(client.agents.retrieve('a'))).toMatchObject({ status: 503 });
    expect(server.requests).toHaveLength(4);
    await failure(client.agents.retrieve('a', {}, { retries: 0 }));
    expect(server.requests).toHaveLength(5);
  });

  it.each([400, 401, 402, 403, 404, 409, 413, 422, 500])('does not follow %s', async (status) => {
    await using server = await scriptedServer(problem(status, 'no', now));
    expect(await failure(create(clientOf(server.url)))).toMatchObject({ status, code: 'no' });
    expect(server.requests).toHaveLength(1);
  });

  it('never repeats a change without a key, which could happen twice', async () => {
    await using server = await scriptedServer(dropped);
    const changed = clientOf(server.url).user.profile.update({
      username: 'a',
      email: 'a@example.com',
    });
    expect(await failure(changed)).toBeInstanceOf(ConnectionError);
    expect(server.requests).toHaveLength(1);
    expect(server.requests[0]?.headers['idempotency-key']).toBeUndefined();
  });

  it('does not wait for an hour', async () => {
    await using server = await scriptedServer(
      problem(429, 'chat-limit-reached', { 'retry-after': '3600' }),
    );
    expect(await failure(clientOf(server.url).agents.retrieve('a'))).toMatchObject({
      status: 429,
      retryAfterMs: 3_600_000,
    });
    expect(server.requests).toHaveLength(1);
  });

  it('does not begin a wait that would outlast the call', async () => {
    await using server = await scriptedServer(problem(503, 'later', { 'retry-after': '50' }));
    const call = clientOf(server.url, { timeoutMs: 40_000 }).agents.retrieve('a');
    expect(await failure(call)).toMatchObject({ status: 503 });
  });
});

describe('the end of a call', () => {
  it('comes when its time is over, also between attempts', async () => {
    await using server = await scriptedServer(silent);
    const client = clientOf(server.url, { attemptTimeoutMs: 60, timeoutMs: 200, retries: 20 });
    expect(await failure(client.agents.retrieve('a'))).toBeInstanceOf(TimeoutError);
  });

  it('comes with the signal, and has its reason', async () => {
    await using server = await scriptedServer(silent);
    const abort = new AbortController();
    const call = failure(clientOf(server.url).agents.retrieve('a', {}, { signal: abort.signal }));
    await expect.poll(() => server.requests.length).toBe(1);
    const reason = new Error('The user left');
    abort.abort(reason);
    expect(await call).toBe(reason);
  });

  it('comes at once when the signal was aborted before', async () => {
    await using server = await scriptedServer(json(agent));
    const call = clientOf(server.url).agents.retrieve('a', {}, { signal: AbortSignal.abort() });
    expect(await failure(call)).toMatchObject({ name: 'AbortError' });
    expect(server.requests).toEqual([]);
  });

  it('comes during the wait before a retry', async () => {
    await using server = await scriptedServer(problem(503, 'later', { 'retry-after': '50' }));
    const abort = new AbortController();
    const call = failure(clientOf(server.url).agents.retrieve('a', {}, { signal: abort.signal }));
    await expect.poll(() => server.requests.length).toBe(1);
    abort.abort();
    expect(await call).toMatchObject({ name: 'AbortError' });
  });
});

describe('a refusal', () => {
  it('has status, code, fields, parameters and request id', async () => {
    const more = {
      errors: [{ path: 'input', message: 'Required' }],
      params: { available: 0 },
      correlationId: 'c',
    };
    await using server = await scriptedServer(problem(402, 'insufficient-credits', {}, more));
    const error = await failure(clientOf(server.url).agents.execute('a', { input: 'Hello' }));
    expect(error.message).toBe(
      'agents.execute: 402 insufficient-credits: It is insufficient-credits.',
    );
    expect(error).toMatchObject({ errors: more.errors, params: more.params, requestId: 'c' });
    expect(isProblem(error, 'agents.execute') && error.code === 'insufficient-credits').toBe(true);
    expect(isProblem(error, 'agents.create')).toBe(false);
    expect(isProblem(error)).toBe(true);
  });

  it('of a proxy has its status alone', async () => {
    await using server = await scriptedServer(raw(502, 'text/html', '<h1>Bad gateway</h1>'));
    const error = await failure(clientOf(server.url, { retries: 0 }).agents.retrieve('a'));
    expect(error).toBeInstanceOf(ApiError);
    expect(error).toMatchObject({ status: 502, code: undefined, errors: [] });
    expect(isProblem(error, 'agents.retrieve')).toBe(false);
  });

  it('with fields of strange types has texts', async () => {
    const more = { errors: [null, { path: 7 }], params: 'none' };
    await using server = await scriptedServer(problem(422, 'validation-failed', {}, more));
    expect(await failure(clientOf(server.url).agents.retrieve('a'))).toMatchObject({
      errors: [
        { path: 'undefined', message: 'undefined' },
        { path: '7', message: 'undefined' },
      ],
      params: {},
    });
  });

  it.each(['null', '[]', '7', '{"code":7,"errors":"none","params":[]}', '{', ''])(
    'is understood with the body %s',
    async (text) => {
      await using server = await scriptedServer(raw(400, 'application/problem+json', text));
      expect(await failure(clientOf(server.url).agents.retrieve('a'))).toMatchObject({
        name: 'ApiError',
        status: 400,
        code: undefined,
        errors: [],
      });
    },
  );
});

describe('a server that is not Tallyhand, or a hostile one', () => {
  it.each([
    ['a page', raw(200, 'text/html', '<p>Hello')],
    ['JSON that is none', raw(200, 'application/json', '{')],
    ['an answer without a type', ((response) => void response.end('{}')) as Script],
  ])('is refused when it answers %s', async (_, script) => {
    await using server = await scriptedServer(script);
    expect(await failure(clientOf(server.url).agents.retrieve('a'))).toBeInstanceOf(AnswerError);
    expect(server.requests).toHaveLength(1);
  });

  it.each([301, 302, 303, 307, 308])('gets no key by a redirect with %s', async (status) => {
    await using other = await scriptedServer(json(agent));
    const redirect = raw(status, 'text/plain', '', { location: `${other.url}/api/agents/a` });
    await using server = await scriptedServer(redirect);
    const error = await failure(clientOf(server.url).agents.retrieve('a'));
    expect(error).toBeInstanceOf(AnswerError);
    expect(error.message).toContain(other.url);
    expect(other.requests).toEqual([]);
  });

  it('cannot redirect in circles', async () => {
    await using server = await scriptedServer(
      raw(302, 'text/plain', '', { location: '/api/agents/a' }),
    );
    expect(await failure(clientOf(server.url).agents.retrieve('a'))).toBeInstanceOf(AnswerError);
    expect(server.requests).toHaveLength(1);
  });

  it('cannot fill the memory with an endless problem', async () => {
    const endless: Script = (response) => {
      response.writeHead(400, { 'content-type': 'application/problem+json' });
      const piece = 'x'.repeat(64 * 1024);
      const write = () => {
        while (!response.destroyed && response.write(piece));
      };
      response.on('drain', write);
      write();
    };
    await using server = await scriptedServer(endless);
    const error = await failure(clientOf(server.url).agents.retrieve('a'));
    expect(error).toMatchObject({ status: 400, code: undefined });
  });
});

describe('the API key', () => {
  it.each(['', ' ', 'th_a\n', 'th_ä', 'th_a b'])('%j is refused without being shown', (key) => {
    const make = () => new Tallyhand({ baseUrl: 'http://localhost', apiKey: key });
    expect(make).toThrow('apiKey must be an API key: letters and digits without spaces');
  });

  it('is in no error, and in nothing that is logged', async () => {
    await using server = await scriptedServer(problem(401, 'not-signed-in'), dropped);
    const client = clientOf(server.url, { retries: 0 });
    const errors = [
      await failure(client.agents.retrieve('a')),
      await failure(client.agents.retrieve('a')),
      await failure(clientOf('http://127.0.0.1:1', { retries: 0 }).agents.retrieve('a')),
    ];
    const shown = [client, client.agents, ...errors].map((value) =>
      inspect(value, { depth: 20, showHidden: true }),
    );
    const told = [client, ...errors].map((value) => JSON.stringify(value));
    expect([...shown, ...told].filter((text) => text.includes('nobody-may-see'))).toEqual([]);
  });

  it('is sent to no address with a password, and to http and https alone', () => {
    const make = (baseUrl: string) => () => new Tallyhand({ baseUrl });
    expect(make('https://a:b@tallyhand.example')).toThrow('must not hold a password');
    expect(make('ftp://tallyhand.example')).toThrow('http or https');
    expect(make('tallyhand.example')).toThrow('http or https');
  });
});
