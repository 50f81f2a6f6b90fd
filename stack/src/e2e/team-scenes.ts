import type { Page } from 'playwright';
import { refused, type Scene } from './scene.ts';
import { chooseFromMenu, chooseOnPage, dialog, press, someone } from './steps.ts';

async function invite(page: Page) {
  await press(page, 'Invite Member');
  await dialog(page).getByLabel('Email').fill(someone());
  await press(dialog(page), /^Invite$/);
  await dialog(page).getByText('Invitation ready').waitFor();
}

const ago = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString();
const REFUSED =
  '550 5.1.1 The email account that you tried to reach does not exist. Please try again.';

/** A rule, people who wait, and a legal hold with a long reason. */
async function withHold(page: Page) {
  const reason = 'Preservation notice of 12 November in case 2026-114 before the district court.';
  const hold = { reason, placedAt: ago(90), placedBy: null };
  const retention = { days: 180, hold, waiting: 3, nextDueAt: null };
  await page.route('**/api/organization/retention', (route) => route.fulfill({ json: retention }));
  await page.reload();
  await page.getByText('Legal hold since').or(page.getByText('2026-114')).first().waitFor();
}

/** A mail in each state. */
const mails = ['waiting', 'sent', 'failed', 'uncertain', 'kept'].map((state, n) => ({
  id: `0198c0de-0000-7000-8000-00000000000${n}`,
  state,
  error: state === 'failed' ? REFUSED : null,
  createdAt: ago(n * 45),
}));

/** Answers of a mail server, since there is none here. */
async function withMails(page: Page) {
  const invitations = mails.map(({ id, state, error, createdAt }, n) => ({
    id,
    createdAt,
    role: 'Editor',
    status: n === 3 ? 'expired' : 'pending',
    resent: n % 3,
    email: `${state}.colleague.with.a.rather.long.name@northwind-outfitters.example.com`,
    expiresAt: new Date(Date.now() + (3 - n) * 86_400_000).toISOString(),
    delivery: state === 'kept' ? 'link' : 'mail',
    mail: { state, error },
  }));
  await page.route('**/api/invitations', (route) => route.fulfill({ json: invitations }));
  await page.reload();
  await page.getByText('Failed').first().waitFor();
}

async function withOutbox(page: Page) {
  const shown = mails.map((mail) => ({
    ...mail,
    kind: 'invitation',
    to: `${mail.state}@example.com`,
    tries: 1,
    endedAt: null,
    subject: 'Join Northwind Outfitters on Tallyhand',
    text: `You’ve been invited to join Northwind Outfitters on Tallyhand as an Editor.

> We start on Monday.

Accept invitation:
https://tallyhand.example.com/auth?invite=${'eyJhbGciOiJIUzI1NiJ9'.repeat(9)}`,
  }));
  await page.route('**/api/outbox?*', (route) => route.fulfill({ json: shown }));
  await page.reload();
  await page.getByText('We start on Monday.').last().waitFor();
}

const ofAda = (item: string) => (page: Page) => chooseFromMenu(page, 'Ada Quint', item);

export const teamScenes: readonly Scene[] = [
  { name: 'team', as: 'admin', path: '/team' },
  { name: 'team-restricted', as: 'viewer', path: '/team' },
  { name: 'team-invite', as: 'admin', path: '/team', act: invite },
  { name: 'team-mails', as: 'admin', path: '/team', act: withMails },
  { name: 'team-hold', as: 'admin', path: '/team', act: withHold, isWhole: true },
  { name: 'team-role', as: 'admin', path: '/team', act: ofAda('Edit Role') },
  { name: 'team-remove', as: 'admin', path: '/team', act: ofAda('Remove Member') },
  { name: 'team-member-history', as: 'admin', path: '/team', act: ofAda('History') },
  {
    name: 'team-organization-history',
    as: 'admin',
    path: '/team',
    act: (page) => chooseOnPage(page, 'Organization history'),
  },
  { name: 'team-outbox', as: 'admin', path: '/team/outbox', act: withOutbox },
  { name: 'team-outbox-empty', as: 'newcomer', path: '/team/outbox' },
  { name: 'team-outbox-error', as: 'admin', path: '/team/outbox', act: refused('**/api/outbox?*') },
  { name: 'team-outbox-restricted', as: 'viewer', path: '/team/outbox' },
];

const TEXTS = ['features', 'documentation', 'about', 'blog', 'careers', 'security', 'privacy'];

async function openTicket(page: Page) {
  const data = {
    name: 'Noa Lindqvist',
    email: 'noa@example.com',
    company: 'Lindqvist & Daughters',
    subject: 'An invoice with our number',
    priority: 'urgent',
    category: 'billing',
    message: 'Please write our VAT number on the invoices.\nIt is needed by the end of the month.',
  };
  const answer = await page.request.post('/api/support/tickets', { data });
  if (!answer.ok()) throw new Error(await answer.text());
  await page.reload();
  await page.getByRole('heading', { name: data.subject }).waitFor();
}

async function sentEmpty(page: Page) {
  await press(page, 'Send Message');
  await page.locator('[aria-invalid="true"]').first().waitFor();
}

export const supportScenes: readonly Scene[] = [
  ...TEXTS.map((page) => ({ name: page, as: 'visitor' as const, path: `/${page}` })),
  { name: 'pricing', as: 'visitor', path: '/pricing' },
  { name: 'help', as: 'visitor', path: '/help' },
  {
    name: 'help-found',
    as: 'visitor',
    path: '/help',
    act: (page) => page.getByRole('searchbox').fill('credits expire'),
  },
  { name: 'status', as: 'visitor', path: '/status' },
  { name: 'contact', as: 'visitor', path: '/contact' },
  { name: 'contact-form', as: 'visitor', path: '/contact?category=billing', act: sentEmpty },
  {
    name: 'landing-contact',
    as: 'visitor',
    path: '/#contact',
    act: async (page) => {
      await page.locator('#contact form').waitFor();
      await sentEmpty(page);
    },
  },
  {
    name: 'landing-demo',
    as: 'visitor',
    path: '/',
    act: async (page) => {
      await press(page, 'Watch demo');
      const picture = dialog(page).getByRole('img');
      await picture.evaluate((image) => (image as unknown as { decode(): Promise<void> }).decode());
    },
  },
  { name: 'tickets-empty', as: 'newcomer', path: '/support' },
  { name: 'tickets-restricted', as: 'viewer', path: '/support' },
  { name: 'tickets', as: 'admin', path: '/support', act: openTicket },
];
