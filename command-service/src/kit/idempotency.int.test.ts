import { hash, randomBytes, randomUUID } from 'node:crypto';
import { NotFound, OrganizationQueueFull } from '@tallyhand/contracts/kernel/problem';
import type { Refusal } from '@tallyhand/contracts/kernel/refusal';
import { sealedBox } from '@tallyhand/service-kit/crypto/sealed-box';
import { RefusalError } from '@tallyhand/service-kit/http/problem';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type Answer,
  type AskedRequest,
  askedRequest,
  type KeyOwner,
  type TakenUp,
} from './idempotency.ts';
import { openTestKit, type TestKit } from './testing/backends.ts';

let kit: TestKit;
beforeAll(async () => {
  kit = await openTestKit();
});
afterAll(() => kit[Symbol.asyncDispose]());

const someone = (): KeyOwner => ({ organizationId: randomUUID(), userId: randomUUID() });
const answer = (body: string): Answer => ({ status: 201, body, position: 'C1-P1' });
const box = sealedBox(randomBytes(32).toString('base64url'));
const asked = (...request: [call: string, params: unknown, body: unknown]) =>
  askedRequest(box, ...request);
const request = asked('POST /api/agents', {}, { name: 'Support' });
const once = (owner: KeyOwner, key: string, work: () => Promise<Answer | Refusal>, of = request) =>
  kit.opened.kit.idempotency.once(owner, key, of, work);

/** Work that counts how often it was done. */
function counted(body = '{"id":"1"}') {
  const done = { times: 0 };
  const work = async () => {
    done.times += 1;
    return answer(body);
  };
  return { done, work };
}

const unreachable = async (): Promise<Answer> => expect.fail('the work was done again');

describe('a call under an idempotency key', () => {
  it('is done once; a repeat gets the first answer', async () => {
    const owner = someone();
    expect(await once(owner, 'a', async () => answer('{"id":"1"}'))).toEqual(answer('{"id":"1"}'));
    expect(await once(owner, 'a', unreachable)).toMatchObject(answer('{"id":"1"}'));
  });

  it('is done once of many that arrive together, and all get its answer', async () => {
    const owner = someone();
    const { done, work } = counted();
    const answers = await Promise.all(Array.from({ length: 20 }, () => once(owner, 'a', work)));
    expect(done.times).toBe(1);
    for (const given of answers) expect(given).toMatchObject(answer('{"id":"1"}'));
  });

  it('keeps an answer without a body', async () => {
    const owner = someone();
    const empty = { status: 204, body: null, position: null };
    await once(owner, 'a', async () => empty);
    expect(await once(owner, 'a', unreachable)).toMatchObject(empty);
  });

  it('is refused when the key belongs to another request, also while that one is running', async () => {
    const owner = someone();
    const other = asked('POST /api/agents', {}, { name: 'Sales' });
    const started = Promise.withResolvers<void>();
    const going = Promise.withResolvers<Answer>();
    const first = once(owner, 'a', () => {
      started.resolve();
      return going.promise;
    });
    await started.promise;
    const reused = { kind: 'refusal', code: 'idempotency-key-reused', status: 409 };
    expect(await once(owner, 'a', unreachable, other)).toMatchObject(reused);
    going.resolve(answer('{}'));
    await first;
    expect(await once(owner, 'a', unreachable, other)).toMatchObject(reused);
  });

  it('is tried again after a fault, which is no answer', async () => {
    const owner = someone();
    const fault = async () => {
      throw new Error('the database went away');
    };
    await expect(once(owner, 'a', fault)).rejects.toThrow('the database went away');
    expect(await once(owner, 'a', async () => answer('{}'))).toEqual(answer('{}'));
  });

  it('is resumed by a repeat when its first process has died', async () => {
    const owner = someone();
    const { organizationId, userId } = owner;
    await kit.admin.query(
      `insert into operational.idempotency
         (organization_id, user_id, key, request_hash, created_at)
       values ($1, $2, 'a', $3, now() - interval '131 seconds')`,
      [organizationId, userId, request.hash],
    );
    const { done, work } = counted();
    const answers = await Promise.all([once(owner, 'a', work), once(owner, 'a', work)]);
    expect(done.times).toBe(1);
    expect(answers[0]).toMatchObject(answer('{"id":"1"}'));
    expect(answers[1]).toMatchObject(answer('{"id":"1"}'));
  });

  it.each(['full queue', 'caller who has left'])('leaves nothing after a %s', async (why) => {
    const owner = someone();
    const full = OrganizationQueueFull({ retryAfterSeconds: 1 });
    const gone = new RefusalError(NotFound({ what: 'caller' }));
    if (why === 'full queue') expect(await once(owner, 'a', async () => full)).toBe(full);
    else await expect(once(owner, 'a', () => Promise.reject(gone))).rejects.toBe(gone);
    const other = asked('POST /api/agents', {}, { name: 'Sales' });
    const { idempotency } = kit.opened.kit;
    const work = async (takenUp: TakenUp | null) => answer(JSON.stringify({ takenUp }));
    expect(await idempotency.once(owner, 'a', other, work)).toEqual(answer('{"takenUp":null}'));
  });

  it('is not resumed while its first process still works, however long', async () => {
    const owner = someone();
    const going = Promise.withResolvers<Answer>();
    const started = Promise.withResolvers<void>();
    const first = once(owner, 'a', () => {
      started.resolve();
      return going.promise;
    });
    await started.promise;
    const age = async () => {
      const { rows } = await kit.admin.query<{ seconds: number }>(
        `select extract(epoch from now() - created_at)::float as seconds
         from operational.idempotency where user_id = $1`,
        [owner.userId],
      );
      return rows[0]?.seconds;
    };
    await kit.admin.query(
      `update operational.idempotency set created_at = now() - interval '5 seconds'
       where user_id = $1`,
      [owner.userId],
    );
    await expect.poll(age).toBeLessThan(4);
    going.resolve(answer('{}'));
    expect(await first).toEqual(answer('{}'));
  });

  it('never meets the key of another member or organization', async () => {
    const owner = someone();
    const colleague = { ...owner, userId: randomUUID() };
    await once(owner, 'a', async () => answer('"first"'));
    expect(await once(colleague, 'a', async () => answer('"second"'))).toEqual(answer('"second"'));
    expect(await once(someone(), 'a', async () => answer('"third"'))).toEqual(answer('"third"'));
  });

  it('leaves its answer sealed, since that may hold a token', async () => {
    const owner = someone();
    await once(owner, 'a', async () => answer('{"token":"the-token-of-an-invitation"}'));
    const { rows } = await kit.admin.query<{ body: Buffer }>(
      'select body from operational.idempotency where user_id = $1',
      [owner.userId],
    );
    expect(rows[0]?.body.length).toBeGreaterThan(0);
    expect(rows[0]?.body.includes('the-token')).toBe(false);
  });
});

describe('the hash of a request', () => {
  const hashOf = (...request: Parameters<typeof asked>) => asked(...request).hash;

  it('is the same for the same call, whatever the order of its fields', () => {
    expect(hashOf('PUT /a', { id: '1' }, { a: 1, b: 2 })).toBe(
      hashOf('PUT /a', { id: '1' }, { b: 2, a: 1 }),
    );
  });
  it('differs for another call, parameter or body', () => {
    const hashes = [
      hashOf('PUT /a', { id: '1' }, { a: 1 }),
      hashOf('DELETE /a', { id: '1' }, { a: 1 }),
      hashOf('PUT /a', { id: '2' }, { a: 1 }),
      hashOf('PUT /a', { id: '1' }, { a: '1' }),
      hashOf('PUT /a', { id: '1' }, undefined),
    ];
    expect(new Set(hashes).size).toBe(hashes.length);
  });

  it('reveals nothing to a reader of the database who guesses secrets in bodies', async () => {
    const owner = someone();
    const guessed = asked('POST /api/tools', {}, { password: 'summer' });
    await once(owner, 'a', async () => answer('{"id":"1"}'), guessed);
    const { rows } = await kit.admin.query<{ request_hash: string }>(
      'select request_hash from operational.idempotency where user_id = $1',
      [owner.userId],
    );
    const plain = hash('sha256', 'POST /api/tools {} {"password":"summer"}', 'hex');
    expect(guessed.plainHash).toBe(plain);
    expect(rows[0]?.request_hash).not.toBe(plain);
    const other = askedRequest(
      sealedBox(randomBytes(32).toString('base64url')),
      'POST /api/tools',
      {},
      { password: 'summer' },
    );
    expect(other.hash).not.toBe(guessed.hash);
  });
});

describe('a key that 0.1.0 kept with a plain hash', () => {
  async function keptPlain({ organizationId, userId }: KeyOwner, { plainHash }: AskedRequest) {
    await kit.admin.query(
      `insert into operational.idempotency
         (organization_id, user_id, key, request_hash, created_at)
       values ($1, $2, 'a', $3, now() - interval '1 minute')`,
      [organizationId, userId, plainHash],
    );
  }

  it('returns the stored answer to a repeat, and refuses another request', async () => {
    const owner = someone();
    await once(owner, 'a', async () => answer('{"id":"1"}'));
    await kit.admin.query(
      'update operational.idempotency set request_hash = $2 where user_id = $1',
      [owner.userId, request.plainHash],
    );
    expect(await once(owner, 'a', unreachable)).toMatchObject(answer('{"id":"1"}'));
    const other = asked('POST /api/agents', {}, { name: 'Sales' });
    expect(await once(owner, 'a', unreachable, other)).toMatchObject({
      code: 'idempotency-key-reused',
    });
  });

  it('is resumed under the hash that it started with', async () => {
    const owner = someone();
    await keptPlain(owner, request);
    const taken: unknown[] = [];
    await kit.opened.kit.idempotency.once(owner, 'a', request, async (takenUp) => {
      taken.push(takenUp);
      return answer('{"id":"1"}');
    });
    expect(taken).toEqual([{ requestHash: request.plainHash }]);
  });
});
