import { agentInput } from '@tallyhand/test-kit/api-client';
import type { Locator, Page, Route } from 'playwright';
import { describe, expect, it } from 'vitest';
import { expectAccessible, openSuite } from './browser.ts';
import {
  anArticle,
  chooseFromMenu,
  dialog,
  dialogIsGone,
  goInside,
  press,
  registered,
} from './steps.ts';

const { product, browser } = await openSuite();

async function call(page: Page, method: 'POST' | 'PUT' | 'DELETE', path: string, data?: object) {
  const answer = await page.request.fetch(path, { method, data });
  expect([path, answer.ok()]).toEqual([path, true]);
  return answer.status() === 204 ? null : await answer.json();
}

/** Signed in as the founder of an organization that has an agent. */
async function withAgent() {
  const page = await browser.newPage(product.url);
  const person = await registered(page, 'Harbour Books');
  const { id } = await call(page, 'POST', '/api/agents', agentInput);
  const execute = (): Promise<{ taskId: string }> =>
    call(page, 'POST', `/api/agents/${id}/execute`, { input: 'What about returns?' });
  return { page, id, execute, person };
}

/** So many times, as from other devices. */
async function signInElsewhere(
  { email, password }: { email: string; password: string },
  times: number,
) {
  const body = JSON.stringify({ email, password });
  const headers = { 'content-type': 'application/json' };
  for (let time = 1; time <= times; time++) {
    const answer = await fetch(`${product.url}/api/login`, { method: 'POST', headers, body });
    expect(answer.ok).toBe(true);
  }
}

const slider = (page: Page, name: string) => page.getByRole('slider', { name });
const figure = (within: Page | Locator, name: string) =>
  within.locator(`dt:text-is("${name}") + dd`);

/** The part of the billing page with the slider, and the current balance. */
async function balanceCard(page: Page, available: string) {
  await page.goto('/billing?tab=ledger');
  await page.getByRole('heading', { name: 'Balance over time' }).waitFor();
  await figure(page, 'Available').filter({ hasText: available }).waitFor();
}

describe('the balance at a time', () => {
  const newest = (page: Page) =>
    page.getByRole('list', { name: 'Latest entries at that time' }).getByRole('listitem');

  const available = (page: Page) => expect.poll(() => figure(page, 'Available').innerText());

  it('moves by keys to the first entry of the ledger, and back to now', async () => {
    const { page, execute } = await withAgent();
    await execute();
    await balanceCard(page, '99');
    await expect.poll(() => newest(page).count()).toBe(3);

    // A late answer is never shown.
    const held = Promise.withResolvers<Route>();
    await page.route('**/api/organization?asOf=*', (route) => held.resolve(route));
    await slider(page, 'Time').press('Home');
    const late = await held.promise;
    await available(page).toBe('');
    await press(page, 'Reset to today');
    await available(page).toBe('99');
    const answered = page.waitForResponse('**/api/organization?asOf=*');
    await late.continue();
    await (await answered).finished();
    await available(page).toBe('99');
    await page.unroute('**/api/organization?asOf=*');

    await slider(page, 'Time').press('Home');
    await available(page).toBe('100');
    await expect.poll(() => newest(page).allInnerTexts()).toHaveLength(1);
    await expect.poll(() => newest(page).innerText()).toContain('Free credits at sign-up');
    await expect
      .poll(() => slider(page, 'Time').getAttribute('aria-valuetext'))
      .toMatch(/20\d\d.*:\d\d:\d\d/);
    await expectAccessible(page);
    await press(page, 'Reset to today');
    await expect.poll(() => slider(page, 'Time').getAttribute('aria-valuetext')).toBe('Now');
    await available(page).toBe('99');
    await execute();
    await available(page).toBe('98');

    // What cannot be loaded is reported, and tried again.
    await page.route('**/api/organization?asOf=*', (route) =>
      route.fulfill({ status: 429, json: {} }),
    );
    // The last stop is the moment just before the page was opened, thus before the second task.
    await slider(page, 'Time').press('ArrowLeft');
    await page.getByText("Couldn't load this content").waitFor();
    await page.unroute('**/api/organization?asOf=*');
    await press(page, 'Try again');
    await available(page).toBe('99');
  });
});

describe('the history of an object', () => {
  const then = (page: Page) => page.getByRole('region', { name: /^State on/ });

  it('shows an agent after each change with its resources, and the whole text of an article that was deleted', async () => {
    const { page, id } = await withAgent();
    const assigned = await call(page, 'POST', '/api/knowledge', anArticle);
    await call(page, 'POST', `/api/agents/${id}/assign`, { articles: [assigned.id] });
    await call(page, 'PUT', `/api/agents/${id}`, { name: 'Returns desk', isActive: false });
    await page.goto('/agents');
    await chooseFromMenu(page, 'Returns desk', 'History');
    await slider(page, 'View at a past time').press('ArrowLeft');
    await expect
      .poll(() => slider(page, 'View at a past time').getAttribute('aria-valuetext'))
      .toMatch(/:\d\d:\d\d/);
    await slider(page, 'View at a past time').press('Home');
    await then(page).getByText(agentInput.personaConfig.personality).waitFor();
    await expect.poll(() => figure(then(page), 'Name').innerText()).toBe('Support');
    await expect.poll(() => figure(then(page), 'Active').innerText()).toBe('Yes');
    await expect.poll(() => figure(then(page), 'Articles').innerText()).toBe('–');
    await expectAccessible(page);
    await slider(page, 'View at a past time').press('ArrowRight');
    await expect.poll(() => figure(then(page), 'Articles').innerText()).toBe('Returns');
    await expect.poll(() => figure(then(page), 'Name').innerText()).toBe('Support');
    await slider(page, 'View at a past time').press('End');
    await expect.poll(() => figure(then(page), 'Name').innerText()).toBe('Returns desk');
    await expect.poll(() => figure(then(page), 'Active').innerText()).toBe('No');
    await press(dialog(page), 'Reset to today');
    await then(page).waitFor({ state: 'detached' });

    const content = `# Old rules\n\n${'Word after word. '.repeat(500)}\n\nThe very end.`;
    const article = await call(page, 'POST', '/api/knowledge', { ...anArticle, content });
    const path = `/api/knowledge/${article.id}`;
    await call(page, 'PUT', path, { content: 'The new rules', isPublic: true });
    await call(page, 'DELETE', path);
    await call(page, 'POST', `${path}/restore`, {});
    await press(dialog(page), 'Close');
    await dialogIsGone(page);
    await goInside(page, `/knowledge?article=${article.id}&view=history`);
    await slider(page, 'View at a past time').press('Home');
    await then(page).getByRole('heading', { name: 'Old rules' }).waitFor();
    await expect.poll(() => then(page).getByText('The very end.').count()).toBe(1);
    await expect.poll(() => figure(then(page), 'Available to all agents').innerText()).toBe('No');
    await slider(page, 'View at a past time').press('ArrowRight');
    await then(page).getByText('The new rules').waitFor();
    await slider(page, 'View at a past time').press('ArrowRight');
    await then(page).getByText('Deleted at this time.').waitFor();
    await expectAccessible(page);
  });
});

describe('the history', () => {
  const events = (page: Page) =>
    dialog(page).getByRole('list', { name: 'History' }).getByRole('heading', { level: 3 });

  it('of a task is in its details, with its credits; of a member and the organization on the page of the team', async () => {
    const { page, execute, person } = await withAgent();
    const { taskId } = await execute();
    await page.goto(`/tasks?task=${taskId}`);
    await dialog(page).getByRole('tab', { name: 'History' }).click();
    await expect
      .poll(async () => (await events(page).allInnerTexts()).map((text) => text.trim()))
      .toEqual([
        expect.stringMatching(/^Credits charged\s*1 credit$/),
        'Task succeeded',
        'Task started',
        'Task requested',
        expect.stringMatching(/^Credits reserved\s*1 credit$/),
      ]);
    const requested = dialog(page).getByRole('listitem').filter({ hasText: 'Task requested' });
    await press(requested, 'Details: Task requested');
    await requested.getByText('What about returns?').waitFor();
    await requested.getByRole('link', { name: 'Anna Berg' }).waitFor();
    await expectAccessible(page);
    await page.keyboard.press('Escape');
    await dialogIsGone(page);

    await signInElsewhere(person, 20);
    await page.getByRole('navigation').getByRole('link', { name: 'Team', exact: true }).click();
    await chooseFromMenu(page, 'Anna Berg', 'History');
    await dialog(page).getByRole('heading', { name: 'History of Anna Berg' }).waitFor();
    await events(page).nth(19).waitFor();
    expect(new Set(await events(page).allInnerTexts())).toEqual(new Set(['Signed in']));
    await expectAccessible(page);
    await press(dialog(page), 'Show more');
    await events(page).filter({ hasText: 'Member joined' }).waitFor();
    await press(dialog(page), 'Close');
    await press(page, 'Organization history');
    await events(page).filter({ hasText: 'Organization registered' }).waitFor();
    await expectAccessible(page);
  });
});
