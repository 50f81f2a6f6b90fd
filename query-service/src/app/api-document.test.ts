import { endpoints } from '@tallyhand/contracts/endpoints';
import { eventsByCategory } from '@tallyhand/contracts/events';
import { describe, expect, it } from 'vitest';
import { apiDocument } from './routes.ts';

type Reference = { readonly $ref?: string };
type Shared = Readonly<Record<string, Reference>>;
type Operation = {
  readonly parameters: readonly Reference[];
  readonly responses: Shared;
};
type Document = {
  readonly paths: Record<string, Record<string, Operation>>;
  readonly components: { readonly parameters: Shared; readonly responses: Shared };
};
const document = apiDocument('https://tallyhand.example') as Document;

const found = (one: Reference | undefined, shared: Shared) =>
  one?.$ref ? shared[one.$ref.replace(/.*\//, '')] : one;

describe('the API document', () => {
  it.each(endpoints)('has $name with its path parameters declared', (endpoint) => {
    const { name, method, path, feature } = endpoint;
    const operation = ['paths', path, method.toLowerCase()];
    expect(document).toHaveProperty([...operation, 'operationId'], name);
    expect(document).toHaveProperty([...operation, 'tags'], [feature]);
    const declared = document.paths[path]?.[method.toLowerCase()]?.parameters.map((parameter) =>
      found(parameter, document.components.parameters),
    );
    const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, parameter]) =>
      expect.objectContaining({ name: parameter, in: 'path', required: true }),
    );
    expect(declared).toEqual(expect.arrayContaining<unknown>(inPath));
  });

  it('is plain JSON', () => {
    expect(JSON.parse(JSON.stringify(document))).toEqual(document);
  });

  it('names the sign-in cookie as the server sets it', () => {
    const name = ['components', 'securitySchemes', 'cookie', 'name'];
    expect(document).toHaveProperty(name, '__Host-tallyhand');
    expect(apiDocument('http://127.0.0.1:8080')).toHaveProperty(name, 'tallyhand');
  });

  it('has the schema of each event that can be replayed', () => {
    for (const type of Object.values(eventsByCategory).flatMap(Object.keys)) {
      expect(document).toHaveProperty(['components', 'schemas', type, 'type'], 'object');
    }
  });

  it('lists the refusals of executing a task', () => {
    const { responses } = document.paths['/api/agents/{id}/execute']?.post ?? {};
    for (const status of ['402', '409']) {
      expect(found(responses?.[status], document.components.responses)).toHaveProperty('content');
    }
  });
});
