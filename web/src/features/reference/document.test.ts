import { describe, expect, it } from 'vitest';
import { callersOf, eventsOf, groupsOf, resolvedDocument } from './document.ts';

const raw = {
  info: { version: '1' },
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
    const [operation] = groupsOf(document).get('things') ?? [];
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

  it('keeps what stands beside a reference', () => {
    const [, made] = eventsOf(document)[0] ?? [];
    expect(made?.properties?.id).toEqual({ type: 'string', format: 'uuid', description: 'Its id' });
  });

  it('lists events by their type, those too that refer to themselves', () => {
    expect(eventsOf(document).map(([type]) => type)).toEqual(['ThingMade', 'ThingPainted']);
    const [, painted] = eventsOf(document)[1] ?? [];
    expect(painted?.properties?.parts?.items?.properties?.parts).toBeDefined();
  });
});
