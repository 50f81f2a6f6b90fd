import { sampleName, sampleOf } from '@tallyhand/test-kit/cases';
import type { Page } from 'playwright';
import { describe, expect, it } from 'vitest';
import { openSuite } from './browser.ts';
import { type MainForm, mainForms } from './main-forms.ts';
import { dialogIsGone, field, press, registered, someone, toast } from './steps.ts';

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
    if (form.shownAt) await page.goto(form.shownAt);
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
