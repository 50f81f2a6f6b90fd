import { agentInput } from '@tallyhand/test-kit/api-client';
import type { Page } from 'playwright';
import { anArticle, aPlaybook, aTool, chooseFromMenu, dialog, press } from './steps.ts';

/** Names of the maximum length, whose words don't break automatically. */
const word = 'Rindfleischetikettierungsüberwachungsaufgabenübertragungsgesetz';
const longTitle = `${word} und ${word.toLowerCase()} `.repeat(2).slice(0, 200).trim();
const longTags = [
  word.slice(0, 50),
  'Kraftfahrzeughaftpflichtversicherung',
  'Donaudampfschifffahrt',
];

/** Fills an organization with names of the maximum length, and reloads the page. */
export async function withLongNames(page: Page) {
  const post = (path: string, data: object) => page.request.post(path, { data });
  const title = longTitle;
  const tags = [...longTags, 'a', 'b'];
  await post('/api/knowledge', { ...anArticle, title, category: word, tags, content: word });
  await post('/api/playbooks', { ...aPlaybook, title, tags, steps: [word.repeat(5), word] });
  await post('/api/tools', { ...aTool, name: title });
  const personaConfig = { ...agentInput.personaConfig, role: word, expertise: longTags };
  await post('/api/agents', { ...agentInput, name: title, description: word, personaConfig });
  await page.reload();
  await page.getByRole('heading', { name: title }).first().waitFor();
}

export async function longHistory(page: Page) {
  await withLongNames(page);
  const [{ id }] = await (await page.request.get('/api/knowledge')).json();
  const data = {
    title: `Neu: ${longTitle}`.slice(0, 200),
    content: `${word} ${word}`,
    tags: [word.slice(5, 50)],
  };
  await page.request.put(`/api/knowledge/${id}`, { data });
  await page.goto(`/knowledge?article=${id}&view=history`);
  await dialog(page)
    .getByRole('button', { name: /^Restore this version/ })
    .waitFor();
}

export async function longAssignments(page: Page) {
  await withLongNames(page);
  await chooseFromMenu(page, longTitle, 'Assign Resources');
  await dialog(page).getByRole('checkbox').first().click();
}

/** Opens the history of a card's object, back to its creation. */
export const historyOf = (name: string) => async (page: Page) => {
  await chooseFromMenu(page, name, 'History');
  await dialog(page).getByText('Initial version').click();
};

export const confirmRestore = (name: string) => async (page: Page) => {
  await historyOf(name)(page);
  await press(dialog(page), /^Restore this version/);
  await page.getByRole('alertdialog').waitFor();
};

export const openCard = (name: string) => async (page: Page) => {
  await page.getByRole('article', { name }).getByRole('button', { name, exact: true }).click();
  await dialog(page).getByRole('tab').first().waitFor();
};

export const assignTab = (name: RegExp) => async (page: Page) => {
  await chooseFromMenu(page, 'Support desk', /Assign/);
  await dialog(page).getByRole('tab', { name }).click();
};

/** Another member saves an article while it is edited, so that both changes are shown. */
export async function changedMeanwhile(page: Page) {
  const [first] = await (await page.request.get('/api/knowledge')).json();
  await chooseFromMenu(page, first.title, 'Edit Article');
  await dialog(page).getByLabel('Title').fill(`${first.title} in full`);
  await page.request.put(`/api/knowledge/${first.id}`, {
    data: {
      title: `${first.title} for all`,
      content: `${first.content.trim()}\n\nChanged meanwhile.`,
    },
  });
  await dialog(page).getByRole('button', { name: 'Show changes' }).click();
  await dialog(page).getByRole('radio').first().waitFor();
}
