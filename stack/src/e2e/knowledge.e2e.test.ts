import type { Locator, Page } from 'playwright';
import { describe, expect, it } from 'vitest';
import { expectAccessible, openSuite } from './browser.ts';
import {
  anArticle,
  aPlaybook,
  chooseFromMenu,
  dialog,
  dialogIsGone,
  field,
  press,
  registered,
  toast,
} from './steps.ts';

const { product, browser } = await openSuite();

type Given = { articles?: object[]; playbooks?: object[] };

/** A page of a new organization with these objects, and the ids of its articles. */
async function memberWith({ articles = [], playbooks = [] }: Given = {}) {
  const page = await browser.newPage(product.url);
  await registered(page, 'Harbour Books');
  const post = async (path: string, data: object): Promise<string> => {
    const response = await page.request.post(path, { data });
    if (response.status() !== 201) throw new Error(await response.text());
    return (await response.json()).id;
  };
  const ids: string[] = [];
  for (const data of articles) ids.push(await post('/api/knowledge', data));
  for (const data of playbooks) await post('/api/playbooks', data);
  return { page, ids };
}

const tab = (within: Page | Locator, name: string | RegExp) =>
  within.getByRole('tab', { name }).click();
const entry = (page: Page, name: RegExp) =>
  dialog(page).getByRole('listitem').filter({ hasText: name }).first();

async function restoreVersion(page: Page, version: number) {
  await press(dialog(page), `Restore this version (Version ${version})`);
  await press(page.getByRole('alertdialog'), 'Restore version');
  await toast(page, `Version ${version} restored`);
}

/** Nothing here is about the order of the cards. */
const shown = (page: Page) =>
  page.getByRole('article').evaluateAll((all) => all.map((it) => it.ariaLabel).toSorted());

describe('an article', () => {
  it('is found on its shelf, changed whatever its length, compared, restored, and comes back when it was deleted', async () => {
    const long = 'The longest article. '.repeat(1_000).trim();
    const { page, ids } = await memberWith({
      articles: [
        anArticle,
        { ...anArticle, title: 'Shipping', tags: ['parcels'] },
        { ...anArticle, title: 'Returned goods', content: long },
      ],
      playbooks: [aPlaybook, { ...aPlaybook, title: 'Send a parcel', tags: [] }],
    });
    const [id] = ids;
    await page.request.delete(`/api/knowledge/${id}`);
    await page.goto(`/knowledge?article=${id}`);
    await dialog(page).getByText('Deleted', { exact: true }).waitFor();
    await press(dialog(page), /^Restore this version/);
    await press(page.getByRole('alertdialog'), 'Restore version');
    await dialog(page).getByText('Within 30 days of delivery.').waitFor();
    await press(dialog(page), 'Close');
    await dialogIsGone(page);

    // Titles and tags are searched, on both shelves.
    await page.getByRole('searchbox').fill('PARCEL');
    await expect.poll(() => shown(page)).toEqual(['Shipping']);
    await tab(page, 'Playbooks (2)');
    await expect.poll(() => shown(page)).toEqual(['Send a parcel']);
    await page.getByRole('searchbox').fill('zebra');
    await page.getByText('Nothing matches these filters').waitFor();
    await tab(page, 'Articles (3)');
    await page.getByRole('searchbox').fill('return');
    await expect.poll(() => shown(page)).toEqual(['Returned goods', 'Returns']);

    await chooseFromMenu(page, 'Returned goods', 'Edit Article');
    await expect.poll(() => field(page, 'content').inputValue()).toBe(long);
    await field(page, 'title').fill('The long return');
    const sentLong = page.waitForRequest((request) => request.method() === 'PUT');
    await press(dialog(page), 'Save Changes');
    expect((await sentLong).postDataJSON()).toEqual({ title: 'The long return' });
    await dialogIsGone(page);
    await page.getByRole('heading', { name: 'The long return' }).waitFor();

    await chooseFromMenu(page, 'Returns', 'Edit Article');
    await expect.poll(() => field(page, 'content').inputValue()).toBe(anArticle.content);
    await field(page, 'content').fill('# Returns\n\nWithin 60 days of delivery.');
    const sent = page.waitForRequest((request) => request.method() === 'PUT');
    await press(dialog(page), 'Save Changes');
    expect((await sent).postDataJSON()).toEqual({
      content: '# Returns\n\nWithin 60 days of delivery.',
    });
    await dialogIsGone(page);
    await toast(page, 'Article updated');
    const card = page.getByRole('article', { name: 'Returns' });
    await card.getByText('Version 2').waitFor();

    // A history that could not be loaded is loaded by trying again.
    await page.route('**/history*', (route) => route.fulfill({ status: 429, json: {} }));
    await chooseFromMenu(page, 'Returns', 'History');
    await dialog(page).getByText("Couldn't load this content").waitFor();
    await page.unroute('**/history*');
    await press(dialog(page), 'Try again');
    await entry(page, /^Created/).waitFor();
    const changed = entry(page, /^Changed/);
    await changed.getByText('Anna Berg').waitFor();
    await expect.poll(() => changed.locator('del').innerText()).toBe('Within 30 days of delivery.');
    await expect.poll(() => changed.locator('ins').innerText()).toBe('Within 60 days of delivery.');

    // The address keeps the search, the article and its history.
    await page.reload();
    await restoreVersion(page, 1);
    await entry(page, /Restored from version 1/).waitFor();
    await expect
      .poll(() => dialog(page).getByRole('tab', { selected: true }).innerText())
      .toBe('History');
    await tab(dialog(page), 'Article');
    const text = dialog(page).getByRole('tabpanel', { name: 'Article' });
    await text.getByText('Within 30 days of delivery.').waitFor();
    await text.getByText('Version 3').waitFor();
    await press(dialog(page), 'Close');
    await dialogIsGone(page);
    await expect.poll(() => shown(page)).toEqual(['Returns', 'The long return']);
    await page.getByRole('searchbox').fill('zebra');
    await page.getByText('Nothing matches these filters').waitFor();
  });
});

describe('a playbook', () => {
  it('is created, also with the keyboard alone, changed, compared, restored, deleted and undeleted', async () => {
    const { page } = await memberWith();
    await page.goto('/knowledge');
    await press(page, 'Add Article');
    await field(page, 'title').fill('Not lost');
    await tab(dialog(page), 'Playbook');
    await field(page, 'title').fill('Refund a customer');
    await field(page, 'description').fill('When a customer wants money back');
    await field(page, 'steps').fill('Find it');
    await field(page, 'estimatedDuration').fill('0');
    await press(dialog(page), 'Create Playbook');
    await dialog(page).getByText('Steps must be at least 20 characters').waitFor();
    await dialog(page).getByText('Duration must be at least 1 minute').waitFor();
    await tab(dialog(page), 'Article');
    await expect.poll(() => field(page, 'title').inputValue()).toBe('Not lost');
    await tab(dialog(page), 'Playbook');
    await field(page, 'steps').fill('Find the order\n\n  Check its date\nSay what was decided');
    await field(page, 'estimatedDuration').fill('30');
    await press(dialog(page), 'Create Playbook');
    await dialogIsGone(page);
    await toast(page, 'Playbook created');

    await tab(page, 'Playbooks (1)');
    const card = page.getByRole('article', { name: 'Refund a customer' });
    await card.getByText('3 steps').waitFor();
    await card.getByText('30 min').waitFor();
    await chooseFromMenu(page, 'Refund a customer', 'Edit Playbook');
    const steps = 'Find the order\nCheck its date\nSay what was decided';
    await expect.poll(() => field(page, 'steps').inputValue()).toBe(steps);
    await field(page, 'steps').fill(`${steps}\nWrite it down`);
    await press(dialog(page), 'Save Changes');
    await card.getByText('4 steps').waitFor();

    await chooseFromMenu(page, 'Refund a customer', 'History');
    await expect
      .poll(() =>
        entry(page, /^Changed/)
          .locator('ins')
          .innerText(),
      )
      .toBe('Write it down');
    await restoreVersion(page, 1);
    await tab(dialog(page), 'Playbook');
    const items = dialog(page).getByRole('tabpanel').getByRole('listitem');
    await expect.poll(() => items.count()).toBe(3);
    await press(dialog(page), 'Close');
    await dialogIsGone(page);

    await chooseFromMenu(page, 'Refund a customer', 'Delete Playbook');
    await press(page.getByRole('alertdialog'), 'Delete Playbook');
    await page.getByText('No playbooks yet').waitFor();
    await press(page, 'Undo');
    await card.waitFor();

    await tab(page, 'Articles (0)');
    await page.getByText('No articles yet').waitFor();
    await page.getByRole('button', { name: 'Create Playbook' }).focus();
    await page.keyboard.press('Enter');
    await dialog(page).waitFor();
    const type = async (text: string) => {
      await page.keyboard.type(text);
      await page.keyboard.press('Tab');
    };
    await type('Greet a customer');
    await type('How everybody is greeted');
    await type('Say good day to everybody');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Control+A');
    await type('5');
    await type('manners');
    await page.keyboard.press('Shift+Tab');
    await page.keyboard.press('Enter');
    await dialogIsGone(page);
    await expect.poll(() => page.locator(':focus').textContent()).toBe('Create Playbook');
    await page.getByRole('tab', { name: 'Articles (0)' }).focus();
    await page.keyboard.press('ArrowRight');
    const greeting = page.getByRole('article', { name: 'Greet a customer' });
    await greeting.getByText('manners').waitFor();
    await greeting.getByText('5 min').waitFor();
  });
});

describe('an import', () => {
  const file = (name: string, text: string) => ({
    name,
    mimeType: 'application/octet-stream',
    buffer: Buffer.from(text),
  });
  const choose = (page: Page, name: string, text: string) =>
    dialog(page).locator('input[type=file]').setInputFiles(file(name, text));
  const send = (page: Page) => dialog(page).locator('button[type=submit]').click();

  it('makes an article of a file, and reports errors and what was omitted, in the language of the reader', async () => {
    const { page } = await memberWith();
    await page.goto('/knowledge');
    await press(page, 'Import');
    await expectAccessible(page);
    await press(dialog(page), 'Import Article');
    await expect.poll(() => dialog(page).locator('[aria-invalid]').count()).toBe(1);
    await choose(page, 'book.pdf', 'no PDF at all');
    await send(page);
    await dialog(page).getByText("its content doesn't match its name").waitFor();
    await expect.poll(() => dialog(page).locator('[aria-invalid]').count()).toBe(1);
    await dialog(page).getByRole('tab', { name: 'Web page' }).click();
    await field(page, 'url').fill('not an address');
    await send(page);
    await dialog(page).getByText('Please enter a valid URL').waitFor();
    await field(page, 'url').fill('http://127.0.0.1:1/');
    await send(page);
    await dialog(page).getByText("Couldn't open the page.").waitFor();
    expect(await (await page.request.get('/api/knowledge')).json()).toEqual([]);

    await dialog(page).getByRole('tab', { name: 'File' }).click();
    await choose(page, 'packing.md', '# Packing list\n\nTents go in **first**.');
    await dialog(page).getByText('packing.md').waitFor();
    await send(page);
    await toast(page, 'Article imported');
    await dialog(page).getByRole('heading', { name: 'Packing list' }).first().waitFor();
    await dialog(page).getByText('first', { exact: true }).waitFor();

    await page.evaluate(`localStorage.setItem('tallyhand-language', 'de')`);
    await page.goto('/knowledge');
    await press(page, 'Importieren');
    await choose(page, 'empty.txt', '');
    await send(page);
    await dialog(page).getByText('Das Dokument enthält keinen Text.').waitFor();
    expect(await (await page.request.get('/api/knowledge')).json()).toHaveLength(1);
    await choose(
      page,
      'zelte.html',
      '<h1>Zelte</h1><p>Sie sind dicht.</p><img src="a.png" alt="Zelt"><img src="b.png">',
    );
    await send(page);
    await dialog(page).getByText('2 Bilder wurden weggelassen').waitFor();
    await expectAccessible(page);
  });
});
