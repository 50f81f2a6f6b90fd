import { describe, expect, it } from 'vitest';
import { answerExample } from './answer-examples.ts';
import { endpoints } from './endpoints.ts';
import { endpoint } from './kernel/endpoint.ts';
import { ROLES } from './kernel/role.ts';

describe('the example of a call', () => {
  it.each(endpoints.filter(({ body }) => body))('is a valid body of $name', (endpoint) => {
    expect(endpoint.body?.safeParse(endpoint.example)).toMatchObject({ success: true });
  });
});

describe('the example of an answer', () => {
  it.each(endpoints.filter(({ answer }) => answer))('is a valid answer of $name', (endpoint) => {
    const value = answerExample(endpoint)?.value;
    expect(endpoint.answer?.parse(value)).toEqual(value);
  });
});

describe('the description of a call', () => {
  it.each(endpoints)('exists for $name, besides its summary', ({ summary, description }) => {
    expect(summary).toMatch(/^[A-Z][^.]*$/);
    expect(description).toMatch(/^[A-Z`][\s\S]*\.$/);
  });
});

describe('the access of a call', () => {
  it('must be declared', () => {
    const call = { method: 'GET', path: '/api/new', feature: 'new', status: 204 } as const;
    // @ts-expect-error: without access it does not compile.
    endpoint({ ...call, name: 'getNew', summary: 'Something new' });
  });

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
