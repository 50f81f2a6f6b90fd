import type { Page } from 'playwright';
import { notSignedIn, type Scene } from './scene.ts';
import { chooseFromMenu, dialog, press } from './steps.ts';

const ROWS = 1_000;
const LONG = 'What does a customer pay for the label when a parcel goes back from the islands? ';

async function searchFor(page: Page, words: string) {
  await press(page, 'Search');
  await page.getByRole('combobox', { name: 'Search' }).fill(words);
}

async function found(page: Page) {
  await searchFor(page, 'retur');
  await page
    .getByRole('option', { name: /Returns/ })
    .first()
    .waitFor();
}

async function notFound(page: Page) {
  await searchFor(page, 'zebra crossing');
  await page.getByText('No results for').waitFor();
}

/** As the browser without a network; other pages keep theirs. */
async function offline(page: Page) {
  await page.evaluate(`
    Object.defineProperty(navigator, 'onLine', { get: () => false });
    dispatchEvent(new Event('offline'));
  `);
  await page.getByText("You're offline", { exact: true }).waitFor();
}

/** A part of a page does not load while the server is down. */
async function outage(page: Page) {
  for (const missing of ['**/assets/tools.page-*.js', '**/api/status']) {
    await page.route(missing, (route) => route.abort());
  }
  await page.goto('/tools');
  await page.getByText("This page couldn't be shown").waitFor();
}

async function signInAgain(page: Page) {
  // A read would block on the dialog, together with the page behind it.
  await page.route('**/api/agents/*', (route) =>
    route.request().method() === 'PUT' ? notSignedIn(route) : route.fallback(),
  );
  await chooseFromMenu(page, 'Support desk', /Pause/);
  await page.getByRole('dialog', { name: 'Sign in again' }).waitFor();
}

const idAt = (n: number) => `0198c0de-0000-7000-8000-${String(n).padStart(12, '0')}`;
const timeAt = (n: number) => new Date(Date.now() - n * 47 * 60_000).toISOString();

const mailbox = {
  id: idAt(0),
  agentId: idAt(0),
  providerType: 'imap',
  status: 'connected',
  emailAddress: 'questions.about.returns.and.refunds@northwind-outfitters.example.com',
  pauseReason: null,
  canReply: true,
  lastPollAt: timeAt(0),
  nextPollAt: timeAt(0),
  lastError: null,
  lastErrorCode: null,
  createdAt: timeAt(99),
  syncSettings: { pollInterval: 300, autoReply: true, replyTemplate: '', markAsRead: true },
};

/** One mail of each state that a reply can be in, and some that get none. */
const mails = [
  { subject: `Re: Re: ${LONG.repeat(2)}`, reply: 'sent' },
  { subject: 'Where is my tent?', reply: 'waiting' },
  { subject: 'Invoice 4711', reply: 'sending' },
  { subject: 'Refund for order 20391', reply: 'uncertain' },
  { subject: 'Опоздание доставки', reply: 'failed' },
  { subject: '', reply: 'none', reason: 'mailing-list' },
  { subject: 'Out of office', reply: 'none', reason: 'auto-reply', taskId: null },
].map((mail, n) => ({
  id: idAt(n),
  from: `person${n}@a-rather-long-name-of-a-host.example.org`,
  taskId: idAt(n),
  reason: null,
  createdAt: timeAt(n * n),
  ...mail,
}));

async function receivedMail(page: Page) {
  await page.route('**/api/agents/*/email-integrations', (route) =>
    route.fulfill({ json: [mailbox] }),
  );
  await page.route('**/api/email-integrations/*/mails*', (route) => route.fulfill({ json: mails }));
  await chooseFromMenu(page, 'Support desk', 'Email Integration');
  await press(dialog(page), 'Received email');
  await page.getByText('Where is my tent?').first().waitFor();
}

const STATUSES = ['success', 'failed', 'running', 'queued', 'cancelled'];

/** As many tasks as a list may hold, from agents that are gone, in long words. */
async function manyTasks(page: Page) {
  const tasks = Array.from({ length: ROWS }, (_, n) => ({
    id: idAt(n),
    agentId: idAt(n),
    type: 'query',
    status: STATUSES[n % STATUSES.length],
    input: n % 7 === 0 ? 'x'.repeat(500) : LONG.repeat(4),
    output: null,
    errorMessage: null,
    errorCode: null,
    errorParams: {},
    reasoning: null,
    executionTimeMs: 1_234_567,
    creditCost: n % 2,
    createdAt: timeAt(n),
    requestedBy: { id: idAt(0), name: null },
  }));
  await page.route('**/api/tasks?*', (route) => route.fulfill({ json: tasks }));
  await page.reload();
  await page.getByText(`${ROWS.toLocaleString('en')} of`).waitFor();
}

/** So many entries, copied from a real one. */
async function manyEntries(page: Page) {
  await page.route('**/api/audit?*', async (route) => {
    const [entry] = await (await route.fetch()).json();
    const entries = Array.from({ length: ROWS }, (_, n) => ({
      ...entry,
      sequence: ROWS - n,
      correlationId: `call-${n}`,
    }));
    await route.fulfill({ json: entries });
  });
  await page.reload();
}

/** A4 upright at 96 dots an inch. */
const PAPER = { width: 794, height: 1_123 };

async function printed(page: Page) {
  await page.setViewportSize(PAPER);
  await page.emulateMedia({ media: 'print' });
  await page.getByRole('banner').waitFor({ state: 'hidden' });
}

export const shellScenes: readonly Scene[] = [
  { name: 'search', as: 'admin', path: '/dashboard', act: found },
  { name: 'search-none', as: 'admin', path: '/dashboard', act: notFound },
  { name: 'sign-in-again', as: 'editor', path: '/agents', act: signInAgain },
  { name: 'outage', as: 'admin', path: '/knowledge', act: outage, complains: true },
  { name: 'offline', as: 'admin', path: '/knowledge', act: offline },
  { name: 'mailbox-mails', as: 'admin', path: '/agents', act: receivedMail },
  { name: 'tasks-many', as: 'admin', path: '/tasks', act: manyTasks },
  { name: 'audit-printed', as: 'admin', path: '/audit', act: printed },
  { name: 'billing-printed', as: 'admin', path: '/billing', act: printed },
  { name: 'audit-many', as: 'admin', path: '/audit', act: manyEntries },
];
