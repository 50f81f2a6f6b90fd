import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { endpoints } from './endpoints.ts';
import { PUBLIC } from './kernel/access.ts';
import { endpoint } from './kernel/endpoint.ts';
import { Id } from './kernel/ids.ts';
import { ROLES } from './kernel/role.ts';

const features = join(import.meta.dirname, 'features');
const files = readdirSync(features, { recursive: true, encoding: 'utf8' }).filter((file) =>
  file.endsWith('.endpoints.ts'),
);

describe('the list of calls', () => {
  it.each(files)('has what %s declares, but calls between processes', async (file) => {
    const exported = Object.values<unknown>(await import(join(features, file)));
    const isPublished = (value: unknown) =>
      value instanceof Object && 'path' in value && !/^.internal/.test(`${value.path}`);
    for (const each of exported.filter(isPublished)) expect(endpoints).toContain(each);
  });
});

describe('the example of a call', () => {
  it.each(endpoints.filter(({ body }) => body))('is a valid body of $name', (endpoint) => {
    expect(endpoint.body?.safeParse(endpoint.example)).toMatchObject({ success: true });
  });
});

describe('the example of an answer', () => {
  it.each(endpoints.filter(({ answer }) => answer))(
    'is a valid answer of $name',
    ({ answer, answerExample }) => {
      expect(answer?.parse(answerExample)).toEqual(answerExample);
    },
  );
});

describe('the description of a call', () => {
  it.each(endpoints)('exists for $name, besides its summary', ({ summary, description }) => {
    expect(summary).toMatch(/^[A-Z][^.]*$/);
    expect(description).toMatch(/^[A-Z`][\s\S]*\.$/);
  });
});

describe('a declaration', () => {
  const call = { method: 'GET', path: '/api/new', feature: 'new', status: 200 } as const;
  const named = { ...call, name: 'getNew', summary: 'Something new' };

  it('compiles only with access, and examples of its body and its answer', () => {
    // @ts-expect-error
    endpoint(named);
    // @ts-expect-error
    endpoint({ ...named, access: PUBLIC, body: Id });
    // @ts-expect-error
    endpoint({ ...named, access: PUBLIC, answer: Id });
    // @ts-expect-error
    endpoint({ ...named, access: PUBLIC, answer: Id, answerExample: 1 });
  });
});

describe('the access of a call', () => {
  it('names roles from the first on, without a gap, and the Auditor apart from them', () => {
    const limited = endpoints.filter(({ roles }) => roles !== null);
    expect(limited.length).toBeGreaterThan(50);
    // What an API key may do is the lesser of two roles by this order.
    for (const { name, roles } of limited) {
      const members = roles?.filter((role) => role !== 'Auditor');
      expect([name, members]).toEqual([name, ROLES.slice(0, members?.length)]);
    }
  });
});
