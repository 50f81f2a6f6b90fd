import { agentInput } from '@tallyhand/test-kit/api-client';
import type { Page } from 'playwright';
import { describe, expect, it } from 'vitest';
import { expectAccessible, openSuite } from './browser.ts';
import {
  addFilter,
  anArticle,
  aPlaybook,
  aTool,
  chipTexts,
  dialog,
  dialogIsGone,
  filterChips,
  goInside,
  press,
  registered,
} from './steps.ts';

const { product, browser } = await openSuite();

/** Signed in as the founder of an organization. */
async function founder(options: Parameters<typeof browser.newPage>[1] = {}) {
  const page = await browser.newPage(product.url, options);
  await registered(page, 'Harbour Books');
  const post = async (path: string, data: object) => {
    const answer = await page.request.post(path, { data });
    expect(answer.ok()).toBe(true);
    return await answer.json();
  };
  return { page, post };
}

/** An organization with three agents, one of them paused, and two tools. */
async function withAgents() {
  const { page, post } = await founder();
  const tools = [
    await post('/api/tools', aTool),
    await post('/api/tools', { ...aTool, name: 'Parcels', type: 'browser', config: {} }),
  ];
  await post('/api/agents', { ...agentInput, name: 'Zoe', tools: [tools[0].id] });
  await post('/api/agents', { ...agentInput, name: 'Mia', isActive: false });
  await post('/api/agents', { ...agentInput, name: 'Ada' });
  return { page, post };
}

const cards = (page: Page) =>
  page.getByRole('article').evaluateAll((all) => all.map((card) => card.ariaLabel));
const shows = (page: Page) => expect.poll(() => cards(page));
const query = (page: Page) => new URL(page.url()).search;

const openByLink = (page: Page, name: string) =>
  page.getByRole('navigation').getByRole('link', { name, exact: true }).click();
const menuItem = (page: Page, name: string) => page.getByRole('menuitem', { name }).click();

/** What an address can't mean is ignored, and what was deleted is named. */
async function openOddAddress(page: Page, deletedArticle: string) {
  const odd = 'isActive=perhaps&from=2026-02-30&period=century&sort=-size&toolId=7';
  await page.goto(`/agents?${odd}`);
  await shows(page).toEqual(['Ada', 'Mia', 'Zoe']);
  await expect.poll(() => filterChips(page).count()).toBe(0);
  await goInside(page, `/agents?articleId=${deletedArticle}`);
  await page.getByText('Nothing matches these filters').waitFor();
  await expect.poll(() => chipTexts(page)).toEqual(['Article: Deleted']);
  await press(filterChips(page), 'Remove filter Article: Deleted');
  await shows(page).toEqual(['Ada', 'Mia', 'Zoe']);
  await expect.poll(() => filterChips(page).count()).toBe(0);
}

async function filterByKeys(page: Page) {
  await page.getByRole('button', { name: 'Add filter' }).focus();
  for (const [key, focused] of [
    ['Enter', 'Status'],
    ['ArrowRight', 'Active'],
    ['ArrowDown', 'Paused'],
    ['Enter', 'Add filter'],
  ] as const) {
    await page.keyboard.press(key);
    await expect.poll(() => page.locator(':focus').innerText()).toBe(focused);
  }
  await shows(page).toEqual(['Mia']);
  await filterChips(page)
    .getByRole('button', { name: /^Remove filter/ })
    .focus();
  await page.keyboard.press('Enter');
  await shows(page).toEqual(['Ada', 'Mia', 'Zoe']);
  await expect.poll(() => page.locator(':focus').innerText()).toBe('Add filter');
}

/** On a phone a sheet, which changes nothing until it is applied. */
async function filterInSheet(page: Page) {
  await page.setViewportSize({ width: 375, height: 740 });
  await press(page, 'Filters');
  await dialog(page).getByLabel('Status').selectOption('Paused');
  await dialog(page).getByLabel('Created').selectOption('Last 7 days');
  await expectAccessible(page);
  await expect.poll(() => query(page)).toBe('?sort=name');
  await press(dialog(page), 'Apply (2)');
  await shows(page).toEqual(['Mia']);
  await expect.poll(() => query(page)).toBe('?sort=name&isActive=false&period=7d');
  await expectAccessible(page);
  await press(page, 'Filters (2)');
  await press(dialog(page), 'Clear all');
  await press(dialog(page), 'Apply');
  await shows(page).toEqual(['Ada', 'Mia', 'Zoe']);
}

describe('the page of agents', () => {
  it('is searched, filtered and sorted by its address, after a reload and on the way back', async () => {
    const { page } = await withAgents();
    await page.goto('/agents');
    await shows(page).toEqual(['Ada', 'Mia', 'Zoe']);
    await page.getByRole('combobox', { name: 'Sort by' }).selectOption('Name: Z to A');
    await shows(page).toEqual(['Zoe', 'Mia', 'Ada']);
    await addFilter(page, 'Status', 'Active');
    await shows(page).toEqual(['Zoe', 'Ada']);
    await expect.poll(() => query(page)).toBe('?sort=-name&isActive=true');
    await addFilter(page, 'Tool', 'Orders');
    await shows(page).toEqual(['Zoe']);
    await expectAccessible(page);
    await page.reload();
    await shows(page).toEqual(['Zoe']);
    await expect.poll(() => chipTexts(page)).toEqual(['Status: Active', 'Tool: Orders']);
    await page.goBack();
    await shows(page).toEqual(['Zoe', 'Ada']);
    await page.getByRole('searchbox').fill('ZOE');
    await shows(page).toEqual(['Zoe']);
    await page.getByRole('searchbox').fill('nobody');
    await page.getByText('Nothing matches these filters').waitFor();
    await expectAccessible(page);
    await press(page, 'Clear filters');
    await shows(page).toEqual(['Zoe', 'Mia', 'Ada']);
    await expect.poll(() => query(page)).toBe('?sort=-name');
  });

  it('ignores what its address can not mean; its filters are used by keys, and in the sheet of a phone', async () => {
    const { page, post } = await withAgents();
    const { id } = await post('/api/knowledge', anArticle);
    await page.request.delete(`/api/knowledge/${id}`);
    await openOddAddress(page, id);
    await openByLink(page, 'AI Agents');
    await page.getByRole('combobox', { name: 'Sort by' }).selectOption('Name: A to Z');
    await shows(page).toEqual(['Ada', 'Mia', 'Zoe']);
    await filterByKeys(page);
    await filterInSheet(page);
  });
});

describe('the page of tools', () => {
  it('is filtered by type, and sorted; its saved views are those of the member and organization', async () => {
    const { page } = await withAgents();
    await page.goto('/tools?sort=name&type=browser');
    await shows(page).toEqual(['Parcels']);
    await press(filterChips(page), 'Remove filter Type: Browser');
    await shows(page).toEqual(['Orders', 'Parcels']);
    await addFilter(page, 'Type', 'API');
    await shows(page).toEqual(['Orders']);
    await expect.poll(() => query(page)).toBe('?sort=name&type=api');

    await press(page, 'Views');
    await menuItem(page, 'Save this view…');
    await dialog(page).getByLabel('Name').fill('APIs');
    await press(dialog(page), 'Save view');
    await page.getByRole('button', { name: 'APIs' }).waitFor();
    await page.request.post('/api/logout');
    await registered(page, 'Other Books');
    await page.request.post('/api/tools', { data: aTool });
    await page.goto('/tools');
    await press(page, 'Views');
    await page.getByRole('menuitem', { name: 'Save this view…' }).waitFor();
    await expect.poll(() => page.getByRole('menuitemradio').count()).toBe(0);
  });
});

describe('the knowledge base', () => {
  it('is filtered by its own tags and categories', async () => {
    const { page, post } = await founder();
    await post('/api/knowledge', anArticle);
    await post('/api/knowledge', { ...anArticle, title: 'Shipping', tags: ['parcels'] });
    await post('/api/playbooks', aPlaybook);
    await page.goto('/knowledge');
    await addFilter(page, 'Tag', 'parcels');
    await shows(page).toEqual(['Shipping']);
    await page.getByRole('tab', { name: /^Playbooks/ }).click();
    await page.getByText('Nothing matches these filters').waitFor();
    await press(page, 'Clear filters');
    await shows(page).toEqual([aPlaybook.title]);
  });
});

describe('the filter bar', () => {
  it("sends the days of a preset in the user's time zone", async () => {
    const { page } = await founder({ timezoneId: 'Pacific/Auckland' });
    const now = new Date('2026-12-31T12:30:00Z');
    await page.clock.setFixedTime(now);
    await page.goto('/tasks');
    const asked = page.waitForRequest(/\/api\/tasks\?.*from=/);
    await addFilter(page, 'Created', 'This month');
    const sent = new URL((await asked).url()).searchParams;
    expect([sent.get('from'), sent.get('to')]).toEqual([
      '2026-12-31T11:00:00.000Z',
      '2027-01-01T11:00:00.000Z',
    ]);
    await expect.poll(() => query(page)).toBe('?period=month');
  });

  it('keeps its filters in place while their values are on their way, and refuses a range that ends before it begins', async () => {
    const { page } = await withAgents();
    const wanted = Promise.withResolvers<void>();
    await page.route('**/api/tools', async (route) => {
      await wanted.promise;
      await route.continue();
    });
    await page.goto('/agents');
    await shows(page).toEqual(['Ada', 'Mia', 'Zoe']);
    const item = (name: string) => page.getByRole('menuitem', { name, exact: true });
    await press(page, 'Add filter');
    await expect.poll(() => item('Tool').isDisabled()).toBe(true);
    await item('Created').click();
    await item('Custom range…').waitFor();
    wanted.resolve();
    await expect.poll(() => item('Tool').isEnabled()).toBe(true);
    await item('Custom range…').click();

    await dialog(page).getByLabel('From').fill('2026-03-02');
    await dialog(page).getByLabel('To').fill('2026-03-01');
    await dialog(page).getByText('Must not be before “From”.').waitFor();
    await press(dialog(page), 'Apply');
    await expect.poll(() => query(page)).toBe('');
    await dialog(page).getByLabel('To').fill('2026-03-03');
    await press(dialog(page), 'Apply');
    await expect.poll(() => query(page)).toBe('?from=2026-03-02&to=2026-03-03');
    const chips = async () => (await chipTexts(page)).map((text) => text.replace(/\s/g, ' '));
    await expect.poll(chips).toEqual(['Created: Mar 2 – 3, 2026']);
  });
});

describe('saved views', () => {
  const choose = (page: Page, name: string) =>
    page.getByRole('menuitemradio', { name, exact: true }).click();

  it('keep filters and sort by a name, are renamed, shown first, and deleted', async () => {
    const { page } = await withAgents();
    await page.goto('/agents?isActive=true&sort=-name');
    await shows(page).toEqual(['Zoe', 'Ada']);
    await press(page, 'Views');
    await menuItem(page, 'Save this view…');
    await press(dialog(page), 'Save view');
    await dialog(page).getByText('Enter a name.').waitFor();
    await dialog(page).getByLabel('Name').fill('At work');
    await expectAccessible(page);
    await press(dialog(page), 'Save view');
    await page.getByRole('button', { name: 'At work' }).waitFor();
    // Both at once: neither change may lose the other.
    await press(page, 'Clear all');
    await page.getByRole('combobox', { name: 'Sort by' }).selectOption('Name: A to Z');
    await shows(page).toEqual(['Ada', 'Mia', 'Zoe']);
    await press(page, 'Views');
    await choose(page, 'At work');
    await shows(page).toEqual(['Zoe', 'Ada']);
    expect(new URLSearchParams(query(page)).get('sort')).toBe('-name');

    await press(page, 'At work');
    await menuItem(page, 'Manage views…');
    await dialog(page).getByLabel('Name').fill('Busy');
    await dialog(page).getByRole('switch').click();
    await expectAccessible(page);
    await press(dialog(page), 'Save changes');
    await dialogIsGone(page);
    await openByLink(page, 'Tools');
    await page.waitForURL('**/tools');
    await openByLink(page, 'AI Agents');
    await shows(page).toEqual(['Zoe', 'Ada']);
    await press(page, 'Clear all');
    await shows(page).toEqual(['Zoe', 'Mia', 'Ada']);
    await page.goto('/agents?isActive=false');
    await shows(page).toEqual(['Mia']);

    await press(page, 'Views');
    await menuItem(page, 'Manage views…');
    await press(dialog(page), 'Delete view Busy');
    await press(dialog(page), 'Save changes');
    await dialogIsGone(page);
    await openByLink(page, 'Tools');
    await page.waitForURL('**/tools');
    await openByLink(page, 'AI Agents');
    await shows(page).toEqual(['Ada', 'Mia', 'Zoe']);
  });
});
