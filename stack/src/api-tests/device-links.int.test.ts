import { openKit } from '@tallyhand/command-service/app/open-kit';
import {
  beginSecondFactor,
  confirmSecondFactor,
  erasePerson,
  makeDeviceKnown,
  requestDeviceLink,
  requestPasswordReset,
  resetPassword,
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
import { type MailServer, mailThrough, startMailServer } from '@tallyhand/test-kit/mail-server';
import type pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { accountLinkCommand } from '../operator/account-commands.ts';
import { expireLinks, mailedToken, mailsTo, shownCode } from '../testing/mailed-links.ts';
import { type OwnProduct, startTestProduct } from '../testing/product.ts';

const WRONG = 'a wrong password';

let mail: MailServer;
let product: OwnProduct;
let pool: pg.Pool;
beforeAll(async () => {
  mail = await startMailServer();
  product = await startTestProduct({
    trustProxy: true,
    rateLimitScale: 1,
    mail: mailThrough(mail),
  });
  pool = openPool(product.config.databaseUrl, 1);
});
afterAll(async () => {
  await pool.end();
  await product[Symbol.asyncDispose]();
  await mail[Symbol.asyncDispose]();
});

/** Each call from its own address: requests are limited by address. */
let addresses = 0;
const fromElsewhere = () => {
  addresses += 1;
  return { 'x-forwarded-for': `198.51.${addresses >> 8}.${addresses & 255}` };
};

const newAddress = () => `${crypto.randomUUID()}@example.com`;
const newDevice = () => apiClient(product.url);
const signInAs = (device: ApiClient, email: string, password: string, code?: string) =>
  device.call<Problem>(signIn, {
    body: { email, password, ...(code === undefined ? {} : { code }) },
    headers: fromElsewhere(),
  });
const requestLink = (email: string) =>
  newDevice().call(requestDeviceLink, { body: { email }, headers: fromElsewhere() });
const openLink = (device: ApiClient, token: string) =>
  device.call<Problem>(makeDeviceKnown, { body: { token }, headers: fromElsewhere() });

/** As many wrong passwords from strangers as make every new device wait. */
async function throttle(email: string) {
  for (let i = 0; i < 20; i += 1) {
    expect((await signInAs(newDevice(), email, WRONG)).status).toBe(401);
  }
}

describe('a link that makes a device known', () => {
  it('lets the owner in on a new device while strangers’ guesses make others wait', async () => {
    const { user } = await registerOrganization(product.url);
    await throttle(user.email);
    const device = newDevice();
    const refused = await signInAs(device, user.email, testPassword);
    expect([refused.status, refused.body.code]).toEqual([429, 'too-many-attempts']);
    expect(refused.body.params).toMatchObject({ deviceLink: 'by-mail' });
    expect(refused.body.detail).toContain('request a link by email');
    expect((await requestLink(user.email.toUpperCase())).status).toBe(204);
    const token = await mailedToken(mail, { email: user.email, kind: 'device' });
    expect((await openLink(device, token)).status).toBe(204);
    expect((await signInAs(device, user.email, WRONG)).status).toBe(401);
    expect((await signInAs(device, user.email, testPassword)).status).toBe(200);
    // Others wait as before.
    expect((await signInAs(newDevice(), user.email, testPassword)).status).toBe(429);
  });

  it('does not change the second factor', async () => {
    const { client, user } = await registerOrganization(product.url);
    const begun = await client.call<{ secret: string }>(beginSecondFactor, {
      body: { password: testPassword },
    });
    const { secret } = begun.body;
    await client.call(confirmSecondFactor, { body: { code: shownCode(secret) } });
    await throttle(user.email);
    await requestLink(user.email);
    const device = newDevice();
    await openLink(device, await mailedToken(mail, { email: user.email, kind: 'device' }));
    const without = await signInAs(device, user.email, testPassword);
    expect([without.status, without.body.code]).toEqual([401, 'second-factor-required']);
    const right = await signInAs(device, user.email, testPassword, shownCode(secret, 1));
    expect(right.status).toBe(200);
  });

  it('works once, within an hour, for its own purpose only', async () => {
    const { user } = await registerOrganization(product.url);
    await requestLink(user.email);
    const used = await mailedToken(mail, { email: user.email, kind: 'device' });
    expect((await openLink(newDevice(), used)).status).toBe(204);
    await requestLink(user.email);
    const expired = await mailedToken(mail, { email: user.email, kind: 'device' }, 1);
    await expireLinks(pool, user.id);
    const options = { body: { email: user.email }, headers: fromElsewhere() };
    await newDevice().call(requestPasswordReset, options);
    const reset = await mailedToken(mail, { email: user.email, kind: 'reset' });
    for (const wrong of [used, expired, reset, `${reset}x`]) {
      const device = newDevice();
      const answer = await openLink(device, wrong);
      expect([answer.status, answer.body.code]).toEqual([409, 'link-not-valid']);
      expect([...device.cookies.keys()]).toEqual([]);
    }
    await requestLink(user.email);
    const token = await mailedToken(mail, { email: user.email, kind: 'device' }, 2);
    const asReset = await newDevice().call<Problem>(resetPassword, {
      body: { token, newPassword: 'another horse battery' },
      headers: fromElsewhere(),
    });
    expect([asReset.status, asReset.body.code]).toEqual([409, 'link-not-valid']);
  });

  it('can be handed out by an operator where no mail is sent', async () => {
    const { user } = await registerOrganization(product.url);
    await throttle(user.email);
    await using opened = await openKit(product.config);
    const { lines } = await accountLinkCommand('device')([user.email], opened);
    const [, token = ''] = /\/auth\?device=(\S+)$/.exec(lines[0] ?? '') ?? [];
    const device = newDevice();
    expect((await openLink(device, token)).status).toBe(204);
    expect((await signInAs(device, user.email, testPassword)).status).toBe(200);
    const refused = accountLinkCommand('device')([newAddress()], opened);
    await expect(refused).rejects.toThrow('no account');
  });
});

describe('a browser on which several accounts sign in', () => {
  const register = async () => (await registerOrganization(product.url)).user.email;
  const signedIn = async (device: ApiClient, email: string) =>
    expect((await signInAs(device, email, testPassword)).status).toBe(200);

  it('is known to each of them, the eight latest at most', async () => {
    const device = newDevice();
    const [first, second] = [await register(), await register()];
    for (const email of [first, second]) await signedIn(device, email);
    for (const email of [first, second]) await throttle(email);
    for (const email of [first, second]) await signedIn(device, email);
    for (let others = 0; others < 7; others += 1) await signedIn(device, await register());
    // The first was here the longest ago.
    expect((await signInAs(device, first, testPassword)).status).toBe(429);
    await signedIn(device, second);
    const cookie = device.cookies.get('tallyhand_device') ?? '';
    expect(cookie.length).toBeGreaterThan(0);
    expect(cookie.length).toBeLessThan(1_500);
  });

  it('stays known to the others when a link makes it known to one', async () => {
    const device = newDevice();
    const [first, second] = [await register(), await register()];
    await signedIn(device, first);
    await throttle(first);
    await throttle(second);
    await requestLink(second);
    await openLink(device, await mailedToken(mail, { email: second, kind: 'device' }));
    for (const email of [first, second]) await signedIn(device, email);
  });

  it('stays known to the others when one is erased', async () => {
    const device = newDevice();
    const [first, second] = [await register(), await register()];
    for (const email of [first, second]) await signedIn(device, email);
    const erased = await device.call(erasePerson, { body: { password: testPassword } });
    expect(erased.status).toBeLessThan(300);
    await throttle(first);
    await signedIn(device, first);
  });
});

describe('an address without an account', () => {
  const comparable = ({ correlationId: _, params, ...rest }: Problem) => ({
    ...rest,
    params: { ...params, retryAfterSeconds: 0 },
    detail: rest.detail.replace(/\d+ minutes/, ''),
  });

  it('is throttled in the same words, and a link for it is answered alike', async () => {
    const unknownAddress = newAddress();
    const { user } = await registerOrganization(product.url);
    await throttle(unknownAddress);
    await throttle(user.email);
    const [unknown, known] = [
      await signInAs(newDevice(), unknownAddress, testPassword),
      await signInAs(newDevice(), user.email, testPassword),
    ];
    expect([unknown.status, comparable(unknown.body)]).toEqual([
      known.status,
      comparable(known.body),
    ]);
    const [one, other] = [await requestLink(unknownAddress), await requestLink(user.email)];
    expect([one.status, one.body]).toEqual([other.status, other.body]);
    const names = (headers: Headers) => [...headers.keys()].toSorted();
    expect(names(one.headers)).toEqual(names(other.headers));
    await mailedToken(mail, { email: user.email, kind: 'device' });
    expect(mailsTo(mail, unknownAddress)).toEqual([]);
  });
});
