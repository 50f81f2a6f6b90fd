import { readFile } from 'node:fs/promises';
import { agentInput } from '@tallyhand/test-kit/api-client';
import type { Page } from 'playwright';
import { describe, expect, it } from 'vitest';
import { expectAccessible, openSuite } from './browser.ts';
import { anArticle, dialog, dialogIsGone, field, press, registered, toast } from './steps.ts';

const { product, browser } = await openSuite();

const box = (page: Page, name: string) =>
  page.getByRole('checkbox', { name: `Select ${name}`, exact: true });
const bar = (page: Page, n: number) => page.getByRole('region', { name: `Selected: ${n}` });
const cards = (page: Page) => page.getByRole('main').getByRole('article');

async function create(page: Page, path: string, data: object): Promise<string> {
  const answer = await page.request.post(path, { data });
  expect(answer.ok()).toBe(true);
  return (await answer.json()).id;
}

describe('several cards', () => {
  it('are selected by keyboard, exported, assigned, deleted, restored by one toast, and paused but for those that fail', async () => {
    const page = await browser.newPage(product.url);
    await registered(page, 'Harbour Books');
    const agentId = await create(page, '/api/agents', agentInput);
    const titles = ['Returns', 'Shipping', 'Warranty'];
    const ids: string[] = [];
    for (const title of titles) {
      ids.push(await create(page, '/api/knowledge', { ...anArticle, title }));
    }
    await page.goto('/knowledge');
    await cards(page).nth(2).waitFor();
    await box(page, 'Returns').press('Space');
    await bar(page, 1).waitFor();
    await page.keyboard.press('Escape');
    await bar(page, 1).waitFor({ state: 'detached' });
    await cards(page).first().getByRole('heading').waitFor();
    const shown = await cards(page).getByRole('heading').allInnerTexts();
    await box(page, shown[0] ?? '').click();
    await box(page, shown[2] ?? '').click({ modifiers: ['Shift'] });
    await bar(page, 3).waitFor();
    await expectAccessible(page);
    const download = page.waitForEvent('download');
    await press(bar(page, 3), 'Export');
    const file = await readFile(await (await download).path(), 'utf8');
    expect(
      JSON.parse(file)
        .map(({ id }: { id: string }) => id)
        .toSorted(),
    ).toEqual(ids.toSorted());
    await press(bar(page, 3), 'Assign to agent…');
    await press(dialog(page), 'Assign');
    await dialog(page).getByText('Choose an agent').last().waitFor();
    await field(page, 'agent').selectOption({ label: agentInput.name });
    await press(dialog(page), 'Assign');
    await toast(page, `Assigned to ${agentInput.name}: 3`);
    await dialogIsGone(page);
    const assigned = await page.request.get(`/api/agents/${agentId}/assignments`);
    expect((await assigned.json()).articles.toSorted()).toEqual(ids.toSorted());
    await box(page, 'Returns').click();
    await press(bar(page, 1), 'Select all (3)');
    await press(bar(page, 3), 'Delete (3)');
    await press(page.getByRole('alertdialog'), 'Delete (3)');
    await page.getByText('No articles yet').waitFor();
    await press(page, 'Undo');
    await expect.poll(() => cards(page).count()).toBe(3);

    // Those that fail stay selected, with the reason, and the others are done.
    const gone = await create(page, '/api/agents', { ...agentInput, name: 'Gone' });
    await create(page, '/api/agents', { ...agentInput, name: 'There' });
    await page.getByRole('link', { name: 'AI Agents', exact: true }).click();
    await page.getByRole('heading', { name: 'There' }).waitFor();
    browser.mayComplain(/ERR_FAILED/);
    await page.route(`**/api/agents/${gone}`, (route) =>
      route.request().method() === 'PUT' ? route.abort() : route.continue(),
    );
    await box(page, 'Gone').click();
    await box(page, 'There').click();
    await press(bar(page, 2), 'Pause (2)');
    await bar(page, 1).getByRole('alert').getByText('Gone').waitFor();
    await toast(page, 'Paused: 1');
    await expect.poll(() => box(page, 'Gone').isChecked()).toBe(true);
    await expect.poll(() => box(page, 'There').isChecked()).toBe(false);
    await expectAccessible(page);
  });
});
