import { createAgent, listAgents } from '@tallyhand/contracts/features/agents/agents.endpoints';
import { changePassword } from '@tallyhand/contracts/features/identity/account.endpoints';
import {
  type CurrentUser,
  getCurrentUser,
  registerUser,
  signIn,
} from '@tallyhand/contracts/features/identity/identity.endpoints';
import {
  changeMember,
  getInvitationByToken,
  type Invitation,
  type IssuedInvitation,
  issueInvitation,
  listInvitations,
  listMembers,
  listOutbox,
  type Member,
  type OutgoingMail,
  removeMember,
  resendInvitation,
  restoreMember,
  revokeInvitation,
} from '@tallyhand/contracts/features/team/team.endpoints';
import type { Problem } from '@tallyhand/contracts/kernel/problem';
import {
  type ApiAnswer,
  type ApiClient,
  agentInput,
  apiClient,
  registerOrganization,
  testPassword,
} from '@tallyhand/test-kit/api-client';
import { type MailServer, startMailServer } from '@tallyhand/test-kit/mail-server';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { joinAs } from '../testing/members.ts';
import { type OwnProduct, sharedProduct, startTestProduct } from '../testing/product.ts';

let server: MailServer;
let product: OwnProduct;

beforeAll(async () => {
  server = await startMailServer();
  const mail = { smtpUrl: server.url, from: 'tallyhand@example.com' };
  product = await startTestProduct({ mail });
});
afterAll(async () => {
  await product[Symbol.asyncDispose]();
  await server[Symbol.asyncDispose]();
});

const answered = ({ status, body }: ApiAnswer) => [status, (body as Problem | null)?.code];
const someone = () => `${crypto.randomUUID()}@example.com`;
const roleOf = async (client: ApiClient) =>
  (await client.call<CurrentUser>(getCurrentUser)).body.role;
const memberOf = async (admin: ApiClient, id: string) =>
  (await admin.call<Member[]>(listMembers)).body.find((member) => member.id === id);
const login = (email: string) =>
  apiClient(product.url).call(signIn, { body: { email, password: testPassword } });
const register = (email: string, invite: string) =>
  apiClient(product.url).call<{ user: CurrentUser }>(registerUser, {
    body: { email, username: 'Somebody', password: testPassword, invite },
  });

describe('a member', () => {
  it('has another role from the next request on', async () => {
    const { client: admin } = await registerOrganization(product.url);
    const { client, user } = await joinAs(admin, product.url, 'Viewer');
    expect((await client.call(createAgent, { body: agentInput })).status).toBe(403);
    const params = { id: user.id };
    const changed = await admin.call(changeMember, { params, body: { role: 'Editor' } });
    expect(changed.body).toMatchObject({ id: user.id, role: 'Editor', status: 'active' });
    expect((await client.call(createAgent, { body: agentInput })).status).toBe(201);
    expect((await memberOf(admin, user.id))?.role).toBe('Editor');
    await admin.call(changeMember, { params, body: { role: 'Viewer' } });
    expect((await client.call(createAgent, { body: agentInput })).status).toBe(403);
  });

  it('who is removed is signed out at the next request, and their objects stay', async () => {
    const { client: admin } = await registerOrganization(product.url);
    const { client, user } = await joinAs(admin, product.url, 'Editor');
    await client.call(createAgent, { body: agentInput });
    const params = { id: user.id };
    expect((await admin.call(removeMember, { params })).status).toBe(204);
    expect(answered(await client.call(getCurrentUser))).toEqual([401, 'not-signed-in']);
    expect(answered(await client.call(createAgent, { body: agentInput }))[0]).toBe(401);
    expect(answered(await login(user.email))).toEqual([401, 'wrong-credentials']);
    expect((await memberOf(admin, user.id))?.status).toBe('deactivated');
    expect((await admin.call<unknown[]>(listAgents)).body).toHaveLength(1);
    const change = { params, body: { role: 'Viewer' } };
    expect(answered(await admin.call(changeMember, change))).toEqual([409, 'member-not-active']);
  });

  it('regains the previous role, and signs in again', async () => {
    const { client: admin } = await registerOrganization(product.url);
    const { client, user } = await joinAs(admin, product.url, 'Editor');
    const params = { id: user.id };
    await admin.call(removeMember, { params });
    const restored = await admin.call(restoreMember, { params });
    expect(restored.body).toMatchObject({ id: user.id, role: 'Editor', status: 'active' });
    // What was open before stays closed.
    expect((await client.call(getCurrentUser)).status).toBe(401);
    expect((await login(user.email)).status).toBe(200);
    expect((await memberOf(admin, user.id))?.status).toBe('active');
    expect((await admin.call(restoreMember, { params })).status).toBe(200);
  });

  it('who was removed can be invited again, and cannot be readmitted then', async () => {
    const { client: admin } = await registerOrganization(product.url);
    const { user } = await joinAs(admin, product.url, 'Viewer');
    const params = { id: user.id };
    await admin.call(removeMember, { params });
    const body = { email: user.email, role: 'Editor' };
    const { token } = (await admin.call<IssuedInvitation>(issueInvitation, { body })).body;
    const joined = await register(user.email, token);
    expect(joined.status).toBe(201);
    expect(joined.body.user.id).not.toBe(user.id);
    const restored = await admin.call(restoreMember, { params });
    expect(answered(restored)).toEqual([409, 'member-address-taken']);
    expect((await memberOf(admin, user.id))?.status).toBe('deactivated');
  });

  it('cannot be changed by the Admin concerned: no one removes or demotes themselves', async () => {
    const { client: admin, user } = await registerOrganization(product.url);
    await joinAs(admin, product.url, 'Admin');
    const params = { id: user.id };
    const refused = [409, 'own-membership'];
    expect(answered(await admin.call(removeMember, { params }))).toEqual(refused);
    const change = { params, body: { role: 'Viewer' } };
    expect(answered(await admin.call(changeMember, change))).toEqual(refused);
  });

  it('keeps one of two Admins who demote or remove each other at once', async () => {
    const endings = [changeMember, removeMember, changeMember, removeMember];
    for (const call of endings) {
      const { client: one, user } = await registerOrganization(product.url);
      const { client: other, user: second } = await joinAs(one, product.url, 'Admin');
      const body = call === changeMember ? { role: 'Viewer' } : undefined;
      const answers = await Promise.all([
        one.call(call, { params: { id: second.id }, body }),
        other.call(call, { params: { id: user.id }, body }),
      ]);
      const won = answers.filter(({ status }) => status < 300);
      expect(won).toHaveLength(1);
      const roles = await Promise.all([one, other].map(roleOf));
      expect(roles.filter((role) => role === 'Admin')).toHaveLength(1);
    }
  });
});

describe('an invitation by mail', () => {
  const invitationOf = async (admin: ApiClient, id: string) =>
    (await admin.call<Invitation[]>(listInvitations)).body.find((each) => each.id === id);
  const mailTo = (email: string) => server.received.filter(({ to }) => to.includes(email));
  const mailState = (admin: ApiClient, id: string) =>
    expect.poll(async () => (await invitationOf(admin, id))?.mail?.state);
  async function invited(admin: ApiClient, message?: string) {
    const body = { email: someone(), role: 'Editor', ...(message ? { message } : {}) };
    return (await admin.call<IssuedInvitation>(issueInvitation, { body })).body;
  }
  async function leadsTo(admin: ApiClient, token: string) {
    // A visitor's read waits for no change: the views have caught up after one of the Admin's.
    await admin.call(listInvitations);
    const params = { token };
    return apiClient(product.url).call<Problem>(getInvitationByToken, { params });
  }

  it('reaches its address with the words and the link, and lets them in', async () => {
    const { client: admin, user } = await registerOrganization(product.url);
    const { id, email, delivery, url, token } = await invited(admin, 'Join <us>\nSoon');
    expect(delivery).toBe('mail');
    await mailState(admin, id).toBe('sent');
    expect(await invitationOf(admin, id)).toMatchObject({
      delivery: 'mail',
      resent: 0,
      status: 'pending',
      mail: { state: 'sent', error: null },
    });
    const [mail, ...more] = mailTo(email);
    expect(more).toEqual([]);
    expect(mail?.text).toContain(user.organization.name);
    expect(mail?.text).toContain('> Join <us>');
    expect(mail?.text).toContain(url);
    expect((await register(email, token)).status).toBe(201);
  });

  it('that is resent has a new expiry and a new link, and the old link reports that', async () => {
    const { client: admin } = await registerOrganization(product.url);
    const { id, email, token, expiresAt } = await invited(admin);
    await mailState(admin, id).toBe('sent');
    const again = await admin.call<IssuedInvitation>(resendInvitation, { params: { id } });
    expect(again.status).toBe(200);
    expect(again.body).toMatchObject({ id, email, role: 'Editor', delivery: 'mail' });
    expect(Date.parse(again.body.expiresAt)).toBeGreaterThan(Date.parse(expiresAt));
    await expect.poll(() => mailTo(email).length).toBe(2);
    expect(mailTo(email)[1]?.text).toContain(again.body.url);
    expect((await invitationOf(admin, id))?.resent).toBe(1);
    const old = await leadsTo(admin, token);
    expect([...answered(old), old.body.detail]).toEqual([
      409,
      'invitation-not-valid',
      'A newer invitation has been sent. Use its link instead.',
    ]);
    expect(answered(await register(email, token))).toEqual([409, 'invitation-not-valid']);
    expect((await leadsTo(admin, again.body.token)).status).toBe(200);
    expect((await register(email, again.body.token)).status).toBe(201);
    const late = await admin.call(resendInvitation, { params: { id } });
    expect(answered(late)).toEqual([409, 'invitation-already-accepted']);
  });

  it('that is refused reports why, and can be resent when its address is corrected', async () => {
    const { client: admin } = await registerOrganization(product.url);
    server.behave('refuses the recipient');
    const { id } = await invited(admin);
    await mailState(admin, id).toBe('failed');
    expect((await invitationOf(admin, id))?.mail?.error).toContain('no such mailbox');
    server.behave('takes');
    await admin.call(resendInvitation, { params: { id } });
    await mailState(admin, id).toBe('sent');
  });

  it('that is revoked informs the visitor who follows its link', async () => {
    const { client: admin } = await registerOrganization(product.url);
    const { id, token } = await invited(admin);
    await admin.call(revokeInvitation, { params: { id } });
    const found = await leadsTo(admin, token);
    expect(found.body.detail).toBe('This invitation has been revoked. Ask for a new one.');
    const again = await admin.call(resendInvitation, { params: { id } });
    expect(answered(again)).toEqual([409, 'invitation-not-valid']);
  });

  it('is sent although the process died before it was stored, and who was removed is out', async () => {
    const { client: admin } = await registerOrganization(product.url);
    const { client, user } = await joinAs(admin, product.url, 'Editor');
    const { client: kept, user: other } = await joinAs(admin, product.url, 'Editor');
    const { cookies } = client;
    const before = new Map(cookies);
    await admin.call(removeMember, { params: { id: user.id } });
    await admin.call(changeMember, { params: { id: other.id }, body: { role: 'Viewer' } });
    const { id, email } = await invited(admin);
    await mailState(admin, id).toBe('sent');
    // Neither the mail nor the access of the two members has followed what was recorded.
    await product.restart(async () => {
      const db = new pg.Client({ connectionString: product.config.databaseUrl });
      await db.connect();
      await db.query(
        `update operational.access set is_active = true, role = 'Editor'
         where user_id = any($1)`,
        [[user.id, other.id]],
      );
      await db.query('update operational.sign_ins set ended_at = null where user_id = $1', [
        user.id,
      ]);
      await db.query('delete from operational.outgoing_mail where about_id = $1', [id]);
      await db.query('delete from operational.reaction_checkpoints');
      await db.end();
    });
    for (const [name, value] of before) cookies.set(name, value);
    const status = async () => (await client.call(getCurrentUser)).status;
    await expect.poll(status).toBe(401);
    await expect
      .poll(async () => (await kept.call(createAgent, { body: agentInput })).status)
      .toBe(403);
    await expect.poll(() => mailTo(email).length).toBe(2);
  });
});

describe('the outbox', () => {
  it('shows an Admin the mails of the organization, newest first', async () => {
    const { client: admin } = await registerOrganization(product.url);
    const { client: stranger } = await registerOrganization(product.url);
    const first = { email: someone(), role: 'Viewer' };
    const { id, url } = (await admin.call<IssuedInvitation>(issueInvitation, { body: first })).body;
    await admin.call(issueInvitation, { body: { email: someone(), role: 'Viewer' } });
    const { body: mails } = await admin.call<OutgoingMail[]>(listOutbox);
    expect(mails).toHaveLength(2);
    expect(mails[1]).toMatchObject({ kind: 'invitation', to: first.email });
    expect(mails[1]?.text).toContain(url);
    expect((await stranger.call<OutgoingMail[]>(listOutbox)).body).toEqual([]);
    const page = await admin.send<OutgoingMail[]>('GET', '/api/outbox?limit=1');
    expect(page.body).toHaveLength(1);
    expect(page.headers.get('link')).toContain('cursor=');
    expect(id).toBeDefined();
  });

  it("shows no mail about a member's own account, sent or not", async () => {
    const offline = await sharedProduct();
    for (const { url } of [product, offline]) {
      const { client: admin } = await registerOrganization(url);
      const { client: member, user } = await joinAs(admin, url, 'Editor');
      const body = { currentPassword: testPassword, newPassword: 'another horse battery' };
      expect((await member.call(changePassword, { body })).status).toBe(200);
      const received = () =>
        server.received.filter(
          ({ to, text }) =>
            to.includes(user.email) && text.includes('Your Tallyhand password was changed'),
        );
      if (url === product.url) await expect.poll(() => received().length).toBe(1);
      const { body: mails } = await admin.call<OutgoingMail[]>(listOutbox);
      expect(mails.map(({ kind }) => kind)).toEqual(['invitation']);
    }
  });

  it('keeps invitations where no mail server is set up', async () => {
    const offline = await sharedProduct();
    const { client: admin } = await registerOrganization(offline.url);
    const body = { email: someone(), role: 'Viewer' };
    const issued = (await admin.call<IssuedInvitation>(issueInvitation, { body })).body;
    expect(issued.delivery).toBe('link');
    const { body: mails } = await admin.call<OutgoingMail[]>(listOutbox);
    expect(mails).toMatchObject([{ state: 'kept', to: body.email, tries: 0 }]);
    expect(mails[0]?.text).toContain(issued.url);
    await admin.call(revokeInvitation, { params: { id: issued.id } });
    expect((await admin.call(listOutbox)).body).toEqual([]);
  });
});
