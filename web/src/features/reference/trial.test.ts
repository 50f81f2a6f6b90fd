import { describe, expect, it } from 'vitest';
import type { Operation } from './document.ts';
import { type Answer, callOf, type Entered, firstBody, isCall, send } from './trial.ts';

const operation: Operation = {
  operationId: 'changeThing',
  tags: ['things'],
  summary: 'Change',
  description: 'Changes.',
  security: [{ cookie: [] }, { apiKey: [] }],
  responses: {},
  method: 'put',
  path: '/api/things/{id}',
  parameters: [
    { name: 'id', in: 'path', required: true },
    { name: 'asOf', in: 'query' },
    { name: 'Idempotency-Key', in: 'header' },
  ],
  requestBody: { content: { 'application/json': { example: { name: 'Lamp' } } } },
};
const origin = 'https://desk.example';
const key = `th_${'k'.repeat(43)}`;
const entered: Entered = { key, values: { id: 'a/b' }, body: '{"name":"Lamp"}', file: undefined };

const callWith = (changes: Partial<Entered>, changed: Partial<Operation> = {}) =>
  callOf({ ...operation, ...changed }, { ...entered, ...changes }, origin);

function initOf(call: ReturnType<typeof callOf>): RequestInit {
  if (!isCall(call)) throw new Error('It is not complete');
  return call.init;
}

describe('a call that a reader tries', () => {
  it('goes to this origin with the key, and never with cookies', () => {
    const call = callWith({ key: ` ${key} ` });
    expect(call).toMatchObject({
      url: 'https://desk.example/api/things/a%2Fb',
      init: {
        method: 'PUT',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        body: '{"name":"Lamp"}',
        credentials: 'omit',
        mode: 'same-origin',
        redirect: 'error',
      },
    });
  });

  it('has the query that was entered, and no empty parameter', () => {
    expect(callWith({ values: { id: '1', asOf: '' } })).toHaveProperty(
      'url',
      'https://desk.example/api/things/1',
    );
    expect(callWith({ values: { id: '1', asOf: '2027 & on' } })).toHaveProperty(
      'url',
      'https://desk.example/api/things/1?asOf=2027+%26+on',
    );
  });

  it.each([
    [{ key: '' }, { key: 'missing' }],
    [{ key: 'th_…' }, { key: 'key' }],
    [{ values: {} }, { id: 'missing' }],
    [{ values: { id: '..' } }, { id: 'missing' }],
    [{ body: '{' }, { body: 'json' }],
  ])('is not sent with %j', (changes, faults) => {
    expect(callWith(changes)).toEqual(faults);
  });

  it('needs no key where the call is public', () => {
    const init = initOf(callWith({ key: '' }, { security: [] }));
    expect(init.headers).not.toHaveProperty('authorization');
  });

  it('sends a chosen file in place of the JSON body', () => {
    const content = {
      ...operation.requestBody?.content,
      'multipart/form-data': { schema: { required: ['file'] } },
    };
    const file = new File(['text'], 'returns.md');
    const { body, headers } = initOf(callWith({ file, body: '{' }, { requestBody: { content } }));
    expect((body as FormData).get('file')).toEqual(file);
    expect(headers).not.toHaveProperty('content-type');
  });

  it('begins with the example of the document', () => {
    expect(firstBody(operation)).toBe('{\n  "name": "Lamp"\n}');
    expect(firstBody({ ...operation, requestBody: undefined })).toBeNull();
  });
});

describe('its answer', () => {
  const answerTo = async (response: string, type: string) => {
    const url = `data:${type},${encodeURIComponent(response)}`;
    const reported: Answer[] = [];
    const { signal } = new AbortController();
    await send({ url, init: {} }, signal, (answer) => reported.push(answer));
    return reported.at(-1);
  };

  it('has status, headers and formatted JSON', async () => {
    const answer = await answerTo('{"a":1}', 'application/json');
    expect(answer).toMatchObject({ status: 200, text: '{\n  "a": 1\n}', bytes: 7, isCut: false });
    expect(answer?.headers).toContainEqual(['content-type', 'application/json']);
  });

  it('shows no bytes of files, and only the beginning of long texts', async () => {
    expect(await answerTo('PDF', 'application/pdf')).toMatchObject({ text: null, bytes: 3 });
    const long = await answerTo('x'.repeat(300_000), 'text/plain');
    expect(long).toMatchObject({ isCut: true });
    expect(long?.text).toHaveLength(200_000);
  });
});
