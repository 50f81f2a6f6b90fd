import { newId } from '@tallyhand/service-kit/crypto/ids';
import { openMail } from '@tallyhand/service-kit/crypto/sealed-box';
import { type MailServer, startMailServer, startOddServer } from '@tallyhand/test-kit/mail-server';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openTestKit, type TestKit } from '../testing/backends.ts';
import { losingPool } from '../testing/losing-pool.ts';
import { deliverMail, MAIL_TIMES, type MailTimes } from './deliver.ts';
import { type Mail, mailerOf } from './mailer.ts';

const FROM = 'Tallyhand <tallyhand@example.com>';
/** Soon enough for a test, and without an end by themselves. */
const SOON: MailTimes = {
  ...MAIL_TIMES,
  retryMs: 20,
  retryMsMax: 40,
  lookMs: 10,
  smtp: { connectMs: 400, silenceMs: 400, totalMs: 3_000 },
};
const organizationId = newId();

let kit: TestKit;
let server: MailServer;

beforeAll(async () => {
  kit = await openTestKit();
  server = await startMailServer();
});
beforeEach(async () => {
  server.behave('takes');
  await kit.admin.query('delete from operational.outgoing_mail');
});
afterAll(async () => {
  await server[Symbol.asyncDispose]();
  await kit[Symbol.asyncDispose]();
});

const mailFor = (to: string, more: Partial<Mail> = {}): Mail => ({
  id: newId(),
  organizationId,
  kind: 'invitation',
  to,
  recipientId: null,
  text: { subject: 'Hello', paragraphs: ['<b>Hello</b>'], footer: 'Why it came.' },
  ...more,
});
const someone = () => `${newId()}@example.com`;

type Row = { state: string; tries: number; error: string | null };

/** The kit's mailer, configured with a mail server at this address. */
function mailerAt(smtpUrl: string | null) {
  const { kit: own } = kit.opened;
  const mail = smtpUrl === null ? undefined : { smtpUrl, from: FROM };
  return mailerOf({ ...own, settings: { ...own.settings, mail } });
}
const sendTo = (url: string, times: Partial<MailTimes> = {}) =>
  deliverMail(kit.opened.kit, kit.opened.url, { smtpUrl: url, from: FROM }, { ...SOON, ...times });
async function rowOf(id: string): Promise<Row | undefined> {
  const { rows } = await kit.admin.query<Row>(
    'select state, tries, error from operational.outgoing_mail where mail_id = $1',
    [id],
  );
  return rows[0];
}
const stateOf = async (id: string) => (await rowOf(id))?.state;
/** With `settle` time for a try and more. */
const comesTo = (id: string, state: string) => expect.poll(() => stateOf(id)).toBe(state);
const gotBy = (to: string, at = server) => at.received.filter((mail) => mail.to.includes(to));

describe('mail of many organizations', () => {
  it('of another one is sent while one floods a server that does not answer it', async () => {
    server.behave('never answers the message');
    const mailer = mailerAt(server.url);
    const flood = Array.from({ length: 20 }, () => mailFor(someone()));
    for (const mail of flood) await mailer.send(mail);
    const states = async () => {
      const { rows } = await kit.admin.query<{ state: string }>(
        'select state from operational.outgoing_mail where mail_id = any($1) and tries > 0',
        [flood.map(({ id }) => id)],
      );
      return rows.map(({ state }) => state);
    };
    const patient = { connectMs: 60_000, silenceMs: 60_000, totalMs: 60_000 };
    await using _ = await sendTo(server.url, { smtp: patient });
    const arrived = () => flood.filter(({ to }) => gotBy(to).length > 0);
    await expect.poll(() => arrived().length).toBe(4);
    server.behave('takes');
    const other = mailFor(someone(), { organizationId: newId() });
    await mailer.send(other);
    await comesTo(other.id, 'sent');
    expect(await states()).toEqual(Array(4).fill('sending'));
  });
});

describe('a mail', () => {
  it('is sent once, however often it is requested', async () => {
    const mail = mailFor(someone(), { aboutId: newId() });
    await using _ = await sendTo(server.url);
    expect(await mailerAt(server.url).send(mail)).toBe('mail');
    await Promise.all([1, 2, 3].map(() => mailerAt(server.url).send(mail)));
    await comesTo(mail.id, 'sent');
    const [got, ...more] = gotBy(mail.to);
    expect(more).toEqual([]);
    expect(got?.text).toContain(`Message-ID: <${mail.id}@example.com>`);
    expect(got?.text).toContain('Auto-Submitted: auto-generated');
    expect(got?.text).toContain('&lt;b&gt;Hello&lt;/b&gt;');
    expect(got?.text).not.toMatch(/<img|<link|url\(/);
  });

  it('is stored sealed while it waits', async () => {
    const mail = mailFor(someone());
    await mailerAt(server.url).send(mail);
    const { rows } = await kit.admin.query<{ row: string; sealed: Buffer }>(
      'select m::text as row, sealed from operational.outgoing_mail m where mail_id = $1',
      [mail.id],
    );
    const bytes = `${rows[0]?.row}${rows[0]?.sealed.toString('latin1')}`;
    expect(bytes).not.toContain(mail.to);
    expect(bytes).not.toContain('Hello');
    const content = openMail(kit.opened.kit.box, mail.id, rows[0]?.sealed ?? Buffer.alloc(0));
    expect(content).toMatchObject({ to: mail.to, subject: 'Hello' });
    await using _ = await sendTo(server.url);
    await comesTo(mail.id, 'sent');
  });

  it('is not tried again when its recipient or its words are refused', async () => {
    await using _ = await sendTo(server.url);
    for (const behaviour of ['refuses the recipient', 'refuses the message'] as const) {
      server.behave(behaviour);
      const mail = mailFor(someone());
      await mailerAt(server.url).send(mail);
      await comesTo(mail.id, 'failed');
      const row = await rowOf(mail.id);
      expect(row?.tries).toBe(1);
      expect(row?.error).toMatch(/no such mailbox|spam/);
      expect(row?.error).not.toContain(mail.to);
    }
  });

  it('is retried when the server refuses it temporarily', async () => {
    server.behave('is full');
    const mail = mailFor(someone());
    await mailerAt(server.url).send(mail);
    await using _ = await sendTo(server.url);
    await expect.poll(async () => (await rowOf(mail.id))?.tries).toBeGreaterThan(2);
    expect((await rowOf(mail.id))?.error).toContain('mailbox full');
    server.behave('takes');
    await comesTo(mail.id, 'sent');
    expect(gotBy(mail.to)).toHaveLength(1);
  });

  it('fails when it could not be sent for too long', async () => {
    server.behave('is full');
    const mail = mailFor(someone());
    await mailerAt(server.url).send(mail);
    await using _ = await sendTo(server.url, { giveUpMs: 10 });
    await comesTo(mail.id, 'failed');
  });

  it.each(['never answers the message', 'hangs up after the message'] as const)(
    'is uncertain, and not repeated, when a server %s',
    async (behaviour) => {
      server.behave(behaviour);
      const mail = mailFor(someone());
      await mailerAt(server.url).send(mail);
      await using _ = await sendTo(server.url);
      await comesTo(mail.id, 'uncertain');
      server.behave('takes');
      const next = mailFor(someone());
      await mailerAt(server.url).send(next);
      await comesTo(next.id, 'sent');
      expect(gotBy(mail.to)).toHaveLength(1);
      expect((await rowOf(mail.id))?.tries).toBe(1);
    },
  );

  it('is uncertain, and not repeated, when the process died during the attempt', async () => {
    const mail = mailFor(someone());
    await mailerAt(server.url).send(mail);
    await kit.admin.query(
      `update operational.outgoing_mail set state = 'sending', tries = 1 where mail_id = $1`,
      [mail.id],
    );
    await using _ = await sendTo(server.url);
    await comesTo(mail.id, 'uncertain');
    expect(gotBy(mail.to)).toEqual([]);
  });

  it.each([
    ['its taking', /set state = 'sending'/, true],
    ['its end', /set state = \$2/, false],
  ])('is sent once where the database goes away at %s', async (_, statement, isCarriedOut) => {
    const { kit: own, url } = kit.opened;
    const pool = losingPool(own.pool, statement, { isCarriedOut });
    const mail = mailFor(someone(), { organizationId: newId() });
    await mailerAt(server.url).send(mail);
    const settings = { smtpUrl: server.url, from: FROM };
    const times = { ...SOON, smtp: { ...SOON.smtp, totalMs: 1_000 } };
    await using _delivery = await deliverMail({ ...own, pool }, url, settings, times);
    await comesTo(mail.id, 'sent');
    expect(gotBy(mail.to)).toHaveLength(1);
  });

  it('of an organization that has sent too much in an hour waits, and others do not', async () => {
    const busy = newId();
    await kit.admin.query(
      `insert into operational.outgoing_mail
         (mail_id, organization_id, kind, sealed, state, began_at)
       select gen_random_uuid(), $1, 'invitation', '', 'sent', now() from generate_series(1, 300)`,
      [busy],
    );
    const held = mailFor(someone(), { organizationId: busy });
    const free = mailFor(someone(), { organizationId: null });
    await mailerAt(server.url).send(held);
    await mailerAt(server.url).send(free);
    await using _ = await sendTo(server.url);
    await comesTo(free.id, 'sent');
    expect(await rowOf(held.id)).toMatchObject({ state: 'waiting', tries: 0 });
    await mailerAt(server.url).withdraw(busy, newId());
  });
});

describe('a server', () => {
  it.each([
    ['that says nothing', null],
    ['that speaks no SMTP', 'HTTP/1.1 200 OK\r\n\r\n'],
    ['that never comes to an end', '220-one more line\r\n'],
  ])('%s is given up in time, and the mail waits', async (_name, says) => {
    await using odd = await startOddServer(says);
    const mail = mailFor(someone());
    await mailerAt(odd.url).send(mail);
    await using _ = await sendTo(odd.url, { retryMs: 3_600_000, retryMsMax: 3_600_000 });
    await expect.poll(async () => (await rowOf(mail.id))?.error).not.toBeNull();
    expect(await rowOf(mail.id)).toMatchObject({ state: 'waiting', tries: 1 });
  });

  it('is used over TLS, with a sign-in, and only if its certificate is trusted', async () => {
    await using secure = await startMailServer({ secure: true });
    const at = secure.url.replace('//', '//user:secret%21@');
    const doubted = mailFor(someone());
    await mailerAt(at).send(doubted);
    {
      await using _ = await sendTo(at);
      await expect.poll(async () => (await rowOf(doubted.id))?.error).toMatch(/certificate/i);
    }
    expect(secure.received).toEqual([]);
    await using _ = await sendTo(`${at}?tls.rejectUnauthorized=false`);
    await comesTo(doubted.id, 'sent');
    expect(secure.received).toMatchObject([{ isEncrypted: true, user: 'user' }]);
  });
});

describe('without a server', () => {
  it('invitations are kept, and private mail is not created', async () => {
    const invitation = mailFor(someone());
    expect(await mailerAt(null).send(invitation)).toBe('kept');
    expect(await stateOf(invitation.id)).toBe('kept');
    for (const kind of ['reset', 'email-undo'] as const) {
      const secret = mailFor(someone(), { kind });
      expect(await mailerAt(null).send(secret)).toBe('none');
      expect(await rowOf(secret.id)).toBeUndefined();
    }
  });

  it('a kept mail is deleted with its subject', async () => {
    const aboutId = newId();
    const mail = mailFor(someone(), { aboutId });
    await mailerAt(null).send(mail);
    await mailerAt(null).withdraw(newId(), aboutId);
    expect(await stateOf(mail.id)).toBe('kept');
    await mailerAt(null).withdraw(organizationId, aboutId);
    expect(await rowOf(mail.id)).toBeUndefined();
  });
});
