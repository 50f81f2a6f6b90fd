import { once } from 'node:events';
import { Agent, type IncomingMessage, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { DeadlineExceededError } from '@eventstore/db-client';
import {
  DependencyDown,
  NotFound,
  TooManyRequests,
  ValidationFailed,
} from '@tallyhand/contracts/kernel/problem';
import type { Refusal } from '@tallyhand/contracts/kernel/refusal';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { UnansweredError } from '../event-store/append-calls.ts';
import type { Log } from '../log.ts';
import { createHttpApp } from './app.ts';
import { RefusalError, sendProblem } from './problem.ts';

const logged = vi.fn();
const log: Log = { info() {}, warn() {}, error: logged };

const app = await createHttpApp({
  publicUrl: 'http://127.0.0.1:8080',
  trustProxy: false,
  rateLimitScale: 1,
  log,
});
let thrown: unknown;
app.post('/thrown', () => {
  throw thrown;
});
let refused: Refusal = NotFound({ what: 'agent' });
app.get('/refused', (_, reply) => sendProblem(reply, refused));

beforeAll(() => app.ready());
afterAll(() => app.close());

async function answerTo(fault: unknown) {
  thrown = fault;
  return app.inject({ method: 'POST', url: '/thrown' });
}

const refusing = (refusal: Refusal) => {
  refused = refusal;
  return app.inject('/refused');
};

describe('a refusal', () => {
  it('is answered as problem+json, with its code, its sentence and the correlation id', async () => {
    const answer = await refusing(NotFound({ what: 'agent' }));
    expect(answer.statusCode).toBe(404);
    expect(answer.headers['content-type']).toMatch(/^application\/problem\+json/);
    expect(answer.json()).toEqual({
      type: 'about:blank',
      title: 'Not found',
      status: 404,
      detail: 'There is no such agent.',
      code: 'not-found',
      params: { what: 'agent' },
      correlationId: answer.headers['tallyhand-correlation-id'],
    });
  });
  it('names the fields that break a rule', async () => {
    const errors = [{ path: 'name', message: 'Name must be at least 2 characters' }];
    const answer = await refusing(ValidationFailed({ summary: 'name: too short.' }, errors));
    expect(answer.json()).toMatchObject({ status: 422, errors });
  });
  it('has Retry-After if a retry can help', async () => {
    const later = await refusing(TooManyRequests({ retryAfterSeconds: 7 }));
    expect(later.headers['retry-after']).toBe('7');
    const soon = await refusing(DependencyDown({ what: 'The database' }));
    expect(soon.headers['retry-after']).toBe('1');
    expect((await refusing(NotFound({ what: 'agent' }))).headers).not.toHaveProperty('retry-after');
  });
  it('that was thrown is answered like the value', async () => {
    const answer = await answerTo(new RefusalError(NotFound({ what: 'agent' })));
    expect(answer.statusCode).toBe(404);
  });
});

describe('a fault', () => {
  it('is answered 500 without its detail, and logged once under the correlation id', async () => {
    logged.mockClear();
    const answer = await answerTo(new Error('the secret inner workings'));
    expect(answer.statusCode).toBe(500);
    expect(answer.json()).toMatchObject({ code: 'internal-fault' });
    expect(answer.body).not.toContain('secret');
    expect(logged).toHaveBeenCalledExactlyOnceWith(
      'request failed',
      expect.objectContaining({
        correlationId: answer.headers['tallyhand-correlation-id'],
        error: 'the secret inner workings',
      }),
    );
  });
  it.each([
    ['the database', Object.assign(new Error('gone'), { code: 'ECONNREFUSED' })],
    ['the database, shutting down', Object.assign(new Error('gone'), { code: '57P01' })],
    ['a free connection', new Error('timeout exceeded when trying to connect')],
    ['the event store', new Error('14 UNAVAILABLE: no connection')],
    ['an answer of the event store', new UnansweredError('The event store did not answer in time')],
    ['a turn at the event store', new DeadlineExceededError()],
  ])('without %s is answered 503', async (_, fault) => {
    const answer = await answerTo(fault);
    expect(answer.statusCode).toBe(503);
    expect(answer.json()).toMatchObject({ code: 'dependency-down' });
  });
});

describe('an unreadable request', () => {
  const post = (payload: string, type = 'application/json') =>
    app.inject({ method: 'POST', url: '/thrown', payload, headers: { 'content-type': type } });

  it('is answered 400 for broken JSON', async () => {
    const answer = await post('{"a":');
    expect([answer.statusCode, answer.json().code]).toEqual([400, 'malformed-request']);
  });
  it('is answered 413 when it is too large', async () => {
    const answer = await post(JSON.stringify('x'.repeat(4 * 1024 * 1024)));
    expect([answer.statusCode, answer.json().code]).toEqual([413, 'payload-too-large']);
  });
  it('is answered while it is still being sent, and ends no connection', async () => {
    await app.listen({ host: '127.0.0.1', port: 0 });
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const { port } = app.server.address() as AddressInfo;
    const half = Buffer.alloc(3 * 1024 * 1024, ' ');
    const begin = (length: number) =>
      request({
        agent,
        port,
        host: '127.0.0.1',
        path: '/thrown',
        method: 'POST',
        headers: { 'content-type': 'application/json', 'content-length': length },
      });
    const large = begin(2 * half.length);
    large.write(half);
    const [answer] = (await once(large, 'response')) as [IncomingMessage];
    expect(answer.statusCode).toBe(413);
    answer.resume();
    large.end(half);
    await once(large, 'close');
    const next = begin(4).end('{"a"');
    expect(((await once(next, 'response')) as [IncomingMessage])[0].statusCode).toBe(400);
    expect(next.reusedSocket).toBe(true);
    agent.destroy();
  });
  it('is answered 415 when it is no JSON', async () => {
    const answer = await post('a=1', 'application/x-www-form-urlencoded');
    expect([answer.statusCode, answer.json().code]).toEqual([415, 'unsupported-media-type']);
  });
  it('is answered 404 for an unknown address, and 400 for an invalid one', async () => {
    expect((await app.inject('/nowhere')).json()).toMatchObject({ code: 'not-found' });
    const unreadable = await app.inject('/%zz');
    expect(unreadable.statusCode).toBe(400);
    expect(unreadable.headers['content-type']).toContain('application/problem+json');
  });
  it('is answered 403 when another site sent it', async () => {
    const headers = { 'sec-fetch-site': 'cross-site' };
    const answer = await app.inject({ method: 'POST', url: '/thrown', headers });
    expect([answer.statusCode, answer.json().code]).toEqual([403, 'foreign-origin']);
    const origin = { origin: 'https://elsewhere.example' };
    const other = await app.inject({ method: 'POST', url: '/thrown', headers: origin });
    expect(other.statusCode).toBe(403);
  });
});
