import { openKit } from '@tallyhand/command-service/app/open-kit';
import {
  beginSecondFactor,
  confirmSecondFactor,
  getSecondFactor,
  removeSecondFactor,
  type SecondFactor,
} from '@tallyhand/contracts/features/identity/account.endpoints';
import { signIn } from '@tallyhand/contracts/features/identity/identity.endpoints';
import type { Problem } from '@tallyhand/contracts/kernel/problem';
import { openPool } from '@tallyhand/service-kit/postgres/pool';
import {
  type ApiClient,
  apiClient,
  registerOrganization,
  testPassword,
} from '@tallyhand/test-kit/api-client';
import type pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runSecondFactorCommand } from '../operator/account-commands.ts';
import { audited } from '../testing/audit-pages.ts';
import { hexOfSecret, shownCode } from '../testing/mailed-links.ts';
import { type OwnProduct, startTestProduct } from '../testing/product.ts';

let product: OwnProduct;
let pool: pg.Pool;
beforeAll(async () => {
  product = await startTestProduct({ rateLimitScale: 1, trustProxy: true });
  pool = openPool(product.config.databaseUrl, 1);
});
afterAll(async () => {
  await pool.end();
  await product[Symbol.asyncDispose]();
});

type Set = {
  secret: string;
  first: string;
  codes: string[];
  client: ApiClient;
  email: string;
  id: string;
};

/** Its first code is used up: sign-ins take the one of the next step. */
async function withSecondFactor(): Promise<Set> {
  const { client, user } = await registerOrganization(product.url);
  const begun = await client.call<{ secret: string; uri: string }>(beginSecondFactor, {
    body: { password: testPassword },
  });
  expect(begun.status).toBe(201);
  const { secret, uri } = begun.body;
  expect(uri).toContain(`secret=${secret}`);
  const first = shownCode(secret);
  const confirmed = await client.call<{ recoveryCodes: string[] }>(confirmSecondFactor, {
    body: { code: first },
  });
  expect(confirmed.status).toBe(200);
  return {
    secret,
    first,
    client,
    email: user.email,
    id: user.id,
    codes: confirmed.body.recoveryCodes,
  };
}

let addresses = 0;
async function answerTo(email: string, code?: string, password = testPassword) {
  addresses += 1;
  const body = { email, password, ...(code === undefined ? {} : { code }) };
  const headers = { 'x-forwarded-for': `198.51.100.${addresses}` };
  const answer = await apiClient(product.url).call<Problem>(signIn, { body, headers });
  return answer.status === 200 ? 'signed in' : answer.body.code;
}

const stateOf = async (client: ApiClient) =>
  (await client.call<SecondFactor>(getSecondFactor)).body;

describe('a second factor', () => {
  it('is required once a code was confirmed, after the right password only', async () => {
    const { client, email, secret } = await withSecondFactor();
    expect(await answerTo(email)).toBe('second-factor-required');
    expect(await answerTo(email, undefined, 'a wrong password')).toBe('wrong-credentials');
    expect(await answerTo(email, shownCode(secret, 1), 'a wrong password')).toBe(
      'wrong-credentials',
    );
    expect(await answerTo(email, shownCode(secret, 1))).toBe('signed in');
    expect(await stateOf(client)).toEqual({
      enabledAt: expect.stringMatching(/^\d{4}-/),
      recoveryCodesLeft: 10,
    });
  });

  it('accepts no code twice, not even two at once', async () => {
    const { email, secret, first } = await withSecondFactor();
    expect(await answerTo(email, first)).toBe('wrong-code');
    const code = shownCode(secret, 1);
    const answers = await Promise.all([answerTo(email, code), answerTo(email, code)]);
    expect(answers.toSorted()).toEqual(['signed in', 'wrong-code']);
  });

  it('accepts each recovery code once, however it is written', async () => {
    const { client, email, codes } = await withSecondFactor();
    expect(new Set(codes).size).toBe(10);
    const [first = '', second = ''] = codes;
    expect(await answerTo(email, first)).toBe('signed in');
    expect(await answerTo(email, first)).toBe('wrong-code');
    expect(await answerTo(email, ` ${second.toUpperCase().replace('-', ' ')} `)).toBe('signed in');
    expect((await stateOf(client)).recoveryCodesLeft).toBe(8);
  });

  it('is not guessed: wrong codes make wait as wrong passwords do', async () => {
    const { email } = await withSecondFactor();
    const headers = { 'x-forwarded-for': '192.0.2.1' };
    const guess = (code: string) =>
      apiClient(product.url).call<Problem>(signIn, {
        body: { email, password: testPassword, code },
        headers,
      });
    for (let i = 0; i < 5; i += 1) expect((await guess('no-such-code')).status).toBe(422);
    expect((await guess('no-such-code')).status).toBe(429);
  });

  it('does not throttle members who only have to enter the code', async () => {
    const { email, secret } = await withSecondFactor();
    for (let i = 0; i < 25; i += 1) {
      expect(await answerTo(email)).toBe('second-factor-required');
    }
    expect(await answerTo(email, shownCode(secret, 1))).toBe('signed in');
  });

  it('is off while no code was shown', async () => {
    const { client, user } = await registerOrganization(product.url);
    const wrong = await client.call<Problem>(beginSecondFactor, { body: { password: 'wrong' } });
    expect([wrong.status, wrong.body.code]).toEqual([422, 'wrong-password']);
    const early = await client.call<Problem>(confirmSecondFactor, { body: { code: '123456' } });
    expect([early.status, early.body.code]).toEqual([409, 'second-factor-not-begun']);
    const { body } = await client.call<{ secret: string }>(beginSecondFactor, {
      body: { password: testPassword },
    });
    const code = await client.call<Problem>(confirmSecondFactor, { body: { code: 'no-code' } });
    expect([code.status, code.body.code]).toEqual([422, 'wrong-code']);
    expect(await stateOf(client)).toEqual({ enabledAt: null, recoveryCodesLeft: 0 });
    expect(await answerTo(user.email)).toBe('signed in');
    // Begun again, the first secret is worth nothing.
    await client.call(beginSecondFactor, { body: { password: testPassword } });
    const old = await client.call<Problem>(confirmSecondFactor, {
      body: { code: shownCode(body.secret) },
    });
    expect(old.body.code).toBe('wrong-code');
  });

  it('is turned off with the password and a code, and not begun twice', async () => {
    const { client, email, codes } = await withSecondFactor();
    const twice = await client.call<Problem>(beginSecondFactor, {
      body: { password: testPassword },
    });
    expect([twice.status, twice.body.code]).toEqual([409, 'second-factor-is-on']);
    const remove = (body: object) => client.call<Problem>(removeSecondFactor, { body });
    const [code = ''] = codes;
    expect((await remove({ password: 'wrong', code })).body.code).toBe('wrong-password');
    expect((await remove({ password: testPassword, code: 'no-code' })).body.code).toBe(
      'wrong-code',
    );
    expect((await remove({ password: testPassword, code })).status).toBe(204);
    expect(await answerTo(email)).toBe('signed in');
  });

  it('is turned off by an operator after a loss, which the audit log shows', async () => {
    const { client, email, id } = await withSecondFactor();
    await using opened = await openKit(product.config);
    const run = (...args: string[]) => runSecondFactorCommand(args, opened);
    expect(await run('--remove', email.toUpperCase())).toMatchObject({ isWell: true });
    expect(await answerTo(email, undefined, 'a wrong password')).toBe('wrong-credentials');
    expect(await answerTo(email)).toBe('signed in');
    expect(await stateOf(client)).toEqual({ enabledAt: null, recoveryCodesLeft: 0 });
    const recorded = () => audited(client, { kind: 'SecondFactorDisabled' });
    await expect.poll(recorded).toEqual([
      expect.objectContaining({
        actor: { kind: 'operator', id: null, name: null },
        object: expect.objectContaining({ id }),
      }),
    ]);
    await expect(run('--remove', email)).rejects.toThrow('is not on');
    await expect(run('--remove', 'unknown@example.com')).rejects.toThrow('no account');
    for (const args of [[], ['--remove'], [email], ['--remove', email, 'more']]) {
      await expect(run(...args)).rejects.toThrow('npm run second-factor');
    }
  });

  it('leaves neither secret nor recovery codes readable', async () => {
    const { id, secret, codes } = await withSecondFactor();
    const { rows } = await pool.query(
      `select f::text, (select string_agg(c::text, ' ') from operational.recovery_codes c
         where c.factor_id = f.factor_id) as codes
       from operational.second_factors f where user_id = $1`,
      [id],
    );
    const stored = JSON.stringify(rows);
    for (const mark of [
      secret,
      hexOfSecret(secret),
      ...codes,
      ...codes.map((code) => code.replace('-', '')),
    ]) {
      expect(stored).not.toContain(mark);
    }
  });
});
