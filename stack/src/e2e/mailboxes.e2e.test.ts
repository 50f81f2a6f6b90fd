import { agentInput } from '@tallyhand/test-kit/api-client';
import { sampleName, sampleOf } from '@tallyhand/test-kit/cases';
import { startMailServer } from '@tallyhand/test-kit/mail-server';
import { DOVECOT, describeIf } from '@tallyhand/test-kit/needs';
import type { Page } from 'playwright';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { dovecotPath, startDovecot } from '../testing/dovecot.ts';
import { type GmailPeer, gmailBody, startGmailPeer } from '../testing/gmail-peer.ts';
import { mailboxBody, mailFrom } from '../testing/mailboxes.ts';
import { type OwnProduct, startTestProduct } from '../testing/product.ts';
import { SOON } from '../testing/soon.ts';
import { expectAccessible, openBrowser } from './browser.ts';
import { chooseFromMenu, dialog, dialogIsGone, field, press, registered, toast } from './steps.ts';

const path = dovecotPath();
if (!path) console.warn('Skipped: Dovecot (dovecot-imapd, dovecot-pop3d) is not installed here.');

let product: OwnProduct;
const browser = openBrowser();
let gmail: GmailPeer;
/** Of the present test. */
let shown: Page;

beforeAll(async () => {
  gmail = await startGmailPeer();
  product = await startTestProduct({
    allowPrivateHosts: '127.0.0.1',
    // Often enough for a page: each look at a mailbox is work for the machine.
    mailboxTimes: { ...SOON, lookMs: 100, secondMs: 15 },
    googleApiBase: gmail.url,
  });
});
beforeEach(() => gmail.answerSending(200));
/** All of them read the same inbox of the peer. */
afterEach(() => disconnectAll(shown));
afterAll(async () => {
  await product[Symbol.asyncDispose]();
  await gmail[Symbol.asyncDispose]();
});

async function disconnectAll({ request }: Page) {
  const connected = await (await request.get('/api/email-integrations')).json();
  for (const { id } of connected) await request.delete(`/api/email-integrations/${id}`);
}

async function connect({ request }: Page, agentId: string, data: object) {
  const made = await request.post(`/api/agents/${agentId}/email-integration`, { data });
  expect(made.status()).toBe(201);
}

/** The agents page of a new organization with one agent, and the given mailbox if any. */
async function agentsPage(mailbox?: object): Promise<{ page: Page; id: string }> {
  const page = await browser.newPage(product.url);
  shown = page;
  await registered(page, 'Harbour Books');
  const { id } = await (await page.request.post('/api/agents', { data: agentInput })).json();
  if (mailbox) await connect(page, id, mailbox);
  await page.goto('/agents');
  await card(page).waitFor();
  return { page, id };
}

const card = (page: Page) => page.getByRole('article', { name: 'Support' });
const open = (page: Page) => chooseFromMenu(page, 'Support', 'Email Integration');
const shows = (page: Page, text: string | RegExp) => dialog(page).getByText(text).first().waitFor();
const state = (page: Page, text: string) =>
  dialog(page)
    .getByRole('list', { name: 'Connected mailboxes' })
    .getByText(text, { exact: true })
    .waitFor();
const choose = (page: Page, provider: string) => field(page, 'providerType').selectOption(provider);

async function fillGmail(page: Page, { emailAddress, credentials }: ReturnType<typeof gmailBody>) {
  await field(page, 'emailAddress').fill(emailAddress);
  for (const [name, value] of Object.entries(credentials)) {
    await field(page, `credentials.${name}`).fill(value);
  }
}

/** A mail of Ada's in the inbox of Gmail. */
function ask(subject: string) {
  const id = crypto.randomUUID().replaceAll('-', '');
  gmail.deliver(id, mailFrom('Ada <ada@mail.example>', { id, subject }));
}

const mail = (page: Page, subject: string) =>
  dialog(page)
    .getByRole('listitem')
    .filter({ has: page.getByRole('heading', { name: subject }) });

describe('a mailbox', () => {
  it('is connected by a form with the fields of its provider and errors at each, after a test; then it is paused, resumed and disconnected', async () => {
    const { page, id } = await agentsPage();
    const wanted = gmailBody();
    await open(page);
    await expectAccessible(page);
    await press(dialog(page), /^Connect$/);
    await toast(page, 'Please enter an email address');
    for (const text of [
      'Please enter a valid email address',
      'Client ID is required',
      'Client secret is required',
      'Refresh token is required',
    ]) {
      await shows(page, text);
    }

    await choose(page, 'imap');
    await expect.poll(() => field(page, 'credentials.clientId').count()).toBe(0);
    await expect.poll(() => field(page, 'credentials.port').inputValue()).toBe('993');
    await dialog(page).getByRole('switch', { name: 'Mark as read' }).waitFor();
    await field(page, 'credentials.smtp.port').fill('70000');
    await field(page, 'syncSettings.replyTemplate').fill('Thank you.');
    await press(dialog(page), /^Connect$/);
    for (const name of [
      'host',
      'username',
      'password',
      'smtp.host',
      'smtp.password',
      'smtp.port',
    ]) {
      await expect
        .poll(() => field(page, `credentials.${name}`).getAttribute('aria-invalid'))
        .toBe('true');
    }
    await shows(page, 'Port must be at most 65535');
    await shows(page, 'The template must contain {{answer}}');
    await expectAccessible(page);

    await choose(page, 'pop3');
    await expect.poll(() => field(page, 'credentials.port').inputValue()).toBe('995');
    await expect
      .poll(() => dialog(page).getByRole('switch', { name: 'Mark as read' }).count())
      .toBe(0);
    await dialog(page).getByRole('switch', { name: 'Send replies by SMTP' }).click();
    await expect.poll(() => field(page, 'credentials.smtp.host').count()).toBe(0);

    await choose(page, 'gmail');
    await field(page, 'syncSettings.replyTemplate').fill('');
    await fillGmail(page, gmailBody('another token'));
    await press(dialog(page), 'Test connection');
    await shows(page, "Receiving email doesn't work");
    await shows(page, 'The server rejected the username and password, or the token.');
    await fillGmail(page, wanted);
    await press(dialog(page), 'Test connection');
    await shows(page, 'Receiving email works');
    await shows(page, 'Sending replies works');
    expect(await (await page.request.get(`/api/agents/${id}/email-integrations`)).json()).toEqual(
      [],
    );
    await press(dialog(page), /^Connect$/);
    await dialogIsGone(page);
    await toast(page, 'Email integration created');
    await open(page);
    await shows(page, wanted.emailAddress);
    await state(page, 'Connected');
    expect(await page.content()).not.toContain(wanted.credentials.refreshToken);

    await press(dialog(page), /^Pause$/);
    await toast(page, 'Mailbox paused');
    await state(page, 'Paused');
    await press(dialog(page), 'Resume');
    await toast(page, 'Mailbox resumed');
    await state(page, 'Connected');

    // It pauses with its agent.
    const activate = (isActive: boolean) =>
      page.request.put(`/api/agents/${id}`, { data: { isActive } });
    expect((await activate(false)).status()).toBe(200);
    await state(page, 'Paused');
    await shows(page, 'The agent is paused. Email waits until you activate it.');
    await expect.poll(() => dialog(page).getByRole('button', { name: 'Resume' }).count()).toBe(0);
    expect((await activate(true)).status()).toBe(200);
    await state(page, 'Connected');

    await press(dialog(page), 'Disconnect');
    await press(page.getByRole('alertdialog'), 'Disconnect');
    await toast(page, 'Mailbox disconnected');
    await dialog(page).getByRole('list', { name: 'Connected mailboxes' }).waitFor({
      state: 'detached',
    });
  });

  it("shows received mail, its task and its reply, and resends an uncertain one; a failing mailbox is reported on its agent's card", async () => {
    const { page, id } = await agentsPage(gmailBody());
    await open(page);
    await press(dialog(page), 'Received email');
    await shows(page, 'No email yet');
    ask('A question');
    await mail(page, 'A question').getByText('Reply sent').waitFor();
    await mail(page, 'A question').getByText('ada@mail.example').waitFor();

    gmail.answerSending(0);
    ask('Another question');
    const other = mail(page, 'Another question');
    await other.getByText('Reply possibly sent').waitFor();
    await expectAccessible(page);
    gmail.answerSending(200);
    await press(other, 'Resend');
    await press(page.getByRole('alertdialog'), 'Resend');
    await toast(page, 'Resending the reply');
    await other.getByText('Reply sent').waitFor();
    expect(gmail.sent.filter(({ raw }) => raw.includes('Re: Another question'))).toHaveLength(2);
    await other.getByRole('link', { name: 'View task' }).click();
    await page.waitForURL(/\/tasks\?task=/);
    const task = page.getByRole('dialog', { name: 'Task details' });
    await press(task, 'Close');
    await task.waitFor({ state: 'detached' });

    await disconnectAll(page);
    await connect(page, id, gmailBody('another token'));
    await page.getByRole('link', { name: 'AI Agents', exact: true }).click();
    await card(page)
      .getByText(/@gmail\.example: The server rejected the username/)
      .waitFor();
    await open(page);
    await state(page, 'Failing');
    await press(dialog(page), 'Test connection');
    await shows(page, "Receiving email doesn't work");
    await page.evaluate(`localStorage.setItem('tallyhand-language', 'de')`);
    await page.reload();
    await card(page)
      .getByText(/@gmail\.example: Der Server hat Benutzername und Passwort/)
      .waitFor();
  });
});

describeIf(path !== null, DOVECOT)('a mailbox at a mail server', () => {
  it.each(sampleOf(['imap', 'pop3'] as const, 2))(
    `is connected over %s, and answers (${sampleName()})`,
    async (provider) => {
      await using dovecot = await startDovecot(path ?? '');
      await using smtp = await startMailServer();
      const { page } = await agentsPage();
      const address = `${crypto.randomUUID()}@shop.example`;
      const smtpPort = Number(new URL(smtp.url).port);
      const { credentials } = mailboxBody(dovecot, { address, provider, smtpPort });
      const { smtp: sending = {}, ...fetching } = credentials;
      await open(page);
      await choose(page, provider);
      await field(page, 'emailAddress').fill(address);
      const filled = { ...fetching, password: 'wrong' };
      for (const [at, values] of [
        ['credentials', filled],
        ['credentials.smtp', sending],
      ] as const) {
        for (const name of ['host', 'port', 'username', 'password'] as const) {
          const value = (values as Record<string, unknown>)[name];
          await field(page, `${at}.${name}`).fill(String(value));
        }
      }
      await dialog(page).getByRole('switch', { name: 'SSL' }).click();
      await dialog(page).getByRole('switch', { name: 'TLS' }).click();
      await press(dialog(page), 'Test connection');
      await shows(page, 'The server rejected the username and password, or the token.');
      await shows(page, 'Sending replies works');
      await field(page, 'credentials.password').fill(fetching.password);
      await press(dialog(page), /^Connect$/);
      await dialogIsGone(page);
      await toast(page, 'Email integration created');
      await open(page);
      await state(page, 'Connected');
      await press(dialog(page), 'Received email');
      const question = mailFrom('Ada <ada@mail.example>', { id: provider, subject: 'A question' });
      await dovecot.deliver(address, question);
      await mail(page, 'A question').getByText('Reply sent').waitFor();
      expect(smtp.received.map(({ to }) => to)).toEqual([['ada@mail.example']]);
    },
  );
});
