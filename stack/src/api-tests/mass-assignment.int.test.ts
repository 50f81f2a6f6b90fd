import { importArticle } from '@tallyhand/contracts/features/knowledge/knowledge.endpoints';
import { createTool } from '@tallyhand/contracts/features/tools/tools.endpoints';
import { pathOf } from '@tallyhand/contracts/kernel/endpoint';
import { OpenAiError } from '@tallyhand/contracts/kernel/openai-error';
import type { Problem } from '@tallyhand/contracts/kernel/problem';
import { cookieOf, toolInput } from '@tallyhand/test-kit/api-client';
import { beforeAll, describe, expect, it } from 'vitest';
import { type OneOfEach, oneOfEach } from '../testing/one-of-each.ts';
import { sharedProduct, type TestProduct } from '../testing/product.ts';
import {
  byName,
  fieldsOf,
  isObject,
  type Json,
  rightBodies,
  withField,
} from '../testing/right-bodies.ts';

let product: TestProduct;
let one: OneOfEach;

beforeAll(async () => {
  product = await sharedProduct();
  one = await oneOfEach(product);
});

/** Fields that only the product sets, by all names that it or others use. */
const privileged: Json = {
  id: crypto.randomUUID(),
  userId: crypto.randomUUID(),
  createdBy: crypto.randomUUID(),
  organizationId: crypto.randomUUID(),
  organization: { creditBalance: 1_000_000 },
  role: 'Admin',
  isAdmin: true,
  permissions: ['*'],
  emailVerified: true,
  creditBalance: 1_000_000,
  creditCost: 0,
  price: 0,
  currency: 'jpy',
  discount: 100,
  status: 'succeeded',
  createdAt: '2000-01-01T00:00:00Z',
  deletedAt: null,
  rateLimit: 0,
};

type Level = { readonly at: string; readonly path: readonly string[]; readonly own: Json };

/** Objects whose names belong to another service: see below. */
const FREE = ['authCredentials', 'operations'];

/** The body itself and every object within it. */
const levelsOf = (body: Json): Level[] => [
  { at: 'beside its fields', path: [], own: body },
  ...fieldsOf(body).flatMap(({ path, value }) =>
    isObject(value) && !FREE.includes(path.at(-1) ?? '')
      ? [{ at: `in ${path.join('.')}`, path, own: value }]
      : [],
  ),
];

const foreignTo = (own: Json) =>
  Object.fromEntries(Object.entries(privileged).filter(([name]) => !(name in own)));

const spread = (body: Json, { path, own }: Level) => {
  const level = { ...own, ...foreignTo(own) };
  return path.length === 0 ? level : withField(body, path, level);
};

describe('a right body', () => {
  it.each(Object.entries(rightBodies))(
    'of %s is refused for fields no caller can set',
    async (name, body) => {
      const endpoint = byName(name);
      const before = await one.state();
      for (const level of levelsOf(body)) {
        const options = { params: one.existing(endpoint), body: spread(body, level) };
        const { status, body: answer } = await one.client.call<Problem>(endpoint, options);
        // OpenAI's protocol has the same in its own place.
        const { code, errors } = endpoint.protocol ? OpenAiError.parse(answer).error : answer;
        const expectedStatus = endpoint.protocol ? 400 : 422;
        expect([level.at, status, code]).toEqual([level.at, expectedStatus, 'validation-failed']);
        const message = 'There is no such field';
        const expected = Object.keys(foreignTo(level.own)).map((field) => ({
          path: [...level.path, field].join('.'),
          message,
        }));
        expect(errors).toEqual(expect.arrayContaining(expected));
      }
      expect(await one.state()).toEqual(before);
    },
  );
});

/** What a member created, without values that are new each time. */
const likeness = ({ id: _id, createdAt: _createdAt, updatedAt: _updatedAt, ...rest }: Json) => rest;
const memberAndOrganization = async () => (await one.state()).slice(0, 2);

describe('names that are free', () => {
  it('are credentials and nothing more in those of a tool', async () => {
    const texts = Object.entries(privileged).map(([name, value]) => [name, JSON.stringify(value)]);
    const authCredentials = { ...toolInput.authCredentials, ...Object.fromEntries(texts) };
    const before = await memberAndOrganization();
    const plain = await one.client.call<Json>(createTool, { body: toolInput });
    const spread = await one.client.call<Json>(createTool, {
      body: { ...toolInput, authCredentials },
    });
    expect([plain.status, spread.status]).toEqual([201, 201]);
    const names = Object.keys(authCredentials).sort();
    expect(likeness(spread.body)).toEqual({ ...likeness(plain.body), credentialNames: names });
    expect(await memberAndOrganization()).toEqual(before);
  });
});

describe('a form with a file', () => {
  it('is refused for a field that no caller can set beside the file', async () => {
    const before = await one.state();
    const answer = await importText(privileged);
    expect([answer.status, answer.body.code]).toEqual([422, 'validation-failed']);
    const message = 'There is no such field';
    const expected = Object.keys(privileged).map((path) => ({ path, message }));
    expect(answer.body.errors).toEqual(expected);
    expect(await one.state()).toEqual(before);
  });
});

async function importText(fields: Json): Promise<{ status: number; body: Json }> {
  const form = new FormData();
  form.set('file', new File(['Text of an article'], 'article.txt', { type: 'text/plain' }));
  for (const [name, value] of Object.entries(fields)) form.set(name, JSON.stringify(value));
  const cookie = cookieOf(one.client);
  const address = product.url + pathOf(importArticle);
  const answer = await fetch(address, { method: 'POST', headers: { cookie }, body: form });
  return { status: answer.status, body: (await answer.json()) as Json };
}
