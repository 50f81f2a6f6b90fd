import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestProduct, type TestProduct } from '../testing/product.ts';
import { expectAccessible, openBrowser, type TestBrowser } from './browser.ts';

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

const handbook = new URL('../../../agent-runtime/src/built-in/fixtures/', import.meta.url);
const press = (page: Page, name: string | RegExp) =>
  page.getByRole('dialog').getByRole('button', { name }).click();
const field = (page: Page, name: string) => page.locator(`form:visible [name="${name}"]`);
const dialogIsGone = (page: Page) => page.getByRole('dialog').waitFor({ state: 'detached' });

async function signUp(page: Page) {
  await page.goto('/');
  await expectAccessible(page);
  await page.getByRole('link', { name: 'Sign Up' }).first().click();
  await page.getByRole('tab', { name: 'Sign Up' }).click();
  const create = page.getByRole('button', { name: 'Create Account' });

  await field(page, 'email').fill('nobody');
  await field(page, 'password').fill('short');
  await create.click();
  await page.getByText('Please enter a valid email address').waitFor();
  await page.getByText('Username must be at least 2 characters').waitFor();
  await page.getByText('Password must be at least 8 characters').waitFor();
  await expectAccessible(page);

  await field(page, 'organizationName').fill('Northwind Outfitters');
  await field(page, 'username').fill('Anna Berg');
  await field(page, 'email').fill(`${randomUUID()}@example.com`);
  await field(page, 'password').fill('correct horse battery');
  await field(page, 'confirmPassword').fill('correct horse');
  await create.click();
  await page.getByText("Passwords don't match").waitFor();
  await field(page, 'confirmPassword').fill('correct horse battery');
  await create.click();
  await page.waitForURL('**/dashboard');
  await page.getByText('100 credits').first().waitFor();
  await expectAccessible(page);
}

async function addArticle(page: Page, file: string, title: string) {
  await page.getByRole('link', { name: 'Knowledge Base' }).click();
  await page.getByRole('button', { name: 'Add Article' }).first().click();
  await press(page, 'Add Article');
  await page.getByText('Title must be at least 3 characters').waitFor();
  await page.getByText('Content must be at least 10 characters').waitFor();
  await expectAccessible(page);
  await field(page, 'title').fill(title);
  await field(page, 'category').fill('Customer Support');
  await field(page, 'content').fill(await readFile(new URL(file, handbook), 'utf8'));
  await press(page, 'Add Article');
  await dialogIsGone(page);
  await page.getByRole('heading', { name: title }).waitFor();
  await expectAccessible(page);
}

async function createAgent(page: Page) {
  await page.getByRole('link', { name: 'AI Agents' }).click();
  await page.getByText('No agents yet').waitFor();
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Create Agent' }).first().click();
  await press(page, 'Create Agent');
  await page.getByText('Name must be at least 2 characters').waitFor();
  await page.getByText('At least one expertise area is required').first().waitFor();
  await expectAccessible(page);
  await field(page, 'name').fill('Support');
  await field(page, 'description').fill('Answers the questions of customers');
  await field(page, 'personaConfig.role').fill('Support agent');
  await field(page, 'personaConfig.personality').fill('Patient, precise and kind');
  await page.getByRole('button', { name: 'Customer Support' }).click();
  await press(page, 'Create Agent');
  await dialogIsGone(page);
  await page.getByRole('heading', { name: 'Support', exact: true }).waitFor();
}

async function fromMenu(page: Page, item: string | RegExp) {
  await page
    .getByRole('button', { name: /Support/ })
    .last()
    .click();
  await page.getByRole('menuitem', { name: item }).click();
  await page.getByRole('dialog').waitFor();
}

describe('the main job', () => {
  it('goes from sign-up to an answer, 99 credits and the ledger entry that says why', async () => {
    const page = await browser.newPage(product.url);
    await signUp(page);
    await addArticle(page, 'returns.md', 'Returns and refunds');
    await createAgent(page);

    await fromMenu(page, 'Assign Resources');
    await page.getByRole('checkbox', { name: /Returns and refunds/ }).click();
    await expectAccessible(page);
    await press(page, 'Assign Resources');
    await dialogIsGone(page);

    await fromMenu(page, /Execute Task/);
    await press(page, /Execute Task/);
    await page.getByText('Please provide instructions for the agent').first().waitFor();
    await page
      .getByRole('dialog')
      .locator('textarea')
      .fill('How many days do I have to return an item?');
    await press(page, /Execute Task/);
    await page.getByRole('dialog').getByText('Completed').waitFor();
    const answer = await page.getByRole('dialog').innerText();
    expect(answer).toContain('days');
    expect(answer).toContain('Returns and refunds');
    await expectAccessible(page);
    await page.getByText('99 credits').first().waitFor();

    await page.getByRole('link', { name: 'View task' }).click();
    await page.getByRole('tab', { name: 'Metadata' }).click();
    await page.getByText(/1 credit for this task, asked for by Anna Berg/).waitFor();
    await page.getByText(/Ledger entry 3/).waitFor();
    await page.getByText('built-in engine').first().waitFor();
    await expectAccessible(page);
    browser.expectNoComplaints();
  });
});
