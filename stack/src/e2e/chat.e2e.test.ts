import type { Page } from 'playwright';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestProduct, type TestProduct } from '../testing/product.ts';
import { expectAccessible, openBrowser, type TestBrowser } from './browser.ts';
import { anAgent, dialog, dialogIsGone, press, registered, toast } from './steps.ts';

let product: TestProduct;
let browser: TestBrowser;
beforeAll(async () => {
  product = await startTestProduct();
  browser = await openBrowser();
});
afterAll(async () => {
  await browser[Symbol.asyncDispose]();
  await product[Symbol.asyncDispose]();
});

const question = 'Within how many days can items be returned?';
const field = (page: Page) => page.getByRole('textbox', { name: 'Message' });
const log = (page: Page) => page.getByRole('log');

/** A member's page with an agent that has an article to answer from. */
async function chatPage(options = {}): Promise<{ page: Page; agentId: string }> {
  const page = await browser.newPage(product.url, options);
  await registered(page, 'Harbour');
  const post = async (path: string, data: object) =>
    (await page.request.post(path, { data })).json();
  await post('/api/knowledge', {
    ...{ title: 'Returns', category: 'General', isPublic: true },
    content: 'Items can be returned within 30 days of delivery.',
  });
  const { id } = await post('/api/agents', anAgent);
  await page.goto(`/agent/${id}`);
  await log(page).getByText("Hello! I'm Support").waitFor();
  return { page, agentId: id };
}

describe('the chat with an agent', () => {
  it('answers by keyboard, names its sources, and keeps the conversation', async () => {
    const { page } = await chatPage();
    await field(page).fill(question);
    await field(page).press('Shift+Enter');
    await field(page).press('Enter');
    await log(page).getByText('30 days').first().waitFor();
    await log(page).getByText('Returns', { exact: true }).waitFor();
    await page.getByText('Press Enter to send').waitFor();
    expect(await field(page).inputValue()).toBe('');
    await page.waitForURL('**?c=*');
    await page.reload();
    await log(page).getByText(question).waitFor();
    await log(page).getByText('30 days').first().waitFor();
    await expectAccessible(page);
    browser.expectNoComplaints();
  });

  it('begins new conversations, renames and deletes them', async () => {
    const { page } = await chatPage();
    await field(page).fill(question);
    await press(page, 'Send');
    await page.waitForURL('**?c=*');
    await press(page, 'New conversation');
    await log(page).getByText(question).waitFor({ state: 'detached' });
    await press(page, `Actions for ${question}`);
    await page.getByRole('menuitem', { name: 'Rename' }).click();
    await dialog(page).getByRole('textbox').fill('Sending back');
    await press(dialog(page), 'Save');
    await dialogIsGone(page);
    await press(page, /^Sending back$/);
    await log(page).getByText('30 days').first().waitFor();
    await press(page, 'Actions for Sending back');
    await page.getByRole('menuitem', { name: 'Delete' }).click();
    await press(page.getByRole('alertdialog'), 'Delete');
    await toast(page, 'Conversation deleted');
    await page.getByText('Nobody else can read them.').waitFor();
    expect(new URL(page.url()).search).toBe('');
    browser.expectNoComplaints();
  });

  it('takes no message while the agent is paused', async () => {
    const { page, agentId } = await chatPage();
    await page.request.put(`/api/agents/${agentId}`, { data: { isActive: false } });
    await page.getByText('Paused', { exact: true }).waitFor();
    expect(await field(page).isDisabled()).toBe(true);
    await expectAccessible(page);
    browser.expectNoComplaints();
  });

  it('asks who is not signed in to sign in, and says when there is no such agent', async () => {
    const { page, agentId } = await chatPage();
    const stranger = await browser.newPage(product.url);
    await stranger.goto(`/agent/${agentId}`);
    await stranger.getByText('Sign in Required').waitFor();
    await expectAccessible(stranger);
    await page.goto(`/agent/${crypto.randomUUID()}`);
    await page.getByText('Agent Not Found').waitFor();
    await expectAccessible(page);
    await page.getByRole('link', { name: 'Back to Agents' }).click();
    await page.waitForURL('**/agents');
    browser.expectNoComplaints();
  });

  it.each(['light', 'dark'] as const)('fits a phone in %s colours', async (colorScheme) => {
    const { page } = await chatPage({ colorScheme, viewport: { width: 375, height: 812 } });
    await field(page).fill(question);
    await press(page, 'Send');
    await log(page).getByText('30 days').first().waitFor();
    await expectAccessible(page);
    const wider = 'document.documentElement.scrollWidth - document.documentElement.clientWidth';
    expect(await page.evaluate(wider)).toBe(0);
  });
});
