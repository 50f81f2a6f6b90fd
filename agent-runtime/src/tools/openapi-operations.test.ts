import { describe, expect, it } from 'vitest';
import { ToolCallRefused } from './api-url.ts';
import { operationsOf, readingOperationsOf } from './openapi-operations.ts';
import { OpenApiRefused } from './openapi-schema.ts';

const documentOf = (paths: object, components: object = {}, openapi = '3.1.0') =>
  JSON.stringify({ openapi, info: { title: 'Shop', version: '1' }, paths, components });

/** The only operation of a document that has one. */
function only(operation: object, path = '/things', components: object = {}, more: object = {}) {
  const [first] = operationsOf(
    documentOf({ [path]: { ...more, get: operation } }, components),
  ).operations;
  if (first === undefined) throw new Error('There is no operation.');
  return first;
}
const withBody = (schema: object, components: object = {}) =>
  only(
    { requestBody: { required: true, content: { 'application/json': { schema } } } },
    '/things',
    components,
  );
const bodySchema = (schema: object, components: object = {}) =>
  (withBody(schema, components).parameters.properties as { body: object }).body;

describe('operationsOf without a document', () => {
  const [request] = operationsOf(undefined).operations;

  it('offers any request', () => {
    expect(operationsOf('  ').operations).toEqual([request]);
    expect(request?.parameters).toMatchObject({ required: ['method', 'path'] });
    const args = { method: 'POST', path: '/a', query: { b: 1, c: ['x', 'y'] }, body: { d: null } };
    expect(request?.toCall(args)).toEqual({
      method: 'POST',
      path: '/a',
      query: [
        ['b', '1'],
        ['c', 'x'],
        ['c', 'y'],
      ],
      body: { d: null },
    });
  });

  it.each([
    null,
    [],
    'GET /',
    {},
    { method: 'GET' },
    { method: 1, path: '/' },
    { method: 'GET', path: '/', headers: {} },
    { method: 'GET', path: '/', query: 'a=b' },
  ])('refuses %j', (args) => expect(() => request?.toCall(args)).toThrow(ToolCallRefused));
});

describe('readingOperationsOf', () => {
  it('offers requests that read, without a document', () => {
    const [request] = readingOperationsOf(undefined).operations;
    expect(request?.parameters).toMatchObject({
      properties: { method: { enum: ['GET', 'HEAD'] } },
    });
    const query = [['b', '1']];
    expect(request?.toCall({ method: 'GET', path: '/a', query: { b: 1 }, body: {} })).toEqual({
      method: 'GET',
      path: '/a',
      query,
    });
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'get', 'OPTIONS']) {
      expect(() => request?.toCall({ method, path: '/a' }), method).toThrow(ToolCallRefused);
    }
  });

  it('leaves out the operations of a document that may change something', () => {
    const all = { get: {}, head: {}, put: {}, post: {}, patch: {}, delete: {}, options: {} };
    const { operations } = readingOperationsOf(documentOf({ '/a': all, '/b': { post: {} } }));
    expect(operations.map(({ name }) => name)).toEqual(['get_a', 'head_a']);
    expect(readingOperationsOf(documentOf({ '/b': { post: {} } })).operations).toEqual([]);
  });
});

describe('operationsOf a document', () => {
  it('makes an operation of each path and method', () => {
    const { operations } = operationsOf(
      documentOf({
        '/orders': {
          get: {
            operationId: 'list orders!',
            summary: 'Lists orders.',
            description: 'All\u200b of them.',
          },
          post: {},
          trace: {},
        },
        '/orders/{id}': { delete: { operationId: 'list_orders' } },
        'x-more': { get: {} },
      }),
    );
    expect(operations.map(({ name, description }) => [name, description])).toEqual([
      ['list_orders', 'Lists orders.\nAll of them.\nGET /orders'],
      ['post_orders', 'POST /orders'],
      ['list_orders_2', 'DELETE /orders/{id}'],
    ]);
  });

  it('uses path, query and body as arguments', () => {
    const operation = only(
      {
        parameters: [
          { in: 'path', name: 'id', required: true, schema: { type: 'integer' } },
          {
            in: 'query',
            name: 'limit',
            schema: { type: 'integer', maximum: 9 },
            description: 'How many.',
          },
          { in: 'query', name: 'id', required: true, schema: { type: 'string' } },
          { in: 'header', name: 'X-Trace', required: true, schema: { type: 'string' } },
        ],
        requestBody: {
          content: { 'application/json; charset=utf-8': { schema: { type: 'object' } } },
        },
      },
      '/orders/{id}/items/{item}',
    );
    expect(operation.parameters).toEqual({
      type: 'object',
      properties: {
        body: { type: 'object' },
        id: { type: 'integer' },
        item: {},
        limit: { type: 'integer', maximum: 9, description: 'How many.' },
        id_query: { type: 'string' },
      },
      required: ['id', 'item', 'id_query'],
      additionalProperties: false,
    });
    expect(
      operation.toCall({ id: 7, item: 'a/b?c#d', id_query: 'x', body: { y: 1 }, limit: null }),
    ).toEqual({
      method: 'GET',
      path: '/orders/7/items/a%2Fb%3Fc%23d',
      query: [['id', 'x']],
      body: { y: 1 },
      bodyType: 'application/json',
    });
  });

  it('lets an operation replace the parameters of its path', () => {
    const shared = {
      parameters: [{ in: 'query', name: 'q', required: true, schema: { type: 'string' } }],
    };
    const own = { parameters: [{ in: 'query', name: 'q', schema: { type: 'integer' } }] };
    expect(only({}, '/a', {}, shared).parameters).toMatchObject({ required: ['q'] });
    expect(only(own, '/a', {}, shared).parameters).toMatchObject({
      properties: { q: { type: 'integer' } },
      required: [],
    });
  });

  it.each([
    [
      {},
      [1, 2],
      [
        ['a', '1'],
        ['a', '2'],
      ],
    ],
    [{ explode: false }, [1, 2], [['a', '1,2']]],
    [{ style: 'spaceDelimited', explode: false }, [1, 2], [['a', '1 2']]],
    [{ style: 'pipeDelimited', explode: false }, [1, 2], [['a', '1|2']]],
    [
      { style: 'deepObject' },
      { x: 1, y: 'z' },
      [
        ['a[x]', '1'],
        ['a[y]', 'z'],
      ],
    ],
    [{ content: { 'application/json': { schema: {} } } }, { x: [1] }, [['a', '{"x":[1]}']]],
    [{}, true, [['a', 'true']]],
    [{}, null, []],
  ])('encodes a query as %j says', (style, value, expected) => {
    const operation = only({ parameters: [{ in: 'query', name: 'a', ...style }] });
    expect(operation.toCall({ a: value }).query).toEqual(expected);
  });

  it('takes the type of the body from the operation', () => {
    const typeOf = (...types: string[]) => {
      const content = Object.fromEntries(types.map((type) => [type, {}]));
      return only({ requestBody: { content } }).toCall({ body: {} }).bodyType;
    };
    expect(typeOf('text/xml', 'application/vnd.api+json')).toBe('application/vnd.api+json');
    expect(typeOf('multipart/form-data', 'application/x-www-form-urlencoded')).toBe(
      'application/x-www-form-urlencoded',
    );
    expect(typeOf('*/*')).toBe('application/json');
  });

  it('leaves out operations that need another body', () => {
    const upload = { requestBody: { required: true, content: { 'image/png': {} } } };
    const { operations } = operationsOf(documentOf({ '/a': { post: upload, get: {} } }));
    expect(operations.map(({ name }) => name)).toEqual(['get_a']);
  });

  it.each([
    [undefined, 'must be an object'],
    [{}, '"id" is missing'],
    [{ id: null }, '"id" is missing'],
    [{ id: '' }, 'must not be empty'],
    [{ id: 1, more: 2 }, 'no argument "more"'],
  ])('refuses the arguments %j', (args, message) => {
    expect(() => only({}, '/a/{id}').toCall(args)).toThrow(message);
  });

  it('finds no argument on the prototype', () => {
    const parameters = ['constructor', '__proto__', 'toString'].map((name) => ({
      in: 'query',
      name,
    }));
    expect(only({ parameters }).toCall({}).query).toEqual([]);
    expect(() => only({}, '/a/{constructor}').toCall({})).toThrow('is missing');
  });

  it('finds the place of the key', () => {
    const key = (one: object) =>
      operationsOf(
        documentOf({ '/a': { get: {} } }, { securitySchemes: { oauth: { type: 'oauth2' }, one } }),
      ).apiKeyPlace;
    expect(key({ type: 'apiKey', in: 'query', name: 'appid' })).toEqual({
      in: 'query',
      name: 'appid',
    });
    expect(key({ type: 'apiKey', in: 'header', name: 'X-Key' })).toEqual({
      in: 'header',
      name: 'X-Key',
    });
    expect(key({ type: 'apiKey', in: 'cookie', name: 'sid' })).toBeUndefined();
    expect(key({ type: 'http', scheme: 'bearer' })).toBeUndefined();
  });
});

describe('the schema of an argument', () => {
  it('resolves its references', () => {
    const components = {
      schemas: {
        'a/b': { type: 'string', enum: ['x', 'y'] },
        Order: {
          type: 'object',
          required: ['kind'],
          properties: { kind: { $ref: '#/components/schemas/a~1b' } },
        },
      },
    };
    expect(
      bodySchema({ type: 'array', items: { $ref: '#/components/schemas/Order' } }, components),
    ).toEqual({
      type: 'array',
      items: {
        type: 'object',
        properties: { kind: { type: 'string', enum: ['x', 'y'] } },
        required: ['kind'],
      },
    });
  });

  it('may be anything where it would hold itself', () => {
    const node = { type: 'object', properties: { next: { $ref: '#/components/schemas/Node' } } };
    expect(bodySchema({ $ref: '#/components/schemas/Node' }, { schemas: { Node: node } })).toEqual({
      type: 'object',
      properties: { next: {} },
    });
  });

  it('keeps keywords of arguments, and none of answers', () => {
    expect(
      bodySchema({
        type: 'object',
        title: 'T',
        example: { secret: 1 },
        'x-own': 1,
        required: ['id', 'a'],
        properties: {
          id: { type: 'string', readOnly: true },
          a: { type: 'integer', nullable: true, minimum: 1, exclusiveMinimum: true },
          b: { type: ['string', 'null'], pattern: '^a', exclusiveMaximum: false },
          c: { anyOf: [{ const: 1 }, { format: 'date' }], additionalProperties: false },
        },
      }),
    ).toEqual({
      type: 'object',
      title: 'T',
      required: ['a'],
      properties: {
        a: { type: ['integer', 'null'], exclusiveMinimum: 1 },
        b: { type: ['string', 'null'], pattern: '^a' },
        c: { anyOf: [{ const: 1 }, { format: 'date' }], additionalProperties: false },
      },
    });
  });

  it('is left open when it is too long for a model', () => {
    const properties = Object.fromEntries(
      Array.from({ length: 200 }, (_, at) => [`field${at}`, { description: 'x'.repeat(300) }]),
    );
    expect(bodySchema({ type: 'object', properties })).toEqual({ description: 'JSON' });
  });

  it('is not deeper than anyone fills in', () => {
    let schema: object = { type: 'string' };
    for (let depth = 0; depth < 100; depth += 1) schema = { type: 'array', items: schema };
    expect(JSON.stringify(bodySchema(schema)).match(/items/g)).toHaveLength(10);
  });
});

describe('hostile documents', () => {
  const manyPaths = Object.fromEntries(
    Array.from({ length: 201 }, (_, at) => [`/p${at}`, { get: {} }]),
  );
  const refs = (count: number) =>
    Object.fromEntries(
      Array.from({ length: count }, (_, at) => [
        `S${at}`,
        { allOf: Array.from({ length: 10 }, () => ({ $ref: `#/components/schemas/S${at + 1}` })) },
      ]),
    );
  const laughs = { schemas: { ...refs(9), S9: { type: 'string' } } };
  const circle = {
    schemas: { A: { $ref: '#/components/schemas/B' }, B: { $ref: '#/components/schemas/A' } },
  };
  const body = (schema: object) => ({
    requestBody: { content: { 'application/json': { schema } } },
  });
  const first = (name: string) => body({ $ref: `#/components/schemas/${name}` });

  it.each([
    ['no JSON', 'openapi: 3.1.0', 'not JSON'],
    ['a list', '[]', 'not OpenAPI'],
    ['deep lists', `${'['.repeat(200_000)}`, 'not JSON'],
    ['an old version', '{"swagger":"2.0","paths":{}}', 'not OpenAPI 3.0 or 3.1'],
    ['a version to come', documentOf({ '/a': { get: {} } }, {}, '4.0.0'), 'not OpenAPI 3.0 or 3.1'],
    ['no operations', documentOf({}), 'no operation'],
    ['far too long', ' '.repeat(5_000_000) + documentOf({}), 'larger than'],
    ['too many operations', documentOf(manyPaths), 'more than 200'],
    ['references that multiply', documentOf({ '/a': { post: first('S0') } }, laughs), 'too large'],
    ['references in circles', documentOf({ '/a': { post: first('A') } }, circle), 'circles'],
    ['a file', documentOf({ '/a': { $ref: 'file:///etc/passwd' } }), 'another document'],
    [
      'a place',
      documentOf({ '/a': { get: body({ $ref: 'http://10.0.0.1/x#/a' }) } }),
      'another document',
    ],
    ['nowhere', documentOf({ '/a': { get: first('Gone') } }), 'leads nowhere'],
    [
      'the prototype',
      documentOf({ '/a': { get: body({ $ref: '#/__proto__/constructor' }) } }),
      'nowhere',
    ],
    [
      'too many parameters',
      documentOf({ '/a': { parameters: named(40), get: { parameters: named(50, 'q') } } }),
      'more than 60 parameters',
    ],
  ])('are refused: %s', (_kind, document, message) => {
    expect(() => operationsOf(document)).toThrow(OpenApiRefused);
    expect(() => operationsOf(document)).toThrow(message);
  });

  it('change nothing but their own operations', () => {
    const { operations } = operationsOf(
      '{"openapi":"3.0.0","paths":{"/a":{"get":{"operationId":"__proto__","requestBody":{"content":{"application/json":{"schema":{"properties":{"__proto__":{"type":"string"},"a":{}}}}}}}}}}',
    );
    expect(operations[0]).toMatchObject({ name: 'proto' });
    expect(JSON.stringify(operations[0]?.parameters)).not.toContain('__proto__');
    expect(({} as { type?: string }).type).toBeUndefined();
  });

  function named(count: number, prefix = 'p') {
    return Array.from({ length: count }, (_, at) => ({ in: 'query', name: `${prefix}${at}` }));
  }
});
