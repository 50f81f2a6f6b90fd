import { erasePerson } from '@tallyhand/contracts/features/identity/account.endpoints';
import { registerUser } from '@tallyhand/contracts/features/identity/identity.endpoints';
import {
  checkInvitation,
  type Invitation,
  type InvitationLink,
  type IssuedInvitation,
  issueInvitation,
  listInvitations,
  renewInvitationLink,
  resendInvitation,
  revokeInvitation,
} from '@tallyhand/contracts/features/team/team.endpoints';
import type { Problem } from '@tallyhand/contracts/kernel/problem';
import {
  type ApiClient,
  apiClient,
  registerOrganization,
  testPassword,
} from '@tallyhand/test-kit/api-client';
import { type MailServer, mailThrough, startMailServer } from '@tallyhand/test-kit/mail-server';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { audited } from '../testing/audit-pages.ts';
import { mailsTo } from '../testing/mailed-links.ts';
import { type OwnProduct, startTestProduct } from '../testing/product.ts';

let mail: MailServer;
let product: OwnProduct;
beforeAll(async () => {
  mail = await startMailServer();
  product = await startTestProduct({
    mail: mailThrough(mail),
  });
});
afterAll(async () => {
  await product[Symbol.asyncDispose]();
  await mail[Symbol.asyncDispose]();
});

const newAddress = () => `${crypto.randomUUID()}@example.com`;
const invite = (admin: ApiClient, email: string) =>
  admin.call<IssuedInvitation>(issueInvitation, { body: { email, role: 'Editor' } });
const check = (token: string) =>
  apiClient(product.url).call<Problem>(checkInvitation, { body: { token } });
const join = (email: string, token: string) =>
  apiClient(product.url).call<Problem>(registerUser, {
    body: { email, username: 'Ada', password: testPassword, invite: token },
  });

/** What an Admin can see of an invitation, without values that always differ. */
async function seenOf(admin: ApiClient, email: string) {
  const issued = await invite(admin, email);
  const { id } = issued.body;
  await expect.poll(() => mailsTo(mail, email).length).toBe(1);
  const resent = await admin.call<IssuedInvitation>(resendInvitation, { params: { id } });
  await expect.poll(() => mailsTo(mail, email).length).toBe(2);
  const found = async () => {
    const { body } = await admin.call<Invitation[]>(listInvitations);
    return body.find((each) => each.id === id);
  };
  await expect.poll(async () => (await found())?.mail?.state).toBe('sent');
  const entries = await audited(admin, {});
  const of = (value: object) =>
    JSON.stringify(value)
      .replaceAll(email, 'ADDRESS')
      .replaceAll(id, 'ID')
      .replaceAll(/"(token|url|createdAt|expiresAt)":"[^"]*"/g, '"$1":""');
  return {
    issued: [issued.status, of(issued.body), [...issued.headers.keys()].toSorted()],
    resent: [resent.status, of(resent.body)],
    listed: of((await found()) ?? {}),
    recorded: entries.filter((entry) => JSON.stringify(entry).includes(id)).map(({ type }) => type),
  };
}

describe('an invitation of an address that has an account in another organization', () => {
  it('is answered, mailed, sent again and listed as one of an unknown address', async () => {
    const { client: admin } = await registerOrganization(product.url);
    const { user } = await registerOrganization(product.url);
    const elsewhere = await seenOf(admin, user.email);
    expect(elsewhere).toEqual(await seenOf(admin, newAddress()));
    expect(elsewhere.issued[0]).toBe(201);
  });

  it('informs the invited person who opens it, and offers an alternative', async () => {
    const { client: admin } = await registerOrganization(product.url);
    const { client: person, user } = await registerOrganization(product.url);
    const { token } = (await invite(admin, user.email.toUpperCase())).body;
    const refused = await check(token);
    expect([refused.status, refused.body.code]).toEqual([409, 'email-has-account']);
    expect(refused.body.params).toEqual({ reason: 'elsewhere' });
    expect(refused.body.detail).toContain('erase that account');
    expect((await join(user.email, token)).body.code).toBe('email-taken');
    // The offered way leads in.
    await person.call(erasePerson, { body: { password: testPassword } });
    await expect.poll(async () => (await check(token)).status).toBe(204);
    expect((await join(user.email, token)).status).toBe(201);
  });
});

describe('the check of an invitation', () => {
  it('has no objection to an unknown address, and none to a link', async () => {
    const { client: admin } = await registerOrganization(product.url);
    const { token } = (await invite(admin, newAddress())).body;
    expect((await check(token)).status).toBe(204);
    const link = await admin.call<InvitationLink>(renewInvitationLink);
    expect((await check(link.body.token)).status).toBe(204);
  });

  it('reports that the person is already a member, or that it has ended', async () => {
    const { client: admin } = await registerOrganization(product.url);
    const email = newAddress();
    const [first, second] = [await invite(admin, email), await invite(admin, email)];
    expect((await join(email, first.body.token)).status).toBe(201);
    expect((await check(first.body.token)).body.params).toEqual({ reason: 'used' });
    expect((await check(second.body.token)).body.params).toEqual({ reason: 'member' });
    await admin.call(revokeInvitation, { params: { id: second.body.id } });
    expect((await check(second.body.token)).body.params).toEqual({ reason: 'revoked' });
    expect((await check('forged')).body.params).toEqual({ reason: 'unknown' });
  });
});
