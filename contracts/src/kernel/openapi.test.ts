import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { MEMBERS, PUBLIC } from './access.ts';
import { endpoint } from './endpoint.ts';
import { Page } from './lists.ts';
import { openApiDocument } from './openapi.ts';
import { refusal } from './refusal.ts';

const ThingLocked = refusal('thing-locked', 409, 'Thing locked', () => 'This thing is locked.');

const Thing = z.object({ name: z.string(), colour: z.string().nullable() });
const listThings = endpoint({
  name: 'listThings',
  method: 'GET',
  path: '/api/things',
  access: PUBLIC,
  feature: 'things',
  summary: 'The things',
  query: Page.extend({ colour: z.string().optional() }),
  status: 200,
  answer: z.array(Thing),
});
const changeThing = endpoint({
  name: 'changeThing',
  method: 'PUT',
  path: '/api/things/{id}',
  access: MEMBERS,
  feature: 'things',
  summary: 'Change a thing',
  params: z.strictObject({ id: z.uuid() }),
  body: z.strictObject({ name: z.string(), colour: z.string().default('green') }),
  example: { name: 'Lamp' },
  status: 204,
  refusals: [ThingLocked],
});
const describeThing = endpoint({
  name: 'describeThing',
  method: 'POST',
  path: '/api/things/{id}/describe',
  access: MEMBERS,
  feature: 'things',
  summary: 'Describe a thing',
  params: z.strictObject({ id: z.uuid() }),
  status: 200,
  answer: Thing,
  isStreamed: true,
});

const options = {
  title: 'Things',
  version: '1.2.3',
  serverUrl: 'https://things.example',
  signInCookie: 'things',
  events: { ThingPainted: { schema: z.object({ colour: z.string().brand<'Colour'>() }) } },
};
const document = openApiDocument([listThings, changeThing, describeThing], options);

describe('openApiDocument', () => {
  it('has the title, the address and the way to sign in', () => {
    expect(document).toMatchObject({
      openapi: '3.1.0',
      info: { title: 'Things', version: '1.2.3' },
      servers: [{ url: 'https://things.example' }],
      components: { securitySchemes: { cookie: { in: 'cookie', name: 'things' } } },
      security: [{ cookie: [] }, { apiKey: [] }],
    });
  });

  it('declares the parameters of paths as required, those of queries as the contract has them', () => {
    expect(document).toHaveProperty(
      ['paths', '/api/things/{id}', 'put', 'parameters'],
      [expect.objectContaining({ name: 'id', in: 'path', required: true })],
    );
    expect(document).toHaveProperty(
      ['paths', '/api/things', 'get', 'parameters'],
      [
        expect.objectContaining({ name: 'limit', in: 'query', required: false }),
        expect.objectContaining({ name: 'cursor', in: 'query', required: false }),
        expect.objectContaining({ name: 'colour', in: 'query', required: false }),
      ],
    );
  });

  it('describes a body as sent, so that fields with a default are optional', () => {
    const path = ['paths', '/api/things/{id}', 'put', 'requestBody', 'content', 'application/json'];
    expect(document).toHaveProperty([...path, 'schema', 'required'], ['name']);
    expect(document).toHaveProperty([...path, 'example'], { name: 'Lamp' });
  });

  it('describes the answer as it comes, and that a full page leads on', () => {
    const path = ['paths', '/api/things', 'get', 'responses', '200'];
    expect(document).toHaveProperty([...path, 'headers', 'Link']);
    expect(document).toHaveProperty(
      [...path, 'content', 'application/json', 'schema', 'items', 'required'],
      ['name', 'colour'],
    );
  });

  it('marks the answers that are available as events', () => {
    const path = ['paths', '/api/things/{id}/describe', 'post', 'responses', '200', 'content'];
    expect(document).toHaveProperty([...path, 'application/json']);
    expect(document).toHaveProperty([...path, 'text/event-stream']);
  });

  it('names the codes of each refusal: those of all calls and those of the call', () => {
    const codes = (status: string) => [
      'paths',
      '/api/things/{id}',
      'put',
      'responses',
      status,
      'content',
      'application/problem+json',
      'schema',
      'allOf',
      '1',
      'properties',
      'code',
      'enum',
    ];
    expect(document).toHaveProperty(codes('409'), ['idempotency-key-reused', 'thing-locked']);
    expect(document).toHaveProperty(codes('404'), ['not-found']);
    expect(document).toHaveProperty(codes('422'), ['validation-failed']);
  });

  it('requires no sign-in for public calls', () => {
    expect(document).toHaveProperty(['paths', '/api/things', 'get', 'security'], []);
    expect(document).not.toHaveProperty(['paths', '/api/things', 'get', 'responses', '401']);
    expect(document).not.toHaveProperty(['paths', '/api/things/{id}', 'put', 'security']);
  });

  it('has a schema for each event, lenient for what a newer writer adds', () => {
    expect(document).toHaveProperty(['components', 'schemas', 'ThingPainted'], {
      type: 'object',
      properties: { colour: { type: 'string' } },
      required: ['colour'],
    });
  });
});
