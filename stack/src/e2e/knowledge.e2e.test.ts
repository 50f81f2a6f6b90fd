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
  password,
  press,
  registered,
  someone,
  toast,
} from './steps.ts';

const { product, browser } = await openSuite();

type Given = { articles?: object[]; playbooks?: object[] };

/** The knowledge base of a new organization with these objects. */
async function knowledgePage({ articles = [], playbooks = [] }: Given = {}) {
  const page = await browser.newPage(product.url);
  await registered(page, 'Harbour Books');
  const ids: string[] = [];
  for (const [path, bodies] of [
    ['/api/knowledge', articles],
    ['/api/playbooks', playbooks],
  ] as const) {
    for (const data of bodies) {
      const response = await page.request.post(path, { data });
      if (response.status() !== 201) throw new Error(await response.text());
      ids.push((await response.json()).id);
    }
  }
  await page.goto('/knowledge');
  await page.getByRole('tab', { name: `Articles (${articles.length})` }).waitFor();
  return { page, id: ids[0] ?? '' };
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

describe('an article', () => {
  it('is changed, compared with its earlier version, and restored', async () => {
    const { page } = await knowledgePage({ articles: [anArticle] });
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

    await chooseFromMenu(page, 'Returns', 'History');
    const changed = entry(page, /^Changed/);
    await changed.getByText('Anna Berg').waitFor();
    await expect.poll(() => changed.locator('del').innerText()).toBe('Within 30 days of delivery.');
    await expect.poll(() => changed.locator('ins').innerText()).toBe('Within 60 days of delivery.');
    await page.reload();
    await restoreVersion(page, 1);
    await entry(page, /Restored from version 1/).waitFor();
    await expect
      .poll(() => dialog(page).getByRole('tab', { selected: true }).innerText())
      .toBe('History');
    await tab(dialog(page), 'Article');
    const shown = dialog(page).getByRole('tabpanel', { name: 'Article' });
    await shown.getByText('Within 30 days of delivery.').waitFor();
    await shown.getByText('Version 3').waitFor();
  });

  it('is edited in full, whatever its length', async () => {
    const content = 'The longest article. '.repeat(1_000).trim();
    const { page } = await knowledgePage({ articles: [{ ...anArticle, content }] });
    await chooseFromMenu(page, 'Returns', 'Edit Article');
    await expect.poll(() => field(page, 'content').inputValue()).toBe(content);
    await field(page, 'title').fill('The long one');
    const sent = page.waitForRequest((request) => request.method() === 'PUT');
    await press(dialog(page), 'Save Changes');
    expect((await sent).postDataJSON()).toEqual({ title: 'The long one' });
    await page.getByRole('heading', { name: 'The long one' }).waitFor();
  });

  it('that is deleted comes back from its history', async () => {
    const { page, id } = await knowledgePage({ articles: [anArticle] });
    await page.request.delete(`/api/knowledge/${id}`);
    await page.goto(`/knowledge?article=${id}`);
    await dialog(page).getByText('Deleted', { exact: true }).waitFor();
    await press(dialog(page), /^Restore this version/);
    await press(page.getByRole('alertdialog'), 'Restore version');
    await dialog(page).getByText('Within 30 days of delivery.').waitFor();
  });
});

describe('a playbook', () => {
  it('is created, changed, compared, restored, deleted and undeleted', async () => {
    const { page } = await knowledgePage();
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
  });

  it('is created with the keyboard alone', async () => {
    const { page } = await knowledgePage();
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
    const card = page.getByRole('article', { name: 'Greet a customer' });
    await card.getByText('manners').waitFor();
    await card.getByText('5 min').waitFor();
  });
});

describe('the knowledge base', () => {
  it('searches titles and tags on both of its shelves', async () => {
    const { page } = await knowledgePage({
      articles: [anArticle, { ...anArticle, title: 'Shipping', tags: ['parcels'] }],
      playbooks: [aPlaybook, { ...aPlaybook, title: 'Send a parcel', tags: [] }],
    });
    await page.getByRole('searchbox').fill('PARCEL');
    const shown = () =>
      page.getByRole('article').evaluateAll((all) => all.map((it) => it.ariaLabel));
    await expect.poll(shown).toEqual(['Shipping']);
    await tab(page, 'Playbooks (2)');
    await expect.poll(shown).toEqual(['Send a parcel']);
    await page.getByRole('searchbox').fill('zebra');
    await page.getByText('Nothing matches these filters').waitFor();
    await page.reload();
    await page.getByText('Nothing matches these filters').waitFor();
  });

  it('allows a Viewer to read, also the past, and to change nothing', async () => {
    const { page: admin, id } = await knowledgePage({ articles: [anArticle] });
    await admin.request.put(`/api/knowledge/${id}`, { data: { title: 'Returns, again' } });
    const email = someone();
    const invited = await admin.request.post('/api/invitations', {
      data: { email, role: 'Viewer' },
    });
    const { token } = await invited.json();
    const page = await browser.newPage(product.url);
    const person = { email, username: 'Vi Ewer', password, invite: token };
    await page.request.post('/api/register', { data: person });
    await page.goto('/knowledge');
    await press(page, 'Actions for Returns, again');
    const items = () => page.getByRole('menuitem').allInnerTexts();
    await expect.poll(items).toEqual(['Read Article', 'History']);
    await page.getByRole('menuitem', { name: 'History' }).click();
    await entry(page, /^Changed/).waitFor();
    await expect
      .poll(() => page.getByRole('button', { name: /Restore this|Edit Article/ }).count())
      .toBe(0);
    await expect
      .poll(() => page.getByRole('button', { name: /Add Article|Create Playbook/ }).count())
      .toBe(0);
  });

  it('reports that a history cannot be loaded, and retries', async () => {
    const { page } = await knowledgePage({ articles: [anArticle] });
    await page.route('**/history*', (route) => route.fulfill({ status: 429, json: {} }));
    await chooseFromMenu(page, 'Returns', 'History');
    await dialog(page).getByText("Couldn't load this content").waitFor();
    await page.unroute('**/history*');
    await press(dialog(page), 'Try again');
    await entry(page, /^Created/).waitFor();
  });
});

describe('an import', () => {
  const file = (name: string, text: string) => ({
    name,
    mimeType: 'application/octet-stream',
    buffer: Buffer.from(text),
  });
  const open = async () => {
    const { page } = await knowledgePage();
    await press(page, 'Import');
    return page;
  };
  const send = (page: Page) => press(dialog(page), 'Import Article');

  it('makes an article of a file, and shows it', async () => {
    const page = await open();
    await expectAccessible(page);
    const text = '# Packing list\n\nTents go in **first**.';
    await dialog(page).locator('input[type=file]').setInputFiles(file('packing.md', text));
    await dialog(page).getByText('packing.md').waitFor();
    await send(page);
    await toast(page, 'Article imported');
    await dialog(page).getByRole('heading', { name: 'Packing list' }).first().waitFor();
    await dialog(page).getByText('first', { exact: true }).waitFor();
  });

  it("lists in the reader's language what was omitted", async () => {
    const page = await open();
    await page.evaluate(`localStorage.setItem('tallyhand-language', 'de')`);
    await page.reload();
    await press(page, 'Importieren');
    const text =
      '<h1>Zelte</h1><p>Sie sind dicht.</p><img src="a.png" alt="Zelt"><img src="b.png">';
    await dialog(page).locator('input[type=file]').setInputFiles(file('zelte.html', text));
    await dialog(page).locator('button[type=submit]').click();
    await dialog(page).getByText('2 Bilder wurden weggelassen').waitFor();
    await expectAccessible(page);
  });

  it('reports errors of a file, an address, or missing input', async () => {
    const page = await open();
    await send(page);
    await expect.poll(() => dialog(page).locator('[aria-invalid]').count()).toBe(1);
    await dialog(page).locator('input[type=file]').setInputFiles(file('book.pdf', 'no PDF at all'));
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
    await page.evaluate(`localStorage.setItem('tallyhand-language', 'de')`);
    await page.reload();
    await press(page, 'Importieren');
    await dialog(page).locator('input[type=file]').setInputFiles(file('empty.txt', ''));
    await dialog(page).locator('button[type=submit]').click();
    await dialog(page).getByText('Das Dokument enthält keinen Text.').waitFor();
    expect(await (await page.request.get('/api/knowledge')).json()).toEqual([]);
  });
});
