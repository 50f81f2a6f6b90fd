import { describe, expect, it } from 'vitest';
import { callersOf, eventsOf, groupsOf, isFound, resolvedDocument } from './document.ts';

const raw = {
  info: { version: '1' },
  tags: [{ name: 'things', description: 'Things of all kinds.' }],
  paths: {
    '/api/things/{id}': {
      get: {
        operationId: 'getThing',
        tags: ['things'],
        summary: 'A thing',
        parameters: [{ $ref: '#/components/parameters/At-Least' }],
        responses: { '404': { $ref: '#/components/responses/not-found' } },
      },
    },
  },
  webhooks: { ThingPainted: {}, ThingMade: {} },
  components: {
    parameters: { 'At-Least': { name: 'At-Least', in: 'header', schema: { type: 'string' } } },
    responses: { 'not-found': { description: 'Not found.' } },
    schemas: {
      Id: { type: 'string', format: 'uuid' },
      ThingMade: {
        properties: { id: { $ref: '#/components/schemas/Id', description: 'Its id' } },
      },
      ThingPainted: {
        properties: { parts: { items: { $ref: '#/components/schemas/ThingPainted' } } },
      },
    },
  },
};

describe('the API document', () => {
  const document = resolvedDocument(raw);

  it('has what its references name in their place', () => {
    const [operation] = groupsOf(document)[0]?.operations ?? [];
    expect(operation?.parameters).toEqual([raw.components.parameters['At-Least']]);
    expect(operation?.responses['404']).toEqual({ description: 'Not found.' });
  });

  it.each([
    ['everybody', 'get', []],
    ['people', 'post', [{ cookie: [] }]],
    ['members', 'get', [{ cookie: [] }, { apiKey: [] }]],
    ['membersWrite', 'post', [{ cookie: [] }, { apiKey: [] }]],
  ] as const)('says that %s may make a call', (callers, method, security) => {
    expect(callersOf({ method, security: [...security] })).toBe(callers);
  });

  it('lists calls by tag and path, reads first', () => {
    const call = { tags: ['things'], operationId: 'x' };
    const paths = {
      '/api/things/{id}': { delete: call, put: call, get: call },
      '/api/things': { post: call, get: call },
      '/api/others': { get: { ...call, tags: ['others'] } },
    };
    const tags = [
      { name: 'things', description: 'Things.' },
      { name: 'others', description: 'Others.' },
    ];
    const groups = groupsOf({ ...document, tags, paths } as unknown as typeof document);
    expect(
      groups.map(({ operations }) => operations.map(({ method, path }) => `${method} ${path}`)),
    ).toEqual([
      [
        'get /api/things',
        'post /api/things',
        'get /api/things/{id}',
        'put /api/things/{id}',
        'delete /api/things/{id}',
      ],
      ['get /api/others'],
    ]);
  });

  it.each([
    ['a thing', true],
    ['GET things', true],
    ['getthing', true],
    ['colour', true],
    ['thing paint', false],
  ])('finds a call by name, path and description: %s', (words, isExpected) => {
    const [operation] = groupsOf(document)[0]?.operations ?? [];
    if (!operation) throw new Error('There is no operation');
    expect(isFound({ ...operation, description: 'Its colour.' }, words)).toBe(isExpected);
  });

  it('keeps the fields beside a reference', () => {
    const [, made] = eventsOf(document)[0] ?? [];
    expect(made?.properties?.id).toEqual({ type: 'string', format: 'uuid', description: 'Its id' });
  });

  it('lists events by their type, those too that refer to themselves', () => {
    expect(eventsOf(document).map(([type]) => type)).toEqual(['ThingMade', 'ThingPainted']);
    const [, painted] = eventsOf(document)[1] ?? [];
    expect(painted?.properties?.parts?.items?.properties?.parts).toBeDefined();
  });
});
