import { agentInput } from '@tallyhand/test-kit/api-client';
import { sampleName, sampleOf } from '@tallyhand/test-kit/cases';
import type { Page } from 'playwright';
import { describe, expect, it } from 'vitest';
import { openSuite } from './browser.ts';
import {
  anArticle,
  aPlaybook,
  dialog,
  dialogIsGone,
  field,
  goInside,
  press,
  registered,
  someone,
  toast,
} from './steps.ts';

/** A form that creates an object, and how its tests use it. */
type MainForm = {
  readonly of: string;
  readonly path: string;
  /** The button that opens it, unless it is part of its page. */
  readonly open?: string;
  readonly send: string;
  /** The first required field, and its message when empty. */
  readonly first: readonly [name: string, message: string];
  /** A field of one line: Enter sends. */
  readonly line: string;
  /** A field of many lines. */
  readonly text: string;
  /** Fills in all required fields, under a unique name. */
  readonly fill: (page: Page, name: string) => Promise<void>;
  readonly name: string;
  /** The field of the name. */
  readonly nameField: string;
  readonly failed: string;
  readonly done: string;
  /** The page that creates and lists such objects. */
  readonly api: string;
  /** The page that shows the name afterwards. */
  readonly shownAt?: string;
};

/** Scripts stay text in both directions of writing. */
const STRANGE_NAME = '<script>alert(1)</script> שלום 👋';

async function fillFields(page: Page, values: Record<string, string>) {
  for (const [name, value] of Object.entries(values)) await field(page, name).fill(value);
}

const fillAgent = async (page: Page, name: string) => {
  const { role, personality } = agentInput.personaConfig;
  await fillFields(page, { name, description: agentInput.description });
  await fillFields(page, { 'personaConfig.role': role, 'personaConfig.personality': personality });
  await press(dialog(page), 'Research');
};
const fillPlaybook = (page: Page, title: string) =>
  fillFields(page, {
    title,
    description: aPlaybook.description,
    steps: aPlaybook.steps.join('\n'),
  });
const fillArticle = (page: Page, title: string) =>
  fillFields(page, { title, content: anArticle.content, category: anArticle.category });
const fillTool = (page: Page, name: string) =>
  fillFields(page, { name, description: 'Looks orders up in the shop' });
const fillTicket = (page: Page, subject: string) =>
  fillFields(page, { subject, message: 'The export of the audit log never becomes ready.' });
const fillInvitation = (page: Page, email: string) =>
  fillFields(page, { email, message: STRANGE_NAME });

const mainForms: readonly MainForm[] = [
  {
    of: 'an agent',
    path: '/agents',
    open: 'Create Agent',
    send: 'Create Agent',
    first: ['name', 'Name must be at least 2 characters'],
    line: 'name',
    text: 'description',
    fill: fillAgent,
    name: STRANGE_NAME,
    nameField: 'name',
    failed: 'Failed to create agent',
    done: 'Agent created',
    api: '/api/agents',
  },
  {
    of: 'an article',
    path: '/knowledge',
    open: 'Add Article',
    send: 'Add Article',
    first: ['title', 'Title must be at least 3 characters'],
    line: 'title',
    text: 'content',
    fill: fillArticle,
    name: STRANGE_NAME,
    nameField: 'title',
    failed: 'Failed to create article',
    done: 'Article created',
    api: '/api/knowledge',
  },
  {
    of: 'a playbook',
    path: '/knowledge?tab=playbooks',
    open: 'Create Playbook',
    send: 'Create Playbook',
    first: ['title', 'Title must be at least 3 characters'],
    line: 'title',
    text: 'description',
    fill: fillPlaybook,
    name: STRANGE_NAME,
    nameField: 'title',
    failed: 'Failed to create playbook',
    done: 'Playbook created',
    api: '/api/playbooks',
  },
  {
    of: 'a tool',
    path: '/tools',
    open: 'Add Tool',
    send: 'Add Tool',
    first: ['name', 'Tool name must be at least 2 characters'],
    line: 'name',
    text: 'description',
    fill: fillTool,
    name: STRANGE_NAME,
    nameField: 'name',
    failed: 'Failed to create tool',
    done: 'Tool created',
    api: '/api/tools',
  },
  {
    of: 'an invitation',
    path: '/team',
    open: 'Invite Member',
    send: 'Invite',
    first: ['email', 'Please enter a valid email address'],
    line: 'email',
    text: 'message',
    fill: fillInvitation,
    name: someone(),
    nameField: 'email',
    failed: 'Failed to send invitation',
    done: 'Invitation created',
    api: '/api/invitations',
  },
  {
    of: 'a ticket',
    path: '/contact?category=technical',
    send: 'Send Message',
    first: ['subject', 'Subject must be at least 5 characters'],
    line: 'subject',
    text: 'message',
    fill: fillTicket,
    name: STRANGE_NAME,
    nameField: 'subject',
    failed: 'Failed to send message',
    done: 'Message sent successfully!',
    api: '/api/support/tickets',
    shownAt: '/support',
  },
];

const { product, browser } = await openSuite();

async function opened({ path, open }: MainForm) {
  const page = await browser.newPage(product.url);
  await registered(page, 'Harbour Books');
  await page.goto(path);
  if (open) await press(page, open);
  await page.locator('form:visible [type="submit"]').waitFor();
  return page;
}

/** Discards what was typed: the form is as if it had never been sent. */
async function openAgain(page: Page, { open }: MainForm) {
  if (open) {
    await discard(page);
    await press(page, open);
  } else await page.reload();
  await submit(page).waitFor();
}

async function discard(page: Page) {
  await page.keyboard.press('Escape');
  await press(page.getByRole('alertdialog'), 'Discard');
  await dialogIsGone(page);
}

const focused = (page: Page) => page.locator(':focus').getAttribute('name');

/** The message below a field, as a screen reader finds it. */
async function messageAt(page: Page, name: string) {
  await page.locator(`form:visible [name="${name}"][aria-invalid="true"]`).waitFor();
  const id = await field(page, name).getAttribute('aria-describedby');
  return page.locator(`[id="${id}"]`).innerText();
}

const submit = (page: Page) => page.locator('form:visible [type="submit"]');

/** The second click comes before the page has seen the first. */
async function clickTwice(page: Page) {
  const button = `document.querySelector('main form [type=submit], [role=dialog] [type=submit]')`;
  await page.evaluate(`${button}.click(), ${button}.click()`);
}

/** Lets the first call through and keeps its answer, as a lost connection does. */
async function loseFirstAnswer(page: Page, api: string) {
  const calls: string[] = [];
  await page.route(`**${api}`, async (route) => {
    const request = route.request();
    if (request.method() !== 'POST') return route.continue();
    calls.push(request.headers()['idempotency-key'] ?? '');
    if (calls.length > 1) return route.continue();
    await route.fetch();
    return route.abort('connectionreset');
  });
  return calls;
}

async function countNamed(page: Page, { api, name, nameField }: MainForm) {
  const listed: Record<string, unknown>[] = await (await page.request.get(api)).json();
  return listed.filter((each) => each[nameField] === name).length;
}

const forms = sampleOf(mainForms, 3);

/** More than any field takes. One form gets ten million characters: all use the same fields. */
const pastedInto = (form: MainForm) => (form === forms[0] ? 10_000_000 : 400_001);

describe.each(forms)(`the form of $of (${sampleName()})`, (form) => {
  it('reports errors at their fields, accepts a huge paste, is not lost by Escape, two quick clicks or a lost answer, and makes one thing', async () => {
    const page = await opened(form);
    const [first, message] = form.first;
    await field(page, form.line).press('Enter');
    await expect.poll(() => messageAt(page, first)).toBe(message);
    await expect.poll(() => focused(page)).toBe(first);

    // It does not freeze, and shows the maximum length.
    await form.fill(page, form.name);
    await field(page, form.text).fill('');
    await field(page, form.text).focus();
    await page.keyboard.insertText('x'.repeat(pastedInto(form)));
    await submit(page).click();
    await expect.poll(() => messageAt(page, form.text)).toMatch(/at most \d+ characters/);
    await expect.poll(() => focused(page)).toBe(form.text);

    await openAgain(page, form);
    await form.fill(page, form.name);
    if (form.open) {
      await page.keyboard.press('Escape');
      await press(page, 'Keep editing');
    }
    browser.mayComplain(/ERR_CONNECTION_RESET/);
    const calls = await loseFirstAnswer(page, form.api);
    await clickTwice(page);
    await toast(page, form.failed);
    expect(calls).toHaveLength(1);
    await expect.poll(() => field(page, form.nameField).inputValue()).toBe(form.name);
    await submit(page).click();
    await toast(page, form.done);
    expect(new Set(calls).size).toBe(1);
    expect(await countNamed(page, form)).toBe(1);
    if (form.shownAt) await goInside(page, form.shownAt);
    await page.getByText(form.name, { exact: true }).filter({ visible: true }).first().waitFor();
  });
});

/** A small window, where what is below is out of sight. */
const SMALL = { width: 375, height: 600 };

/** Sends the form, whose first faulty field gets the focus and is in sight. */
async function expectFirstFault(page: Page, first: string) {
  await submit(page).click();
  await expect.poll(() => messageAt(page, first)).not.toBe('');
  await expect.poll(() => focused(page)).toBe(first);
  await expect.poll(() => isWithinWindow(page, first)).toBe(true);
}

/** Discards the form that is open, and opens another page in a window with its menu. */
async function leaveFor(page: Page, name: string) {
  await discard(page);
  await page.setViewportSize({ width: 1440, height: 900 });
  await page.getByRole('link', { name, exact: true }).click();
}

/** A form of a tool with a field that breaks a rule in the middle, and one behind it. */
async function fillNested(page: Page) {
  await field(page, 'name').fill('Orders');
  await field(page, 'description').fill('Looks orders up in the shop');
  await field(page, 'baseUrl').fill('https://shop.example.com/api');
  await field(page, 'openapi').fill('{');
  for (const name of ['X-Shop', 'X-Shop']) {
    await press(page, 'Add header');
    await page.locator('form:visible [name^="headers."][name$=".name"]').last().fill(name);
    await page.locator('form:visible [name^="headers."][name$=".value"]').last().fill('Harbour');
  }
}

describe('a form sent with faults', () => {
  it('has the focus at its first faulty field, in sight, whether the page or the server found it', async () => {
    const page = await browser.newPage(product.url);
    await page.setViewportSize(SMALL);
    await page.goto('/auth');
    await field(page, 'email').fill('no address');
    await expectFirstFault(page, 'email');

    // An agent whose name is right.
    await registered(page, 'Harbour Books');
    await page.goto('/agents');
    await press(page, 'Create Agent');
    await field(page, 'name').fill('Support desk');
    await field(page, 'description').fill('Answers questions of customers');
    await field(page, 'personaConfig.role').fill('Clerk');
    await field(page, 'personaConfig.role').press('Tab');
    await expectFirstFault(page, 'personaConfig.personality');

    // A tool with a wrong row and a wrong document after it.
    await leaveFor(page, 'Tools');
    await page.setViewportSize(SMALL);
    await press(page, 'Add Tool');
    await fillNested(page);
    await expectFirstFault(page, 'headers.1.name');

    // The server's answer may name them in whatever order.
    await leaveFor(page, 'Team');
    await press(page, 'Invite Member');
    await field(page, 'email').fill(someone());
    const errors = ['message', 'email'].map((path) => {
      return { path, message: 'Please enter a valid email address' };
    });
    const problem = { detail: 'Two fields are wrong', code: 'validation-failed', errors };
    await page.route('**/api/invitations', (route) =>
      route.request().method() === 'POST'
        ? route.fulfill({
            status: 400,
            contentType: 'application/problem+json',
            body: JSON.stringify(problem),
          })
        : route.continue(),
    );
    await submit(page).click();
    await expect.poll(() => messageAt(page, 'message')).not.toBe('');
    await expect.poll(() => focused(page)).toBe('email');
  });
});

async function isWithinWindow(page: Page, name: string) {
  const box = await field(page, name).boundingBox();
  return box !== null && box.y >= 0 && box.y + box.height <= SMALL.height;
}
