import { describe, expect, it } from 'vitest';
import type { Operation } from './document.ts';
import { asCurl, asFetch, requestOf, sampleOf } from './example.ts';

const operation: Operation = {
  operationId: 'executeTask',
  tags: ['tasks'],
  summary: 'Run a task',
  description: 'Runs a task.',
  security: [{ cookie: [] }, { apiKey: [] }],
  responses: {},
  method: 'post',
  path: '/api/agents/{id}/execute',
  parameters: [
    { name: 'id', in: 'path', required: true, schema: { type: 'string', format: 'uuid' } },
  ],
  requestBody: {
    content: {
      'application/json': {
        schema: {
          type: 'object',
          properties: { input: { type: 'string' }, type: { type: 'string', enum: ['query'] } },
          required: ['input'],
        },
      },
    },
  },
};

describe('an example', () => {
  it('is a call of this server with its required parameters', () => {
    const request = requestOf(operation, 'https://desk.example');
    expect(asCurl(request)).toBe(
      [
        `curl -X POST 'https://desk.example/api/agents/0193a1b2-0000-7000-8000-000000000001/execute'`,
        `-H 'authorization: Bearer th_…'`,
        `-H 'content-type: application/json'`,
        `-d '{"input":"text"}'`,
      ].join(' \\\n  '),
    );
    expect(asFetch(request)).toContain(`body: JSON.stringify({"input":"text"})`);
  });
  it('has the example body of the document', () => {
    const content = { 'application/json': { schema: {}, example: { input: 'Hello' } } };
    const request = requestOf({ ...operation, requestBody: { content } }, 'https://desk.example');
    expect(request.body).toEqual({ input: 'Hello' });
  });
  it('has no key where everybody may call', () => {
    const request = requestOf({ ...operation, security: [] }, 'https://desk.example');
    expect(asCurl(request)).not.toContain('authorization');
  });
  it('keeps quotes inside of a shell apart', () => {
    const request = { method: 'GET', url: "https://x/it's", headers: {}, body: undefined };
    expect(asCurl(request)).toBe(`curl 'https://x/it'\\''s'`);
  });
});

describe('a sample', () => {
  it.each([
    [{ type: ['string', 'null'] }, 'text'],
    [{ type: 'integer', minimum: 5 }, 5],
    [{ type: 'array', items: { type: 'boolean' }, minItems: 1 }, [true]],
    [{ anyOf: [{ const: 'a' }, { const: 'b' }] }, 'a'],
    [{}, null],
  ])('has the type of %j', (schema, expected) => {
    expect(sampleOf(schema)).toEqual(expected);
  });
});
