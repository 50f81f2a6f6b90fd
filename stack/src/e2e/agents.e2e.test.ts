import { agentInput } from '@tallyhand/test-kit/api-client';
import type { Page } from 'playwright';
import { describe, expect, it } from 'vitest';
import { openSuite } from './browser.ts';
import {
  anArticle,
  aPlaybook,
  aTool,
  chooseFromMenu,
  dialog,
  dialogIsGone,
  field,
  press,
  registered,
  toast,
} from './steps.ts';

const { product, browser } = await openSuite();

/** The agents page of a new organization that has one agent. */
async function agentsPage(): Promise<{ page: Page; id: string }> {
  const page = await browser.newPage(product.url);
  await registered(page, 'Harbour Books');
  const response = await page.request.post('/api/agents', { data: agentInput });
  const { id } = await response.json();
  await page.goto('/agents');
  await page.getByRole('heading', { name: 'Support' }).waitFor();
  return { page, id };
}

describe('an agent', () => {
  it('is changed, paused, deleted and brought back without loading the page again', async () => {
    const { page } = await agentsPage();

    await chooseFromMenu(page, 'Support', 'Edit Agent');
    await expect
      .poll(() => field(page, 'personaConfig.communicationStyle').inputValue())
      .toBe('friendly');
    await dialog(page).getByText('Returns', { exact: true }).waitFor();
    await field(page, 'name').fill('S');
    await press(dialog(page), 'Save Changes');
    await dialog(page).getByText('Name must be at least 2 characters').waitFor();
    await page.keyboard.press('Escape');
    await press(page.getByRole('alertdialog'), 'Keep editing');
    await field(page, 'name').fill('Returns desk');
    await press(dialog(page), 'Save Changes');
    await dialogIsGone(page);
    await page.getByRole('heading', { name: 'Returns desk' }).waitFor();

    const card = page.getByRole('article', { name: 'Returns desk' });
    await chooseFromMenu(page, 'Returns desk', 'Pause Agent');
    await card.getByText('Paused').waitFor();
    await expect
      .poll(() => card.getByRole('button', { name: 'Execute Task' }).isDisabled())
      .toBe(true);
    await chooseFromMenu(page, 'Returns desk', 'Activate Agent');
    await card.getByText('Active').waitFor();

    await chooseFromMenu(page, 'Returns desk', 'Delete Agent');
    await press(page.getByRole('alertdialog'), 'Delete Agent');
    await page.getByText('No agents yet').waitFor();
    await toast(page, 'Agent deleted');
    await press(page, 'Undo');
    await card.waitFor();
  });

  it('shows an older version, and restores it', async () => {
    const { page } = await agentsPage();
    await chooseFromMenu(page, 'Support', 'Edit Agent');
    await field(page, 'personaConfig.communicationStyle').selectOption('formal');
    await field(page, 'name').fill('Returns desk');
    const sent = page.waitForRequest((request) => request.method() === 'PUT');
    await press(dialog(page), 'Save Changes');
    expect(Object.keys((await sent).postDataJSON())).toEqual(['name', 'personaConfig']);
    await dialogIsGone(page);

    await chooseFromMenu(page, 'Returns desk', 'History');
    const entry = (text: RegExp) => dialog(page).getByRole('listitem').filter({ hasText: text });
    const changed = entry(/^Changed/);
    await changed.getByText('Communication Style').waitFor();
    await expect
      .poll(() => changed.locator('del').allInnerTexts())
      .toEqual(['Support', 'Friendly']);
    await expect
      .poll(() => changed.locator('ins').allInnerTexts())
      .toEqual(['Returns desk', 'Formal']);
    await press(dialog(page), 'Restore this version (Version 1)');
    await press(page.getByRole('alertdialog'), 'Restore version');
    await entry(/Restored from version 1/).waitFor();
    await press(dialog(page), 'Close');
    await page.getByRole('heading', { name: 'Support' }).waitFor();
  });

  it('that is deleted is restored from its history, to which the audit log links', async () => {
    const { page, id } = await agentsPage();
    await page.request.delete(`/api/agents/${id}`);
    await page.goto('/audit');
    await page.locator(`a[href="/agents?history=${id}"]`).first().click();
    await dialog(page).getByText('Deleted', { exact: true }).waitFor();
    await press(dialog(page), 'Restore this version (Version 1)');
    await press(page.getByRole('alertdialog'), 'Restore version');
    await dialog(page).getByText('Restored').waitFor();
    await press(dialog(page), 'Close');
    await page.getByRole('heading', { name: 'Support', exact: true }).waitFor();
  });

  it('keeps its assignments, which are preselected when the dialog opens again', async () => {
    const { page } = await agentsPage();
    const post = (path: string, data: object) => page.request.post(path, { data });
    for (let number = 1; number <= 9; number++) {
      await post('/api/knowledge', { ...anArticle, title: `Article ${number}` });
    }
    await post('/api/playbooks', aPlaybook);
    await post('/api/tools', aTool);
    const box = (name: string) => dialog(page).getByRole('checkbox', { name, exact: true });
    const tab = (name: string | RegExp) => dialog(page).getByRole('tab', { name });

    await chooseFromMenu(page, 'Support', 'Assign Resources');
    await dialog(page).getByRole('searchbox').fill('article 7');
    await expect.poll(() => dialog(page).getByRole('checkbox').count()).toBe(1);
    await box('Article 7').click();
    await tab('Playbooks (0)').click();
    await box('Refund a customer').click();
    await tab('Tools (0)').click();
    await dialog(page).getByText('API', { exact: true }).waitFor();
    await box('Orders').click();
    await dialog(page).getByText('3 selected').waitFor();
    await press(dialog(page), 'Assign Resources');
    await dialogIsGone(page);

    await page.reload();
    await chooseFromMenu(page, 'Support', 'Assign Resources');
    await tab('Articles (1)').waitFor();
    await expect.poll(() => box('Article 7').isChecked()).toBe(true);
    await expect.poll(() => box('Article 1').isChecked()).toBe(false);
    await tab('Tools (1)').click();
    await expect.poll(() => box('Orders').isChecked()).toBe(true);
    await tab('Playbooks (1)').click();
    await box('Refund a customer').click();
    await press(dialog(page), 'Assign Resources');
    await dialogIsGone(page);

    await chooseFromMenu(page, 'Support', 'History');
    const [newest, before] = ['del', 'ins'].map((name) => dialog(page).locator(`${name}:visible`));
    await expect.poll(() => newest?.allInnerTexts()).toEqual(['Refund a customer']);
    await expect
      .poll(() => before?.allInnerTexts())
      .toEqual(['Article 7', 'Refund a customer', 'Orders']);
  });

  it('is created with the keyboard alone', async () => {
    const page = await browser.newPage(product.url);
    await registered(page, 'Hill Farm');
    await page.goto('/agents');
    await page.getByText('No agents yet').waitFor();
    const type = async (text: string) => {
      await page.keyboard.type(text);
      await page.keyboard.press('Tab');
    };
    await tabTo(page, 'Create Agent');
    await page.keyboard.press('Enter');
    await dialog(page).waitFor();
    await type('Field notes');
    await type('Writes down what was seen');
    await type('Note taker');
    await type('Short and exact, never guesses');
    await page.keyboard.type('Research');
    await page.keyboard.press('Enter');
    await tabTo(page, 'Create Agent');
    await page.keyboard.press('Enter');
    await dialogIsGone(page);
    await page.getByRole('heading', { name: 'Field notes' }).waitFor();
    // The header's button takes the place of the one in the empty list.
    await expect.poll(() => page.locator(':focus').textContent()).toBe('Create Agent');
  });

  it("shows the server's refusal at its field", async () => {
    const { page } = await agentsPage();
    await page.route('**/api/agents/*', (route, request) => {
      const body = { ...request.postDataJSON(), description: 'short' };
      return route.continue({ postData: JSON.stringify(body) });
    });
    await chooseFromMenu(page, 'Support', 'Edit Agent');
    await field(page, 'description').fill('Answers whatever customers ask');
    await press(dialog(page), 'Save Changes');
    await dialog(page).getByText('Description must be at least 10 characters').waitFor();
    await toast(page, 'Failed to update agent');
    await expect.poll(() => page.locator(':focus').getAttribute('name')).toBe('description');
  });

  it('runs nothing for an organization without credits, which every page reports at once', async () => {
    const { page, id } = await agentsPage();
    await chooseFromMenu(page, 'Support', /Execute Task/);
    const run = () => page.request.post(`/api/agents/${id}/execute`, { data: { input: 'Hello' } });
    for (let left = 100; left > 0; left -= 10) {
      await Promise.all(Array.from({ length: 10 }, run));
    }
    await page.getByText('0 credits', { exact: true }).waitFor();
    await dialog(page)
      .getByText(/Not enough credits/)
      .waitFor();
    const send = dialog(page).getByRole('button', { name: /Execute Task/ });
    await expect.poll(() => send.isDisabled()).toBe(true);
    const refused = await run();
    expect(refused.status()).toBe(402);
    expect(await refused.json()).toMatchObject({ code: 'insufficient-credits' });
  });
});

/** Presses Tab until the named control has the focus. */
async function tabTo(page: Page, name: string) {
  const described = `document.activeElement.textContent`;
  for (let steps = 0; steps < 60; steps++) {
    await page.keyboard.press('Tab');
    if ((await page.evaluate(described)) === name) return;
  }
  throw new Error(`Tab does not lead to ${name}`);
}
