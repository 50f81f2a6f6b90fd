import { sampleName, sampleOf } from '@tallyhand/test-kit/cases';
import type { Page } from 'playwright';
import { describe, expect, it } from 'vitest';
import { openSuite } from './browser.ts';
import { type MainForm, mainForms } from './main-forms.ts';
import { field, press, registered, toast } from './steps.ts';

const { product, browser } = await openSuite();

async function opened({ path, open }: MainForm) {
  const page = await browser.newPage(product.url);
  await registered(page, 'Harbour Books');
  await page.goto(path);
  if (open) await press(page, open);
  await page.locator('form:visible [type="submit"]').waitFor();
  return page;
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
const pastesInto = (form: MainForm) => (form === forms[0] ? [400_001, 10_000_000] : [400_001]);

describe.each(forms)(`the form of $of (${sampleName()})`, (form) => {
  it('reports errors at their fields, and focuses the first', async () => {
    const page = await opened(form);
    const [first, message] = form.first;
    await field(page, form.line).press('Enter');
    expect(await messageAt(page, first)).toBe(message);
    expect(await focused(page)).toBe(first);
  });

  it('is not lost by Escape, two quick clicks or a lost answer, and makes one thing', async () => {
    const page = await opened(form);
    await form.fill(page, form.name);
    if (form.open) {
      await page.keyboard.press('Escape');
      await press(page, 'Keep editing');
    }
    const calls = await loseFirstAnswer(page, form.api);
    await clickTwice(page);
    await toast(page, form.failed);
    expect(calls).toHaveLength(1);
    expect(await field(page, form.nameField).inputValue()).toBe(form.name);
    await submit(page).click();
    await toast(page, form.done);
    expect(new Set(calls).size).toBe(1);
    expect(await countNamed(page, form)).toBe(1);
    if (form.shownAt) await page.goto(form.shownAt);
    await page.getByText(form.name, { exact: true }).filter({ visible: true }).first().waitFor();
  });

  it('accepts a huge paste without freezing, and shows the maximum length', async () => {
    const page = await opened(form);
    await form.fill(page, form.name);
    for (const length of pastesInto(form)) {
      await field(page, form.text).fill('');
      await field(page, form.text).focus();
      await page.keyboard.insertText('x'.repeat(length));
      await submit(page).click();
      expect(await messageAt(page, form.text)).toMatch(/at most \d+ characters/);
      expect(await focused(page)).toBe(form.text);
    }
  });
});
