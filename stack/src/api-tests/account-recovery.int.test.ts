import { openKit } from '@tallyhand/command-service/app/open-kit';
import { EmailAddresses } from '@tallyhand/command-service/features/identity/email-addresses';
import {
  changeProfile,
  requestPasswordReset,
  resetPassword,
  undoEmailChange,
} from '@tallyhand/contracts/features/identity/account.endpoints';
import {
  type CurrentUser,
  getCurrentUser,
  registerUser,
  signIn,
} from '@tallyhand/contracts/features/identity/identity.endpoints';
import type { Problem } from '@tallyhand/contracts/kernel/problem';
import { openPool } from '@tallyhand/service-kit/postgres/pool';
import {
  type ApiClient,
  apiClient,
  registerOrganization,
  testPassword,
} from '@tallyhand/test-kit/api-client';
import { type MailServer, mailThrough, startMailServer } from '@tallyhand/test-kit/mail-server';
import type pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { accountLinkCommand } from '../operator/account-commands.ts';
import { expireLinks, mailedToken, mailsTo } from '../testing/mailed-links.ts';
import { type OwnProduct, startTestProduct } from '../testing/product.ts';

const newPassword = 'another horse battery';

let mail: MailServer;
let product: OwnProduct;
let pool: pg.Pool;
beforeAll(async () => {
  mail = await startMailServer();
  product = await startTestProduct({
    mail: mailThrough(mail),
  });
  pool = openPool(product.config.databaseUrl, 1);
});
afterAll(async () => {
  await pool.end();
  await product[Symbol.asyncDispose]();
  await mail[Symbol.asyncDispose]();
});

const newAddress = () => `${crypto.randomUUID()}@example.com`;

async function statusOfSignIn(email: string, password = testPassword): Promise<number> {
  return (await apiClient(product.url).call(signIn, { body: { email, password } })).status;
}

const forgot = (email: string) =>
  apiClient(product.url).call(requestPasswordReset, { body: { email } });
const reset = (token: string, password = newPassword) =>
  apiClient(product.url).call<Problem>(resetPassword, { body: { token, newPassword: password } });
const undo = (token: string) =>
  apiClient(product.url).call<Problem>(undoEmailChange, { body: { token } });
const changeEmail = (client: ApiClient, email: string, currentPassword = testPassword) =>
  client.call<CurrentUser & Problem>(changeProfile, { body: { email, currentPassword } });

const register = (email: string) =>
  apiClient(product.url).call(registerUser, {
    body: { email, username: 'Another', password: testPassword, organizationName: 'Another' },
  });

describe('a forgotten password', () => {
  it('is set again by a link that works once; all sign-ins end', async () => {
    const { client, user } = await registerOrganization(product.url);
    expect((await forgot(user.email.toUpperCase())).status).toBe(204);
    const token = await mailedToken(mail, { email: user.email, kind: 'reset' });
    const answer = await reset(token);
    expect([answer.status, answer.body]).toEqual([200, { warning: null }]);
    expect((await client.call(getCurrentUser)).status).toBe(401);
    expect(await statusOfSignIn(user.email)).toBe(401);
    expect(await statusOfSignIn(user.email, newPassword)).toBe(200);
    const again = await reset(token, 'yet another horse');
    expect([again.status, again.body.code]).toEqual([409, 'link-not-valid']);
    expect(await statusOfSignIn(user.email, newPassword)).toBe(200);
  });

  it('gets the same answer for an unknown address, and no mail', async () => {
    const unknownAddress = newAddress();
    const { user } = await registerOrganization(product.url);
    const [one, other] = [await forgot(user.email), await forgot(unknownAddress)];
    expect([one.status, one.body]).toEqual([other.status, other.body]);
    await mailedToken(mail, { email: user.email, kind: 'reset' });
    expect(mailsTo(mail, unknownAddress)).toEqual([]);
  });

  it('is not set by a link that is an hour old, forged, or of another kind', async () => {
    const { client, user } = await registerOrganization(product.url);
    await forgot(user.email);
    const token = await mailedToken(mail, { email: user.email, kind: 'reset' });
    await expireLinks(pool, user.id);
    await changeEmail(client, newAddress());
    for (const wrong of [
      token,
      `${token}x`,
      await mailedToken(mail, { email: user.email, kind: 'undo' }),
    ]) {
      const answer = await reset(wrong);
      expect([answer.status, answer.body.code]).toEqual([409, 'link-not-valid']);
    }
  });

  it('is mailed about three times in an hour', async () => {
    const { user } = await registerOrganization(product.url);
    for (let i = 0; i < 3; i += 1) {
      await forgot(user.email);
      await mailedToken(mail, { email: user.email, kind: 'reset' }, i);
    }
    await forgot(user.email);
    // Jobs run in order: this one follows the job of the fourth link.
    const { user: after } = await registerOrganization(product.url);
    await forgot(after.email);
    await mailedToken(mail, { email: after.email, kind: 'reset' });
    expect(mailsTo(mail, user.email)).toHaveLength(3);
  });

  it('leaves no link for a reader of the tables', async () => {
    const { user } = await registerOrganization(product.url);
    await forgot(user.email);
    const token = await mailedToken(mail, { email: user.email, kind: 'reset' });
    const { rows } = await pool.query(
      'select t::text from operational.account_tokens t where user_id = $1',
      [user.id],
    );
    expect(rows).toHaveLength(1);
    expect(JSON.stringify(rows)).not.toContain(token);
  });

  it('is reset by an operator when no mail is sent', async () => {
    const { user } = await registerOrganization(product.url);
    await using opened = await openKit(product.config);
    const { lines, isWell } = await accountLinkCommand('reset')([user.email], opened);
    expect(isWell).toBe(true);
    const [, token = ''] = /^http:\/\/127\.0\.0\.1\/auth\?reset=(\S+)$/.exec(lines[0] ?? '') ?? [];
    expect((await reset(token)).status).toBe(200);
    expect(await statusOfSignIn(user.email, newPassword)).toBe(200);
    await expect(accountLinkCommand('reset')([newAddress()], opened)).rejects.toThrow('no account');
  });
});

describe('an email address', () => {
  it('is changed with the password, and applies immediately', async () => {
    const { client, user } = await registerOrganization(product.url);
    const email = newAddress();
    const { status, body } = await changeEmail(client, email);
    expect([status, body.email]).toEqual([200, email]);
    expect((await client.call<CurrentUser>(getCurrentUser)).body.email).toBe(email);
    expect(await statusOfSignIn(email)).toBe(200);
    expect(await statusOfSignIn(user.email)).toBe(401);
  });

  it('stays where the password is wrong or missing', async () => {
    const { client, user } = await registerOrganization(product.url);
    const wrong = await changeEmail(client, newAddress(), 'wrong');
    expect([wrong.status, wrong.body.errors?.[0]?.path]).toEqual([422, 'currentPassword']);
    const missing = await client.call<Problem>(changeProfile, { body: { email: newAddress() } });
    expect([missing.status, missing.body.errors?.[0]?.path]).toEqual([422, 'currentPassword']);
    expect((await client.call<CurrentUser>(getCurrentUser)).body.email).toBe(user.email);
  });

  it('that is taken is refused, and only one of several concurrent requests gets it', async () => {
    const { user: other } = await registerOrganization(product.url);
    const { client } = await registerOrganization(product.url);
    const taken = await changeEmail(client, other.email);
    expect([taken.status, taken.body.code]).toEqual([409, 'email-taken']);
    const wanted = newAddress();
    const clients = [client];
    for (let i = 0; i < 3; i += 1) clients.push((await registerOrganization(product.url)).client);
    const answers = await Promise.all(clients.map((each) => changeEmail(each, wanted)));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409, 409, 409]);
  });

  it('may be written another way', async () => {
    const { client, user } = await registerOrganization(product.url);
    const email = user.email.toUpperCase();
    expect((await changeEmail(client, email)).body.email).toBe(email);
    expect(await statusOfSignIn(user.email)).toBe(200);
  });

  it('that was given up is reserved for its owner for seven days, then free', async () => {
    const { client, user } = await registerOrganization(product.url);
    await changeEmail(client, newAddress());
    expect((await register(user.email)).status).toBe(409);
    await using opened = await openKit(product.config);
    await new EmailAddresses(opened.kit).releaseHeld();
    expect((await register(user.email)).status).toBe(409);
    await pool.query(
      `update operational.held_addresses set held_until = now() - interval '1 second'
       where user_id = $1`,
      [user.id],
    );
    await new EmailAddresses(opened.kit).releaseHeld();
    expect((await register(user.email)).status).toBe(201);
  });
});

describe('a change of address', () => {
  it('is undone by the link in the mail to the previous address; all sign-ins end', async () => {
    const { client, user } = await registerOrganization(product.url);
    const thief = newAddress();
    await changeEmail(client, thief);
    const token = await mailedToken(mail, { email: user.email, kind: 'undo' });
    await forgot(thief);
    const stolen = await mailedToken(mail, { email: thief, kind: 'reset' });
    expect((await undo(token)).status).toBe(204);
    expect((await client.call(getCurrentUser)).status).toBe(401);
    expect(await statusOfSignIn(thief)).toBe(401);
    expect(await statusOfSignIn(user.email)).toBe(200);
    // Neither that link nor one sent to the thief works any more.
    expect((await undo(token)).body.code).toBe('link-not-valid');
    expect((await reset(stolen)).body.code).toBe('link-not-valid');
    // The thief's address is free again.
    expect((await register(thief)).status).toBe(201);
  });

  it('is undone from the first address, whatever changed later', async () => {
    const { client, user } = await registerOrganization(product.url);
    const [second, third] = [newAddress(), newAddress()];
    await changeEmail(client, second);
    await changeEmail(client, third);
    const own = await mailedToken(mail, { email: user.email, kind: 'undo' });
    const thiefs = await mailedToken(mail, { email: second, kind: 'undo' });
    expect((await undo(own)).status).toBe(204);
    expect((await undo(thiefs)).body.code).toBe('link-not-valid');
    expect(await statusOfSignIn(user.email)).toBe(200);
  });

  it('is not undone after seven days', async () => {
    const { client, user } = await registerOrganization(product.url);
    await changeEmail(client, newAddress());
    const token = await mailedToken(mail, { email: user.email, kind: 'undo' });
    await expireLinks(pool, user.id);
    expect((await undo(token)).body.code).toBe('link-not-valid');
  });
});
