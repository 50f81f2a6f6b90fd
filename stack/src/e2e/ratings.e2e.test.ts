import { agentInput } from '@tallyhand/test-kit/api-client';
import type { Locator, Page } from 'playwright';
import { describe, it } from 'vitest';
import { expectAccessible, openSuite } from './browser.ts';
import { addFilter, anArticle, field, goInside, press, registered } from './steps.ts';

const { product, browser } = await openSuite();

/** A member's page, and an agent with an article to answer from. */
async function withAgent() {
  const page = await browser.newPage(product.url);
  await registered(page, 'Harbour Books');
  const post = async (path: string, data: object) =>
    (await page.request.post(path, { data })).json();
  await post('/api/knowledge', { ...anArticle, isPublic: true });
  const { id } = await post('/api/agents', agentInput);
  return { page, id: id as string };
}

const question = 'Within how many days of delivery?';
const reason = 'It is about the wrong product.';
const thumb = (within: Page | Locator, name: string, pressed: boolean) =>
  within.getByRole('button', { name, pressed });

/** The answer of the call that saves this rating. */
const ratingSaved = (page: Page, rating: string | null) =>
  page.waitForResponse(
    (answer) =>
      answer.url().endsWith('/rating') && answer.request().postDataJSON().rating === rating,
  );

describe('the rating of a task', () => {
  it('is taken back or given with a reason, and shown with its agent; a reply is rated alike', async () => {
    const { page, id } = await withAgent();
    await page.goto(`/agents/${id}/execute`);
    await field(page, 'input').fill(question);
    await press(page, /^Execute Task \(1 credit\)/);
    await thumb(page, 'Bad answer', false).waitFor();
    await press(page, 'Good answer');
    // At once: the second one is saved after the first.
    const removed = ratingSaved(page, null);
    await press(page, 'Good answer 1');
    await removed;
    await thumb(page, 'Good answer', false).waitFor();

    await thumb(page, 'Bad answer', false).press('Enter');
    await thumb(page, 'Bad answer 1', true).waitFor();
    await page.getByText('Rating saved. You can add a reason below.').waitFor();
    const why = page.getByRole('textbox', { name: 'What was wrong?' });
    await why.fill(reason);
    await expectAccessible(page);
    await why.press('Enter');
    await page.getByText(reason).waitFor();

    await page.getByRole('link', { name: 'Tasks', exact: true }).click();
    await addFilter(page, 'Rating', 'Good answer');
    await page.getByText('No tasks found').waitFor();
    await goInside(page, '/tasks?rating=down');
    await page.getByRole('row').filter({ hasText: question }).click();
    const panel = page.getByRole('dialog', { name: 'Task details' });
    await panel.getByText(reason).waitFor();

    await panel.getByRole('link', { name: 'Support' }).click();
    const title = page.getByRole('heading', { name: 'Ratings', exact: true });
    const ratings = page.locator('section').filter({ has: title });
    await ratings.getByRole('row', { name: '1 current 0 1' }).waitFor();
    await ratings.getByText(reason).waitFor();
    await expectAccessible(page);

    await page.getByRole('main').getByRole('link', { name: 'Chat', exact: true }).click();
    await page.getByRole('textbox', { name: 'Message' }).fill(question);
    await page.getByRole('textbox', { name: 'Message' }).press('Enter');
    const saved = ratingSaved(page, 'up');
    await thumb(page, 'Good answer', false).click();
    await saved;
    await page.reload();
    await thumb(page, 'Good answer', true).waitFor();
    await thumb(page, 'Bad answer', false).waitFor();
  });
});
