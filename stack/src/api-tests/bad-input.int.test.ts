import { endpoints } from '@tallyhand/contracts/endpoints';
import { pathOf } from '@tallyhand/contracts/kernel/endpoint';
import { OpenAiError } from '@tallyhand/contracts/kernel/openai-error';
import { Problem, ValidationFailed } from '@tallyhand/contracts/kernel/problem';
import type { ApiAnswer } from '@tallyhand/test-kit/api-client';
import { sampleName, sampleOf } from '@tallyhand/test-kit/cases';
import { beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { type OneOfEach, oneOfEach } from '../testing/one-of-each.ts';
import { sharedProduct, type TestProduct } from '../testing/product.ts';
import {
  byName,
  fieldsOf,
  rightBodies,
  taking,
  unsafe,
  withField,
} from '../testing/right-bodies.ts';

let product: TestProduct;
let one: OneOfEach;
let lastSeen: unknown[];

beforeAll(async () => {
  product = await sharedProduct();
  one = await oneOfEach(product);
  Object.assign(rightBodies.confirmPurchase ?? {}, { paymentIntentId: one.made.credits });
  lastSeen = await one.state();
});

/**
 * All that can be read is as it was after the test before. This takes many reads, so it is
 * checked once for a call, after all its hostile bodies or values: a change by any of them remains.
 */
async function expectNothingDone() {
  const before = lastSeen;
  lastSeen = await one.state();
  expect(lastSeen).toEqual(before);
}

type Told = Pick<Problem, 'status' | 'code' | 'errors'>;

/** The problem of an answer, whatever the shape in which its protocol has it. */
function problemOf({ status, headers, body }: ApiAnswer): Told {
  expect(status).toBeGreaterThanOrEqual(400);
  expect(status).toBeLessThan(500);
  const type = headers.get('content-type');
  if (type?.startsWith('application/json')) {
    const { code, errors } = OpenAiError.parse(body).error;
    // OpenAI knows no 422.
    expect(status).not.toBe(ValidationFailed.status);
    return {
      status: code === ValidationFailed.code ? ValidationFailed.status : status,
      code,
      errors,
    };
  }
  expect(type).toContain('application/problem+json');
  const problem = Problem.parse(body);
  expect(problem.status).toBe(status);
  return problem;
}

const json = { 'content-type': 'application/json' };
const objects = (levels: number) => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`;

type Hostile = { readonly raw: string; readonly headers?: Record<string, string> };

/** Bodies that no call accepts, not even one without a body. */
const hostile: Record<string, Hostile & { readonly status: number }> = {
  'text that is no JSON': { raw: '{"a":', status: 400 },
  'a comment in JSON': { raw: '{} // all', status: 400 },
  'ten thousand objects in each other': { raw: objects(10_000), status: 400 },
  'ten thousand lists in each other': {
    raw: `${'['.repeat(10_000)}${']'.repeat(10_000)}`,
    status: 400,
  },
  'a prototype': { raw: '{"__proto__":{"role":"Admin"}}', status: 422 },
  'a prototype further in': { raw: '{"personaConfig":{"__proto__":{"a":1}}}', status: 422 },
  'a constructor': { raw: '{"constructor":{"prototype":{"isAdmin":true}}}', status: 422 },
  'a null character': { raw: '{"name":"a\\u0000b"}', status: 422 },
  'a null character in a name': { raw: '{"a\\u0000b":1}', status: 422 },
  'half a surrogate pair': { raw: '{"name":"\\ud800"}', status: 422 },
  'five megabytes': { raw: `{"input":"${'x'.repeat(5 * 1024 * 1024)}"}`, status: 413 },
  'plain text': { raw: '{}', headers: { 'content-type': 'text/plain' }, status: 415 },
  'a form': {
    raw: 'name=b',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    status: 415,
  },
  'a compressed body': {
    raw: '{}',
    headers: { ...json, 'content-encoding': 'gzip' },
    status: 415,
  },
  'an encoding that does not exist': {
    raw: '{}',
    headers: { ...json, 'content-encoding': 'x-none' },
    status: 415,
  },
  'a form of parts': {
    raw: '--x--',
    headers: { 'content-type': 'multipart/form-data; boundary=x' },
    status: 415,
  },
};

/** The upload calls miss the file in a form without one. */
const UPLOADS = ['importArticle', 'convertDocument', 'uploadAttachment'];
const statusOf = (name: string, kind: string, status: number) =>
  UPLOADS.includes(name) && kind === 'a form of parts' ? 422 : status;

/** Each commit tries a quarter of the calls, and sends bodies that cannot be read to an eighth. */
const namesOf = (calls: readonly { readonly name: string }[], oneIn = 4) =>
  sampleOf(
    calls.map(({ name }) => name),
    oneIn,
  );

describe.each(namesOf(unsafe, 8))(`%s (${sampleName()})`, (name) => {
  it('refuses bodies that no call accepts, and does nothing', async () => {
    const endpoint = byName(name);
    for (const [kind, { raw, headers = json, ...expected }] of Object.entries(hostile)) {
      const status = statusOf(name, kind, expected.status);
      const answer = await one.client.call(endpoint, {
        params: one.existing(endpoint),
        raw,
        headers,
      });
      const problem = problemOf(answer);
      expect([kind, problem.status]).toEqual([kind, status]);
      if (status === 422) expect(problem.errors, kind).toHaveLength(1);
    }
    await expectNothingDone();
  });
});

describe.each(namesOf(taking))(`%s (${sampleName()})`, (name) => {
  it('refuses other values and unknown fields with what is wrong, and does nothing', async () => {
    const endpoint = byName(name);
    const values = ['null', '[]', '[{}]', '7', '"text"', 'true', '{"isAdmin":true,"role":7}'];
    // Where every field may be left out, no body is a right one.
    if (!endpoint.body?.safeParse({}).success) values.push('');
    for (const raw of values) {
      const answer = await one.client.call(endpoint, {
        params: one.existing(endpoint),
        raw,
        headers: json,
      });
      const problem = problemOf(answer);
      expect([raw, problem.status, problem.code]).toEqual([raw, 422, 'validation-failed']);
      expect(problem.errors?.length, raw).toBeGreaterThan(0);
      if (!raw.includes('isAdmin')) continue;
      const paths = problem.errors?.map(({ path }) => path);
      // Which fields there are depends on the kind, where a body has one.
      const { body } = endpoint;
      const kind = body instanceof z.ZodDiscriminatedUnion ? body.def.discriminator : null;
      expect(paths).toContain(kind ?? 'isAdmin');
    }
    await expectNothingDone();
  });
});

/** Fields that null empties. */
const NULLABLE = [
  'createConnection.embeddingModel',
  'changeConnection.embeddingModel',
  'changeConnection.apiKey',
  'createConnection.prices.0.cachedInput',
  'rateTask.rating',
  'rateReply.rating',
  'changeAuditPublishing.every',
];

/** Takes one text, or a list of texts. */
const TEXTS = 'createEmbeddings.input';

/** Values that no field of this kind accepts. */
function wrongFor(value: unknown): unknown[] {
  const wrong: unknown[] = [-0.5, { a: 1 }];
  if (typeof value === 'number') wrong.push(1e300, [], ['text']);
  else wrong.push(null, 7);
  if (typeof value !== 'boolean') wrong.push(true);
  if (typeof value === 'string') wrong.push([], ['text'], 'x'.repeat(400_001));
  else wrong.push('text', '');
  if (Array.isArray(value)) {
    wrong.push([7], [null], [['text']], [{}], ['x'.repeat(5_000)], Array(1_001).fill('x'));
  }
  return wrong;
}

describe('the right bodies', () => {
  it('are those of all calls that take one', () => {
    expect(Object.keys(rightBodies).sort()).toEqual(taking.map(({ name }) => name).sort());
  });
});

const sampledBodies = sampleOf(Object.entries(rightBodies), 4);

describe.each(sampledBodies)(`a wrong field of %s (${sampleName()})`, (name, body) => {
  const endpoint = byName(name);

  async function expectNamed(path: string[], wrong: unknown) {
    const field = path.join('.');
    const options = { params: one.existing(endpoint), body: withField(body, path, wrong) };
    const problem = problemOf(await one.client.call(endpoint, options));
    const names = (problem.errors ?? []).map((error) => error.path);
    const shown = `${field}: ${JSON.stringify(wrong).slice(0, 40)} -> ${names}`;
    expect([problem.status, shown]).toEqual([422, shown]);
    expect(
      names.every((each) => `${each}.`.startsWith(`${field}.`)),
      shown,
    ).toBe(true);
    expect(names.length, shown).toBeGreaterThan(0);
    for (const { message } of problem.errors ?? []) {
      expect(message, shown).not.toMatch(/^(Invalid|Too |Unrecognized)/);
    }
  }

  it('is named, and nothing is done', async () => {
    for (const { path, value } of fieldsOf(body)) {
      const field = `${name}.${path.join('.')}`;
      const isNullable = NULLABLE.includes(field);
      for (const wrong of wrongFor(value)) {
        if (wrong === null && isNullable) continue;
        if (Array.isArray(wrong) && wrong[0] === 'text' && field === TEXTS) continue;
        await expectNamed(path, wrong);
      }
    }
    await expectNothingDone();
  });
});

describe('an id', () => {
  const withId = endpoints.filter(({ path }) => path.includes('{id}'));
  const odd = ['no-id', '..%2f..', '%20', "'--"];
  /** No text that could be kept, or longer than any part of an address. */
  const unreadable = ['%00', '%ED%A0%80', 'x'.repeat(3_000)];

  it.each(namesOf(withId))(`that is none is unknown to %s (${sampleName()})`, async (name) => {
    const endpoint = byName(name);
    for (const id of [
      ...odd,
      ...unreadable,
      crypto.randomUUID(),
      one.made.agents?.slice(1) ?? '',
    ]) {
      const path = pathOf(endpoint, { id: 'ID' }).replace('ID', id);
      const options = endpoint.body ? { body: rightBodies[name] } : {};
      const problem = problemOf(await one.client.send(endpoint.method, path, options));
      const expected = unreadable.includes(id) ? [400, 404, 422] : [404];
      expect(expected, id.slice(0, 20)).toContain(problem.status);
    }
    await expectNothingDone();
  });
});

const placeholders = { id: crypto.randomUUID(), token: 'token', hash: 'a'.repeat(64) };

describe('a query', () => {
  const paged = endpoints.filter(({ query }) => query);
  const wrong = ['limit=0', 'limit=-1', 'limit=1.5', 'limit=1e9', 'limit=NaN', 'limit=', 'limit=a'];
  const more = ['limit=1&limit=2', 'cursor=', 'cursor=%00', `cursor=${'x'.repeat(300)}`, 'limt=5'];

  it.each(namesOf(paged))(`that is wrong is refused by %s (${sampleName()})`, async (name) => {
    for (const query of [...wrong, ...more]) {
      const path = pathOf(byName(name), one.existing(byName(name)));
      const answer = await one.client.send('GET', `${path}?${query}`);
      const problem = problemOf(answer);
      expect([query, problem.status]).toEqual([query, 422]);
      // A required parameter may be missing too.
      const paths = problem.errors?.map(({ path }) => path) ?? [];
      expect([query, paths.some((path) => query.startsWith(path))]).toEqual([query, true]);
    }
  });

  const reads = endpoints.filter(({ method }) => method === 'GET');
  const paths: [name: string, path: string][] = [
    ...reads.map((each): [string, string] => [each.name, pathOf(each, placeholders)]),
    ['the API document', '/api/openapi.json'],
  ];
  const byPath = (path: string) => reads.find((each) => pathOf(each, placeholders) === path);
  const declaredBy = (name: string) => {
    const query = reads.find((each) => each.name === name)?.query;
    return query instanceof z.ZodObject ? Object.keys(query.shape) : [];
  };

  it.each(sampleOf(paths, 4))(
    `with a parameter that is not declared is refused by %s (${sampleName()})`,
    async (name, path) => {
      const unknown = ['limt', 'utm_source', '_', 'limit[]', 'limit', 'cursor', 'asOf', 'order'];
      for (const parameter of unknown.filter((each) => !declaredBy(name).includes(each))) {
        const query = `${encodeURIComponent(parameter)}=5`;
        const problem = problemOf(await one.client.send('GET', `${path}?${query}`));
        expect([problem.status, problem.errors?.map((error) => error.path)]).toEqual([
          422,
          expect.arrayContaining([parameter]),
        ]);
        const { status } = await one.client.send('HEAD', `${path}?${query}`);
        expect(status).toBe(byPath(path)?.protocol ? 400 : 422);
      }
    },
  );

  it.each(namesOf(paged))(
    `with a parameter twice is refused by %s (${sampleName()})`,
    async (name) => {
      const path = pathOf(byName(name), placeholders);
      for (const parameter of declaredBy(name)) {
        const query = `${parameter}=1&${parameter}=1`;
        const problem = problemOf(await one.client.send('GET', `${path}?${query}`));
        const errors = [{ path: parameter, message: 'Give this parameter once' }];
        expect([problem.status, problem.errors]).toEqual([422, errors]);
      }
    },
  );

  it('is refused by a command, too', async () => {
    const problem = problemOf(
      await one.client.send('POST', '/api/agents?dryRun=true', { body: {} }),
    );
    expect(problem.errors?.[0]?.path).toBe('dryRun');
    await expectNothingDone();
  });
});
