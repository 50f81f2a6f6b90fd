import { agentInput } from '@tallyhand/test-kit/api-client';
import type { Page } from 'playwright';
import { describe, expect, it } from 'vitest';
import { expectAccessible, openSuite } from './browser.ts';
import { press, registered } from './steps.ts';

const { product, browser } = await openSuite();

const main = (page: Page) => page.getByRole('main');
const bar = (page: Page, name: string) =>
  page.getByRole('progressbar', { name }).getAttribute('aria-valuenow');

/** An Admin with two agents, one of them paused and one of many talents. */
async function member() {
  const page = await browser.newPage(product.url);
  await registered(page, 'Harbour Books');
  const expertise = ['Returns', 'Refunds', 'Parcels', 'Labels', 'Customs'];
  const able = { ...agentInput.personaConfig, expertise };
  const agents = [
    { ...agentInput, personaConfig: able },
    { ...agentInput, name: 'Sales', isActive: false },
  ];
  for (const data of agents) await page.request.post('/api/agents', { data });
  return page;
}

/**
 * Shows a balance of which nothing was bought or spent; returns what changes it. A new limit makes
 * the page ask for the balance again.
 */
async function withBalance(page: Page, first: number) {
  let creditBalance = first;
  await page.route('**/api/organization', async (route) => {
    const answer = await route.fetch();
    await route.fulfill({ json: { ...(await answer.json()), creditBalance } });
  });
  const [agent] = await (await page.request.get('/api/agents')).json();
  return async (balance: number) => {
    creditBalance = balance;
    const data = { kind: 'agent', id: agent.id, monthlyCredits: 1_000 + balance };
    expect((await page.request.put('/api/billing/limits', { data })).status()).toBe(200);
    await page.getByText(`${balance} credit`).first().waitFor();
  };
}

const firstSteps = (page: Page) =>
  main(page)
    .locator('section')
    .filter({ has: page.getByRole('heading', { name: 'Get started' }) });

const isShown = (page: Page, text: string) => main(page).getByText(text).isVisible();

/** The length of a list proves nothing: the figures come from the server. */
const withStats = (page: Page, json: object) =>
  page.route('**/api/organization/stats', (route) => route.fulfill({ json }));

describe('the dashboard', () => {
  it('begins with the first steps, ticks each when it is done, and leads to the next one', async () => {
    const page = await browser.newPage(product.url);
    await registered(page, 'Harbour Books');
    await page.goto('/dashboard');
    await page.getByRole('heading', { name: 'Welcome back, Anna Berg' }).waitFor();
    await main(page).getByText('Harbour Books').waitFor();
    await main(page).getByText('No activity yet').waitFor();
    const steps = firstSteps(page);
    const done = (count: number) => steps.getByText(`${count} of 5 done`).waitFor();
    await done(0);
    await expectAccessible(page);
    await main(page).getByRole('link', { name: 'Create your first agent' }).click();
    await page.waitForURL('**/agents?new=templates');
    await page.goBack();
    await steps.getByRole('link', { name: 'Add article' }).click();
    await page.waitForURL('**/knowledge?new=article');
    await page.goBack();
    const made = async (path: string, data: object) => {
      const answer = await page.request.post(`/api${path}`, { data });
      expect(answer.ok(), await answer.text()).toBe(true);
      return answer.json();
    };
    const article = { title: 'Returns', content: 'Thirty days.', category: 'General', tags: [] };
    const { id: articleId } = await made('/knowledge', { ...article, isPublic: false });
    // The page learns of it by itself.
    await done(1);
    const { id } = await made('/agents', agentInput);
    await done(2);
    await made(`/agents/${id}/assign`, { articles: [articleId], playbooks: [], tools: [] });
    await done(3);
    await steps.getByRole('link', { name: 'Run task' }).click();
    await page.waitForURL(`**/agents/${id}/execute`);
    await made(`/agents/${id}/execute`, { input: 'How long?', type: 'query' });
    await page.goBack();
    await done(4);
    await made('/invitations', { email: 'ben@example.com', role: 'Viewer' });
    await steps.waitFor({ state: 'detached' });
  });

  it('shows the figures, the latest five tasks and the progress, each leading on', async () => {
    const page = await member();
    const dayOf = (n: number) => ({
      day: `2026-11-${10 + n}`,
      tasks: n,
      failed: 0,
      credits: 2 * n,
    });
    const days = Array.from({ length: 14 }, (_, n) => dayOf(n));
    const stats = { total: 8, success: 6, failed: 1, running: 1, createdThisMonth: 8 };
    await page.route('**/api/tasks/stats', (route) =>
      route.fulfill({ json: { ...stats, creditsUsed: 6, latestDays: days } }),
    );
    const agents: { id: string }[] = await (await page.request.get('/api/agents')).json();
    for (let n = 0; n < 6; n++) {
      const data = { input: `Question ${n}`, type: 'query' };
      const { id } = agents.at(-1) ?? { id: '' };
      await page.request.post(`/api/agents/${id}/execute`, { data });
    }
    const counted = await page.request.get('/api/organization/stats');
    expect(await counted.json()).toEqual({
      agents: 2,
      activeAgents: 1,
      articles: 0,
      hasAssignedAgent: false,
      hasTeammates: false,
    });
    const others = { hasAssignedAgent: true, hasTeammates: true };
    await withStats(page, { agents: 2_400, activeAgents: 1_200, articles: 1_001, ...others });
    await withBalance(page, 250);
    await page.goto('/dashboard');
    const figures = main(page).getByRole('list', { name: 'Key figures' }).getByRole('link');
    const shown = [
      ['/agents', /Active Agents\s*1,200\s*of 2,400 total/],
      ['/tasks', /Tasks Completed\s*6\s*of 8 total/],
      ['/billing', /Credits Remaining\s*250/],
      ['/knowledge', /Knowledge Articles\s*1,001/],
    ] as const;
    for (const [index, [path, words]] of shown.entries()) {
      await expect.poll(() => figures.nth(index).getAttribute('href')).toBe(path);
      await expect.poll(() => figures.nth(index).innerText()).toMatch(words);
    }
    await expect.poll(() => bar(page, 'Task success rate')).toBe('75');
    await expect.poll(() => bar(page, 'Active agents')).toBe('50');
    await expect.poll(() => bar(page, 'Credit usage')).toBe('75');
    for (const share of ['6 of 8', '1,200 of 2,400', '250 of 1,000 left']) {
      await main(page).getByText(share, { exact: true }).waitFor();
    }
    await main(page).getByText('91 tasks', { exact: true }).waitFor();
    await main(page).getByRole('img', { name: '182 credits used. Nov 10: 0,' }).waitFor();
    await press(page, /^Show as table.*Last 14 days/);
    await main(page).getByRole('row', { name: 'Nov 23 13 26' }).waitFor();
    await press(page, /^Show as chart.*Last 14 days/);
    await main(page).getByText('91 tasks', { exact: true }).waitFor();
    const latest = main(page).locator('a[href^="/tasks?task="]');
    await latest.nth(4).waitFor();
    await expect.poll(() => latest.count()).toBe(5);
    await expect.poll(() => latest.first().innerText()).toMatch(/Support\s*Query.*\s*Question 5/);
    for (const path of ['/agents', '/knowledge', '/tools', '/team']) {
      await main(page).locator(`ul a[href="${path}"]`).last().waitFor();
    }
    await expectAccessible(page);
  });

  it('calls no agent unknown while the names are on their way, and forgets no dismissal', async () => {
    const page = await member();
    const agents: { id: string }[] = await (await page.request.get('/api/agents')).json();
    const data = { input: 'A question', type: 'query' };
    await page.request.post(`/api/agents/${agents.at(-1)?.id}/execute`, { data });
    const names = Promise.withResolvers<void>();
    await page.route('**/api/agents', async (route) => {
      await names.promise;
      await route.continue();
    });
    await page.goto('/settings');
    await page.getByRole('heading', { level: 1 }).waitFor();
    await page.evaluate(`new MutationObserver(() => {
      const isSaid = document.body.textContent.includes('Unknown Agent');
      if (isSaid) document.documentElement.dataset.unknown = 'seen';
    }).observe(document, { childList: true, subtree: true })`);
    const tasks = page.waitForResponse('**/api/tasks?*');
    await page.getByRole('navigation').getByRole('link', { name: 'Dashboard' }).click();
    await (await tasks).finished();
    await main(page)
      .getByText(/of 1 total/)
      .waitFor();
    names.resolve();
    const task = main(page).locator('a[href^="/tasks?task="]').getByText('Support');
    await task.waitFor();
    await expect.poll(() => page.locator('html').getAttribute('data-unknown')).toBeNull();

    // Dismissed first steps stay away, as long as this browser remembers it.
    const steps = firstSteps(page);
    await steps.getByRole('button', { name: 'Dismiss' }).click();
    await steps.waitFor({ state: 'detached' });
    await page.reload();
    await task.waitFor();
    await expect.poll(() => steps.count()).toBe(0);
  });
});

describe('a balance that runs out', () => {
  it('is shown below 100 on the dashboard, which leads to billing: prominent there below 50', async () => {
    const page = await member();
    const change = await withBalance(page, 100);
    await page.goto('/dashboard');
    await page.getByText('100 credit').first().waitFor();
    await expect.poll(() => isShown(page, 'Low Credits')).toBe(false);
    await change(99);
    await main(page).getByText('You have 99 credits remaining.').waitFor();
    await main(page)
      .getByText(/Purchase more to continue using agents/)
      .waitFor();
    await main(page).getByRole('link', { name: 'Buy Credits' }).click();
    await page.getByRole('heading', { name: 'Purchase Credits' }).waitFor();
    await main(page).getByText('Available Credits').waitFor();
    const hint = 'Low balance - consider purchasing more credits';
    const critical = 'Critical: Low Credit Balance';
    const expectShown = async (balance: number, expected: [boolean, boolean]) => {
      await change(balance);
      const shown = () => Promise.all([isShown(page, hint), isShown(page, critical)]);
      await expect.poll(shown).toEqual(expected);
    };
    await expectShown(100, [false, false]);
    await expectShown(99, [true, false]);
    await expectShown(50, [true, false]);
    await expectShown(49, [true, true]);
  });

  it('is shown below 10 on the agents page, which executes nothing below 1', async () => {
    const page = await member();
    const change = await withBalance(page, 11);
    await page.goto('/agents');
    const support = page.getByRole('article', { name: 'Support' });
    const execute = support.getByRole('button', { name: 'Execute Task' });
    const expectShown = async (balance: number, expected: [boolean, boolean]) => {
      await change(balance);
      await execute.waitFor();
      const shown = () => Promise.all([isShown(page, 'Low Credits'), execute.isEnabled()]);
      await expect.poll(shown).toEqual(expected);
    };
    await expectShown(10, [false, true]);
    await expectShown(9, [true, true]);
    await expectShown(1, [true, true]);
    await expectShown(0, [true, false]);
    const paused = page.getByRole('article', { name: 'Sales' });
    await expect
      .poll(() => paused.getByRole('button', { name: 'Execute Task' }).isDisabled())
      .toBe(true);
    const talents = await support.innerText();
    expect(talents).toMatch(/Returns\s*Refunds\s*Parcels\s*\+2 more/);
    expect(talents).not.toContain('Labels');
  });
});
