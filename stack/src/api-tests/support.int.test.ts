import { openKit } from '@tallyhand/command-service/app/open-kit';
import {
  type AuditEntry,
  listAuditEntries,
} from '@tallyhand/contracts/features/audit/audit.endpoints';
import { erasePerson } from '@tallyhand/contracts/features/identity/account.endpoints';
import {
  listTickets,
  openTicket,
  sendContactMessage,
  type Ticket,
} from '@tallyhand/contracts/features/support/support.endpoints';
import { openEventLog } from '@tallyhand/service-kit/event-store/event-log';
import { apiClient, registerOrganization, testPassword } from '@tallyhand/test-kit/api-client';
import { type MailServer, startMailServer } from '@tallyhand/test-kit/mail-server';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runMessagesCommand } from '../operator/messages-command.ts';
import { joinAs } from '../testing/members.ts';
import { type OwnProduct, startTestProduct } from '../testing/product.ts';

const supportEmail = 'support@example.com';

let server: MailServer;
let product: OwnProduct;

beforeAll(async () => {
  server = await startMailServer();
  const mail = { smtpUrl: server.url, from: 'tallyhand@example.com' };
  product = await startTestProduct({ mail, supportEmail });
});
afterAll(async () => {
  await product[Symbol.asyncDispose]();
  await server[Symbol.asyncDispose]();
});

const mark = () => `Canary ${crypto.randomUUID()}`;
const contact = (message: string) => ({
  name: 'Ada Lovelace',
  email: 'ada@example.com',
  company: 'Engines',
  message,
});
const ticket = (subject: string) => ({
  name: 'Ada Lovelace',
  email: 'ada@example.com',
  subject,
  message: 'The second agent answers slowly.',
  priority: 'high',
  category: 'technical',
});
const mailsWith = (text: string) => server.received.filter((mail) => mail.text.includes(text));
const visitor = () => apiClient(product.url);

async function storedEvents(): Promise<string[]> {
  const log = openEventLog(product.config.eventStoreUrl);
  try {
    const found: string[] = [];
    for await (const { event } of log.client.readAll()) {
      if (event) found.push(JSON.stringify([event.streamId, event.data, event.metadata]));
    }
    return found;
  } finally {
    await log.close();
  }
}

describe('a message of the contact form', () => {
  it('is mailed once to the support address, which can reply to its sender', async () => {
    const message = mark();
    const { status, body } = await visitor().call<{ id: string }>(sendContactMessage, {
      body: contact(message),
    });
    expect([status, Object.keys(body)]).toEqual([201, ['id']]);
    await expect.poll(() => mailsWith(message)).toHaveLength(1);
    const [mail] = mailsWith(message);
    expect(mail?.to).toEqual([supportEmail]);
    expect(mail?.text).toMatch(/^Reply-To: <?ada@example\.com>?\r?$/m);
    expect(mail?.text).toContain('Engines');
  });

  it('counts once when it is sent again, and another one counts for itself', async () => {
    const client = visitor();
    const [first, second] = [mark(), mark()];
    const send = async (message: string) =>
      (await client.call<{ id: string }>(sendContactMessage, { body: contact(message) })).body.id;
    const id = await send(first);
    expect(await Promise.all([send(first), send(first)])).toEqual([id, id]);
    expect(await send(second)).not.toBe(id);
    await expect.poll(() => mailsWith(second)).toHaveLength(1);
    expect(mailsWith(first)).toHaveLength(1);
  });

  it('of a program that fills in every field is dropped silently', async () => {
    const [dropped, kept] = [mark(), mark()];
    const client = visitor();
    const body = { ...contact(dropped), fax: '555 0100' };
    const answer = await client.call<{ id: string }>(sendContactMessage, { body });
    expect([answer.status, Object.keys(answer.body)]).toEqual([201, ['id']]);
    const asTicket = { ...ticket(dropped), fax: '555 0100' };
    const opened = await client.call<{ ticketNumber: string }>(openTicket, { body: asTicket });
    expect([opened.status, opened.body.ticketNumber]).toEqual([
      201,
      expect.stringMatching(/^TH-[0-9A-Z]{6}$/),
    ]);
    await client.call(sendContactMessage, { body: contact(kept) });
    await expect.poll(() => mailsWith(kept)).toHaveLength(1);
    expect(mailsWith(dropped)).toEqual([]);
    const events = await storedEvents();
    expect(events.filter((event) => event.includes(answer.body.id))).toEqual([]);
  });

  it("does not belong to the sender's organization", async () => {
    const { client } = await registerOrganization(product.url);
    const { body } = await client.call<{ id: string }>(sendContactMessage, {
      body: contact(mark()),
    });
    const events = await storedEvents();
    expect(events.filter((event) => event.includes(`contact-${body.id}`))).toHaveLength(1);
    const log = await client.call<AuditEntry[]>(listAuditEntries);
    expect(JSON.stringify(log.body)).not.toContain(body.id);
  });
});

describe('a ticket', () => {
  const numberOf = (body: { ticketNumber: string }) => body.ticketNumber;

  it('of a member is shown to the Admins of the organization, and mailed with its number', async () => {
    const { client: admin } = await registerOrganization(product.url);
    const { client: other } = await registerOrganization(product.url);
    const { client: viewer } = await joinAs(admin, product.url, 'Viewer');
    const input = ticket(mark());
    const opened = await viewer.call<{ ticketNumber: string }>(openTicket, { body: input });
    expect(opened.status).toBe(201);
    const { ticketNumber } = opened.body;
    expect(ticketNumber).toMatch(/^TH-[0-9A-HJKMNP-TV-Z]{6}$/);
    await expect
      .poll(async () => (await admin.call<Ticket[]>(listTickets)).body)
      .toEqual([
        {
          id: expect.any(String),
          createdAt: expect.any(String),
          ticketNumber,
          company: null,
          ...input,
        },
      ]);
    expect((await other.call<Ticket[]>(listTickets)).body).toEqual([]);
    await expect.poll(() => mailsWith(ticketNumber)).toHaveLength(1);
    expect(mailsWith(ticketNumber)[0]?.text).toContain(input.subject);
    const log = await admin.call<AuditEntry[]>(listAuditEntries, { query: { kind: 'ticket' } });
    expect(log.body).toMatchObject([{ type: 'TicketOpened' }]);
    expect(JSON.stringify(log.body)).not.toContain('contentKey');
  });

  it('is one for repeated messages, and another for another person', async () => {
    const { client } = await registerOrganization(product.url);
    const body = ticket(mark());
    const send = async (by = client) =>
      numberOf((await by.call<{ ticketNumber: string }>(openTicket, { body })).body);
    const numbers = await Promise.all([send(), send(), send()]);
    expect(new Set(numbers).size).toBe(1);
    expect(await send(visitor())).not.toBe(numbers[0]);
    expect((await client.call<Ticket[]>(listTickets)).body).toHaveLength(1);
  });

  it('of a visitor belongs to no organization, and is mailed', async () => {
    const { client: admin } = await registerOrganization(product.url);
    const subject = mark();
    const answer = await visitor().call(openTicket, { body: ticket(subject) });
    expect(answer.status).toBe(201);
    await expect.poll(() => mailsWith(subject)).toHaveLength(1);
    expect((await admin.call<Ticket[]>(listTickets)).body).toEqual([]);
  });
});

describe('text from visitors and members', () => {
  it('is in no event', async () => {
    const secret = mark();
    const input = {
      ...ticket(secret),
      name: secret,
      company: secret,
      message: `${secret} ${secret}`,
    };
    const { client } = await registerOrganization(product.url);
    await client.call(openTicket, { body: input });
    await visitor().call(openTicket, { body: input });
    await visitor().call(sendContactMessage, {
      body: { ...contact(secret), name: secret, company: secret },
    });
    const events = await storedEvents();
    expect(events.some((event) => event.startsWith('["contact-'))).toBe(true);
    expect(events.filter((event) => event.includes(secret))).toEqual([]);
    expect(events.filter((event) => event.includes('ada@example.com'))).toEqual([]);
  });
});

describe('an erased person', () => {
  it("is no longer in their tickets, nor in the audit log's entries about them", async () => {
    const { client: admin } = await registerOrganization(product.url);
    const { client: member } = await joinAs(admin, product.url, 'Editor');
    const input = ticket(mark());
    await member.call(openTicket, { body: input });
    const shown = async () => (await admin.call<Ticket[]>(listTickets)).body;
    await expect.poll(shown).toMatchObject([{ subject: input.subject }]);
    const erased = await member.call(erasePerson, { body: { password: testPassword } });
    expect(erased.status).toBe(204);
    const gone = { name: 'erased', email: 'erased', subject: 'erased', message: 'erased' };
    await expect.poll(shown).toMatchObject([{ ...gone, company: null }]);
    const log = await admin.call<AuditEntry[]>(listAuditEntries, { query: { kind: 'ticket' } });
    expect(log.body).toHaveLength(1);
    expect(JSON.stringify(log.body)).not.toContain(input.subject);
    expect(JSON.stringify(log.body)).not.toContain('ada@example.com');
  });
});

describe('an operator', () => {
  it('reads messages when no mail is sent', async () => {
    const [message, subject] = [mark(), mark()];
    await visitor().call(sendContactMessage, { body: contact(message) });
    await visitor().call(openTicket, { body: ticket(subject) });
    await using opened = await openKit(product.config);
    const { lines } = await runMessagesCommand(['--all'], opened);
    const text = lines.join('\n');
    expect(text).toContain(`> ${message}`);
    expect(text).toMatch(new RegExp(`\\[TH-[0-9A-Z]{6}\\] ${subject}`));
    expect(text).toContain('Ada Lovelace <ada@example.com>');
    const later = await runMessagesCommand(['--since', '2999-01-01'], opened);
    expect(later.lines).toEqual(['0 messages']);
    for (const wrong of [['--since'], ['--since', 'today'], ['--all', 'x'], ['list']]) {
      await expect(runMessagesCommand(wrong, opened)).rejects.toThrow('npm run messages');
    }
  });
});

describe('an operator on request', () => {
  it('erases a message of a person without an account, permanently and in every process', async () => {
    const [message, subject] = [mark(), mark()];
    const sent = await visitor().call<{ id: string }>(sendContactMessage, {
      body: contact(message),
    });
    const opening = { body: ticket(subject) };
    const first = await visitor().call<{ ticketNumber: string }>(openTicket, opening);
    await using opened = await openKit(product.config);
    const printed = async () => (await runMessagesCommand(['--all'], opened)).lines.join('\n');
    const before = await printed();
    const ticketId = new RegExp(`${subject}\\nId: (\\S+)`).exec(before)?.[1] ?? '';
    for (const id of [sent.body.id, ticketId.toUpperCase()]) {
      expect(before.toLowerCase()).toContain(`id: ${id.toLowerCase()}`);
      const { lines } = await runMessagesCommand(['--erase', id], opened);
      expect(lines).toEqual(['The message is erased.']);
    }
    await using another = await openKit(product.config);
    for (const each of [opened, another]) {
      const text = (await runMessagesCommand(['--all'], each)).lines.join('\n');
      expect(text).not.toContain(message);
      expect(text).not.toContain(subject);
    }
    // Sent again, it is still known and stays erased.
    const again = await visitor().call<{ id: string }>(sendContactMessage, {
      body: contact(message),
    });
    expect([again.status, again.body.id]).toEqual([201, sent.body.id]);
    const repeated = await visitor().call<{ ticketNumber: string }>(openTicket, opening);
    expect(repeated.body.ticketNumber).toBe(first.body.ticketNumber);
    expect(await printed()).not.toContain(message);
  });

  it('erases no message of an account, and no unknown one', async () => {
    const { client: admin } = await registerOrganization(product.url);
    await admin.call(openTicket, { body: ticket(mark()) });
    const shown = async () => (await admin.call<Ticket[]>(listTickets)).body;
    await expect.poll(shown).toHaveLength(1);
    const [{ id } = { id: '' }] = await shown();
    await using opened = await openKit(product.config);
    const erase = (...ids: string[]) => runMessagesCommand(['--erase', ...ids], opened);
    await expect(erase(id)).rejects.toThrow('from an account');
    await expect(erase(crypto.randomUUID())).rejects.toThrow('no message');
    for (const wrong of [[], ['TH-ABCDEF'], [id, id]]) {
      await expect(erase(...wrong)).rejects.toThrow('npm run messages');
    }
  });
});
