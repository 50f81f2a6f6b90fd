import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { MEMBERS, PUBLIC } from './access.ts';
import { deprecationHeaders, endpoint } from './endpoint.ts';
import { Id } from './ids.ts';
import { Page } from './lists.ts';
import { openApiDocument } from './openapi.ts';
import { refusal } from './refusal.ts';

const ThingLocked = refusal('thing-locked', 409, 'Thing locked', () => 'This thing is locked.');

const Thing = z.object({ name: z.string(), colour: z.string().nullable() });
const LAMP = { name: 'Lamp', colour: null };
const Piece = z.object({ piece: z.string() });
const listThings = endpoint({
  name: 'listThings',
  method: 'GET',
  path: '/api/things',
  access: PUBLIC,
  feature: 'things',
  summary: 'The things',
  query: Page.extend({ colour: z.string().default('any') }),
  status: 200,
  answer: z.array(Thing),
  answerExample: [LAMP],
});
const changeThing = endpoint({
  name: 'changeThing',
  method: 'PUT',
  path: '/api/things/{id}',
  access: MEMBERS,
  feature: 'things',
  summary: 'Change a thing',
  params: z.strictObject({ id: z.uuid({ error: 'no id' }) }),
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
  params: z.strictObject({ id: z.uuid({ error: 'no id' }) }),
  status: 200,
  answer: Thing,
  answerExample: LAMP,
  accepted: z.object({ thingId: Id }),
  location: '/api/things/{thingId}',
  streamed: { text: Piece },
});

const options = {
  title: 'Things',
  description: 'About things.',
  tags: { things: 'Things of all kinds.' },
  schemas: { Thing, Piece },
  delivery: z.object({ type: z.string(), data: z.object({ data: z.unknown() }) }),
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

  const one = ['paths', '/api/things/{id}', 'put'];
  const schema = (name: string) => ({ $ref: `#/components/schemas/${name}` });
  const parameter = (name: string) => ({ $ref: `#/components/parameters/${name}` });

  it('declares what several calls take once, the parameters of paths as required, those of queries as the contract has them', () => {
    expect(document).toHaveProperty(
      [...one, 'parameters'],
      [parameter('id'), parameter('Idempotency-Key')],
    );
    expect(document).toHaveProperty(['components', 'parameters', 'id'], {
      name: 'id',
      in: 'path',
      required: true,
      schema: schema('Id'),
    });
    expect(document).toHaveProperty(
      ['paths', '/api/things', 'get', 'parameters'],
      [
        expect.objectContaining({ name: 'limit', in: 'query', required: false }),
        expect.objectContaining({ name: 'cursor', in: 'query', required: false }),
        expect.objectContaining({ name: 'colour', in: 'query', required: false }),
      ],
    );
  });

  it('describes request bodies, in which fields with defaults are optional', () => {
    const content = [...one, 'requestBody', 'content', 'application/json'];
    expect(document).toHaveProperty([...content, 'schema'], schema('ChangeThingBody'));
    expect(document).toHaveProperty(
      ['components', 'schemas', 'ChangeThingBody', 'required'],
      ['name'],
    );
    expect(document).toHaveProperty([...content, 'example'], { name: 'Lamp' });
  });

  it('describes answers, and the link to the next page of a list', () => {
    const path = ['paths', '/api/things', 'get', 'responses', '200'];
    expect(document).toHaveProperty([...path, 'headers', 'Link']);
    expect(document).toHaveProperty(
      [...path, 'content', 'application/json', 'schema', 'items'],
      schema('Thing'),
    );
    expect(document).toHaveProperty(
      ['components', 'schemas', 'Thing', 'required'],
      ['name', 'colour'],
    );
  });

  it('has an example of each answer, written once', () => {
    const examples = (...path: string[]) => [...path, 'content', 'application/json', 'examples'];
    const ref = (name: string) => ({ $ref: `#/components/examples/${name}` });
    const list = ['paths', '/api/things', 'get', 'responses', '200'];
    const described = ['paths', '/api/things/{id}/describe', 'post', 'responses', '200'];
    expect(document).toHaveProperty(examples(...list), { answer: ref('ThingList') });
    expect(document).toHaveProperty(examples(...described), { answer: ref('Thing') });
    expect(document).toHaveProperty(['components', 'examples'], {
      ThingList: { value: [LAMP] },
      Thing: { value: LAMP },
    });
  });

  it('allows unknown fields in answers, and none in bodies', () => {
    const { components } = document as { components: { schemas: Record<string, object> } };
    expect(components.schemas.Thing).not.toHaveProperty('additionalProperties');
    expect(components.schemas.ChangeThingBody).toMatchObject({ additionalProperties: false });
  });

  it('describes the events of answers that can be streamed', () => {
    const path = ['paths', '/api/things/{id}/describe', 'post', 'responses', '200', 'content'];
    expect(document).toHaveProperty([...path, 'application/json', 'schema'], schema('Thing'));
    const events = ['text', 'reply', 'failed'].map((name, at) =>
      expect.objectContaining({
        properties: {
          event: { type: 'string', const: name },
          data: schema(['Piece', 'Thing', 'Problem'][at] ?? ''),
        },
      }),
    );
    expect(document).toHaveProperty([...path, 'text/event-stream', 'schema', 'oneOf'], events);
  });

  it('declares the answer while the work continues', () => {
    const path = ['paths', '/api/things/{id}/describe', 'post'];
    const headers = [...path, 'responses', '202', 'headers'];
    for (const header of ['Location', 'Retry-After', 'Idempotent-Replayed']) {
      expect(document).toHaveProperty([...headers, header]);
    }
    expect(document).toHaveProperty(
      [...path, 'parameters'],
      expect.arrayContaining([parameter('Prefer')]),
    );
  });

  it('names the codes of each refusal: those of all calls and those of the call', () => {
    const rest = ['content', 'application/problem+json', 'schema', 'allOf', '1', 'properties'];
    for (const [status, name, codes] of [
      ['409', 'ikr-tl-409', ['idempotency-key-reused', 'thing-locked']],
      ['404', 'not-found', ['not-found']],
    ] as const) {
      const $ref = `#/components/responses/${name}`;
      expect(document).toHaveProperty([...one, 'responses', status], { $ref });
      const component = ['components', 'responses', name, ...rest, 'code', 'enum'];
      expect(document).toHaveProperty(component, codes);
    }
  });

  it('says until when a deprecated call works, and what to call instead', () => {
    const deprecated = { since: '2027-01-31', sunset: '2027-07-31', instead: 'Call `newThing`.' };
    const old = openApiDocument([{ ...changeThing, deprecated }], options);
    expect(old).toHaveProperty([...one, 'deprecated'], true);
    expect(old).toHaveProperty([...one, 'x-sunset'], '2027-07-31');
    expect(old).toHaveProperty(
      [...one, 'description'],
      expect.stringContaining('Call `newThing`.'),
    );
    const answers = ['components', 'responses', 'done-position-replayed-deprecation-sunset'];
    expect(old).toHaveProperty([...answers, 'headers', 'Sunset']);
    expect(old).toHaveProperty(['components', 'headers', 'Deprecation']);
    expect(document).not.toHaveProperty(['components', 'headers', 'Deprecation']);
    expect(deprecationHeaders({ deprecated })).toEqual({
      deprecation: '@1801353600',
      sunset: 'Sat, 31 Jul 2027 23:59:59 GMT',
    });
    expect(deprecationHeaders(changeThing)).toEqual({});
  });

  it('requires no sign-in for public calls', () => {
    const list = ['paths', '/api/things', 'get'];
    expect(document).toHaveProperty([...list, 'security'], []);
    expect(document).not.toHaveProperty([...list, 'responses', '401']);
    expect(document).toHaveProperty([...one, 'security'], [{ cookie: [] }, { apiKey: [] }]);
  });

  it('describes each event as a webhook, and allows fields that a newer release adds', () => {
    expect(document).toHaveProperty(['components', 'schemas', 'ThingPainted'], {
      type: 'object',
      properties: { colour: { type: 'string' } },
      required: ['colour'],
    });
    const body = ['requestBody', 'content', 'application/json', 'schema', 'allOf'];
    const data = ['properties', 'data', 'properties', 'data'];
    expect(document).toHaveProperty(
      ['webhooks', 'ThingPainted', 'post', ...body, '1', ...data],
      schema('ThingPainted'),
    );
  });

  it('names the schemas of bodies and answers differently if they differ', () => {
    const Part = z.object({ size: z.int().default(1) });
    const whole = { ...changeThing, body: z.strictObject({ part: Part }), answer: Part } as const;
    const { components } = openApiDocument([whole], { ...options, schemas: { Part } }) as {
      components: { schemas: Record<string, object> };
    };
    expect(components.schemas.Part).toMatchObject({ required: ['size'] });
    expect(components.schemas.PartInput).not.toHaveProperty('required');
    expect(components.schemas.ChangeThingBody).toMatchObject({
      properties: { part: schema('PartInput') },
    });
  });

  it('gives no two schemas the same name', () => {
    const ThingPainted = z.object({ colour: z.int() });
    const given = { ...listThings, answer: ThingPainted };
    expect(() => openApiDocument([given], { ...options, schemas: { ThingPainted } })).toThrow(
      'named ThingPainted',
    );
  });
});
