import { describe, expect, it } from 'vitest';
import { breakingChanges, comparable } from './breaking-changes.js';

type Json = Record<string, unknown>;

const Thing = {
  type: 'object',
  properties: {
    id: { type: 'string' },
    size: { type: ['integer', 'null'] },
    color: { type: 'string', enum: ['red', 'green'] },
    parts: { type: 'array', items: { $ref: '#/components/schemas/Thing' } },
  },
  required: ['id', 'size'],
};
const Body = {
  type: 'object',
  properties: {
    name: { type: 'string', maxLength: 100 },
    color: { type: 'string', enum: ['red', 'green'] },
    at: { anyOf: [{ type: 'string' }, { type: 'integer' }] },
  },
  required: ['name'],
  additionalProperties: false,
};
const operation = {
  operationId: 'changeThing',
  summary: 'Change a thing',
  security: [{ cookie: [] }, { apiKey: [] }],
  'x-roles': ['Admin', 'Editor'],
  parameters: [
    { name: 'id', in: 'path', required: true, schema: { type: 'string' } },
    { $ref: '#/components/parameters/Prefer' },
  ],
  requestBody: { required: true, content: { 'application/json': { schema: Body } } },
  responses: {
    200: {
      headers: { ETag: {} },
      content: { 'application/json': { schema: { $ref: '#/components/schemas/Thing' } } },
    },
    404: {},
  },
};
const document = {
  paths: { '/api/things/{id}': { put: operation } },
  webhooks: {
    ThingChanged: {
      post: { requestBody: { content: { 'application/json': { schema: { type: 'object' } } } } },
    },
  },
  components: {
    schemas: { Thing },
    parameters: { Prefer: { name: 'Prefer', in: 'header', schema: { type: 'string' } } },
    headers: {},
  },
};

/** The document with another value at a path. */
function changed(path: readonly string[], value: unknown): typeof document {
  const copy = structuredClone(document);
  const last = path.at(-1) ?? '';
  const parent = path.slice(0, -1).reduce<Json>((node, name) => node[name] as Json, copy as Json);
  if (value === undefined) delete parent[last];
  else parent[last] = value;
  return copy;
}

const found = (path: readonly string[], value: unknown) =>
  breakingChanges(comparable(document), comparable(changed(path, value)), '2027-07-01');

const put = ['paths', '/api/things/{id}', 'put'];
const body = [...put, 'requestBody', 'content', 'application/json', 'schema'];
const thing = ['components', 'schemas', 'Thing'];
const answer = [...put, 'responses', '200'];

describe('a breaking change', () => {
  it.each<[string, string[], unknown, string]>([
    ['a call is removed', put, undefined, 'removed without a sunset'],
    ['it has another name', [...put, 'operationId'], 'putThing', 'operationId'],
    ['a key is refused', [...put, 'security'], [{ cookie: [] }], 'apiKey'],
    ['a role is barred', [...put, 'x-roles'], ['Admin'], 'Editor'],
    ['a parameter is removed', [...put, 'parameters', '1'], operation.parameters[0], 'Prefer'],
    ['a parameter is required', ['components', 'parameters', 'Prefer', 'required'], true, 'Prefer'],
    ['a field is removed', [...body, 'properties', 'color'], undefined, 'body.color: removed'],
    ['a field is required', [...body, 'required'], ['name', 'color'], 'body.color: required'],
    ['a limit is lower', [...body, 'properties', 'name', 'maxLength'], 99, 'maxLength became 99'],
    ['a limit is new', [...body, 'properties', 'name', 'minLength'], 2, 'minLength became 2'],
    ['a value is refused', [...body, 'properties', 'color', 'enum'], ['red'], 'green'],
    [
      'a variant is refused',
      [...body, 'properties', 'at', 'anyOf'],
      [{ type: 'string' }],
      'integer',
    ],
    ['a type is another', [...body, 'properties', 'name', 'type'], 'integer', 'became integer'],
    ['an answer lacks a field', [...thing, 'properties', 'size'], undefined, '200.size: removed'],
    ['a field may be absent', [...thing, 'required'], ['id'], '200.size: may be absent'],
    ['a field may be null', [...thing, 'properties', 'id', 'type'], ['string', 'null'], '200.id'],
    ['a status is gone', answer, undefined, 'does not answer 200'],
    ['a header is gone', [...answer, 'headers'], {}, 'ETag'],
    ['an event is gone', ['webhooks', 'ThingChanged'], undefined, 'removed'],
  ])('is found: %s', (_, path, value, expected) => {
    expect(found(path, value)).toEqual([expect.stringContaining(expected)]);
  });

  it.each<[string, string[], unknown]>([
    ['a text', [...put, 'summary'], 'Another text'],
    ['a refusal', [...put, 'responses', '409'], {}],
    ['a call', ['paths', '/api/others'], { get: operation }],
    ['a field that may be left out', [...body, 'properties', 'note'], { type: 'string' }],
    ['a field that was required', [...body, 'required'], []],
    ['a higher limit', [...body, 'properties', 'name', 'maxLength'], 200],
    ['a value of a body', [...body, 'properties', 'color', 'enum'], ['red', 'green', 'blue']],
    ['a field of an answer', [...thing, 'properties', 'note'], { type: 'string' }],
    ['a value of an answer', [...thing, 'properties', 'color', 'enum'], ['red', 'green', 'blue']],
    ['a field that is never null', [...thing, 'properties', 'size', 'type'], 'integer'],
    ['a list of types', [...body, 'properties', 'at'], { type: ['string', 'integer'] }],
    ['a role', [...put, 'x-roles'], undefined],
    ['a header', [...answer, 'headers', 'Link'], {}],
  ])('is not %s that was added', (_, path, value) => {
    expect(found(path, value)).toEqual([]);
  });

  it('is not a list of all the roles that there were', () => {
    const role = { enum: ['Admin', 'Editor'] };
    const users = ['components', 'schemas', 'CurrentUser'];
    const before = comparable(changed(users, { type: 'object', properties: { role } }));
    const { 'x-roles': _, ...forAll } = before.paths['/api/things/{id}'].put;
    const old = { ...before, paths: { '/api/things/{id}': { put: forAll } } };
    expect(breakingChanges(old, before, '2027-07-01')).toEqual([]);
    before.paths['/api/things/{id}'].put['x-roles'] = ['Admin', 'Auditor'];
    expect(breakingChanges(old, before, '2027-07-01')).toEqual([
      'PUT /api/things/{id}: not for all roles any more',
    ]);
  });

  it('is not the end of a call after its announced sunset', () => {
    const announced = comparable(changed([...put, 'x-sunset'], '2027-07-01'));
    const without = { ...announced, paths: {} };
    expect(breakingChanges(announced, without, '2027-07-02')).toEqual([]);
    expect(breakingChanges(announced, without, '2027-06-30')).toEqual([
      'PUT /api/things/{id}: removed before its sunset, 2027-07-01',
    ]);
  });
});
