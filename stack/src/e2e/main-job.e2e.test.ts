import { readFile } from 'node:fs/promises';
import { agentInput } from '@tallyhand/test-kit/api-client';
import type { Page } from 'playwright';
import { describe, expect, it } from 'vitest';
import { expectAccessible, openSuite } from './browser.ts';
import {
  chooseFromMenu,
  dialog,
  dialogIsGone,
  field,
  fillRegistration,
  password,
  press,
  someone,
  toast,
} from './steps.ts';

const { product, browser } = await openSuite();

const handbook = new URL('../../../agent-runtime/src/fixtures/', import.meta.url);
const pages = ['returns', 'shipping', 'warranty', 'membership', 'rental', 'shops-and-contact'];

/** Six pages of a shop's handbook, as one article. */
async function handbookText(): Promise<string> {
  const texts = pages.map((page) => readFile(new URL(`${page}.md`, handbook), 'utf8'));
  return (await Promise.all(texts)).join('\n');
}

const person = { email: someone(), username: 'Anna Berg', organization: 'Northwind Outfitters' };

async function signUp(page: Page) {
  await page.goto('/');
  await page.getByRole('link', { name: 'Sign Up' }).first().click();
  await page.getByRole('heading', { name: 'Create your account' }).waitFor();
  await field(page, 'email').fill('not-an-address');
  await field(page, 'password').fill('short');
  await press(page, 'Create Account');
  for (const message of [
    'Organization name must be at least 2 characters',
    'Username must be at least 2 characters',
    'Please enter a valid email address',
    'Password must be at least 8 characters',
    "Passwords don't match",
  ]) {
    await page.getByText(message).waitFor();
  }
  await expectAccessible(page);
  await fillRegistration(page, person);
  await page.waitForURL('**/dashboard');
  await page.getByText('Account created successfully!').first().waitFor();
  await page.getByRole('heading', { name: /^Welcome, / }).waitFor();
  await page.getByText('100 credits', { exact: true }).waitFor();
}

/** Leaves, is kept out, and comes back: with a wrong password first. */
async function signOutAndIn(page: Page) {
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByRole('heading', { level: 1 }).filter({ hasText: 'Hire AI agents' }).waitFor();
  await page.goto('/tasks');
  await page.waitForURL('**/auth');
  await signUpAgain(page);
  await page.getByRole('tab', { name: 'Sign In' }).click();
  // Until then the fields of the other form are the visible ones.
  await page.getByRole('tab', { name: 'Sign In', selected: true }).waitFor();
  await field(page, 'email').fill(person.email.toUpperCase());
  await field(page, 'password').fill('wrong');
  await press(page, 'Sign In');
  await page.getByText('Password must be at least 6 characters').waitFor();
  await field(page, 'password').fill('wrong horse battery');
  // A toast is gone after a few seconds: it is awaited before it can come.
  await Promise.all([
    toast(page, /Login failed.*Incorrect email address or password\./),
    press(page, /^Sign In$/),
  ]);
  await page.locator('form').getByText('Incorrect email address or password.').waitFor();
  await field(page, 'password').fill(password);
  await press(page, /^Sign In$/);
  await page.waitForURL('**/dashboard');
  await toast(page, 'Welcome back!');
  await page.getByRole('heading', { name: /^Welcome back, / }).waitFor();
}

/** The address is taken now, which the form reports at its field. */
async function signUpAgain(page: Page) {
  await page.getByRole('tab', { name: 'Sign Up' }).click();
  await fillRegistration(page, person);
  await page
    .locator('form:visible')
    .getByText('An account with this email address already exists')
    .waitFor();
  await expect.poll(() => field(page, 'email').getAttribute('aria-invalid')).toBe('true');
}

async function addArticle(page: Page, title: string) {
  await page.getByRole('link', { name: 'Knowledge Base' }).click();
  await page.getByText('No articles yet').waitFor();
  await press(page, 'Add Article');
  await press(dialog(page), 'Add Article');
  await dialog(page).getByText('Title must be at least 3 characters').waitFor();
  await dialog(page).getByText('Content must be at least 10 characters').waitFor();
  await dialog(page).getByText('Category is required').waitFor();
  await field(page, 'title').fill(title);
  await field(page, 'category').fill('Customer Support');
  await field(page, 'content').fill(await handbookText());
  await press(dialog(page), 'Add Article');
  await dialogIsGone(page);
  await press(page, title);
  await dialog(page).getByText('Almost everything you buy at Larkfell').waitFor();
  await press(dialog(page), 'Close');
  await dialogIsGone(page);
}

async function createAgent(page: Page) {
  await page.getByRole('link', { name: 'AI Agents' }).click();
  await page.getByText('No agents yet').waitFor();
  await press(page, 'Create Agent');
  await press(dialog(page), 'Create Agent');
  for (const message of [
    'Name must be at least 2 characters',
    'Description must be at least 10 characters',
    'Role is required',
    'Personality description is required',
    'At least one expertise area is required',
  ]) {
    await dialog(page).getByText(message).waitFor();
  }
  await toast(page, 'Expertise required');
  await field(page, 'name').fill(agentInput.name);
  await field(page, 'description').fill(agentInput.description);
  await field(page, 'personaConfig.role').fill(agentInput.personaConfig.role);
  await field(page, 'personaConfig.personality').fill(agentInput.personaConfig.personality);
  await press(dialog(page), 'Customer Support');
  await press(dialog(page), 'Create Agent');
  await dialogIsGone(page);
  await page.getByRole('heading', { name: agentInput.name, exact: true }).waitFor();
}

async function ask(page: Page, question: string): Promise<string> {
  await dialog(page).getByRole('textbox').fill(question);
  await press(dialog(page), /Execute Task/);
  const result = dialog(page).getByRole('region', { name: 'Completed' });
  await result.waitFor();
  return result.innerText();
}

describe('the main job', () => {
  it('leads from sign-up to an answer, 99 credits and their ledger entry, and to the next questions', async () => {
    const page = await browser.newPage(product.url);
    await signUp(page);
    await signOutAndIn(page);
    await addArticle(page, 'Larkfell handbook');
    await createAgent(page);

    await chooseFromMenu(page, 'Support', 'Assign Resources');
    await dialog(page).getByRole('checkbox', { name: 'Larkfell handbook' }).click();
    await press(dialog(page), 'Assign Resources');
    await dialogIsGone(page);

    await chooseFromMenu(page, 'Support', /Execute Task/);
    await press(dialog(page), /Execute Task/);
    await dialog(page).getByText('Please provide instructions for the agent').waitFor();
    const answer = await ask(page, 'How long do I have to return an item?');
    expect(answer).toContain('60 days');
    expect(answer).toContain('Larkfell handbook');
    await page.getByText('99 credits', { exact: true }).waitFor();

    await page.getByRole('link', { name: 'View task' }).click();
    await page.waitForURL('**/tasks?task=*');
    await dialog(page).getByText('60 days').first().waitFor();
    await dialog(page).getByRole('tab', { name: 'Metadata' }).click();
    await dialog(page).getByText('1 credit for this task, requested by Anna Berg').waitFor();
    await dialog(page).getByText('built-in engine').waitFor();
    await page.getByText('1 of 1 tasks').waitFor();
    await dialog(page).getByRole('link', { name: 'Ledger entry 3' }).click();
    await page.waitForURL('**/billing?tab=ledger&entry=3');
    await dialog(page).getByText('Charged #3').waitFor();
    await press(dialog(page), 'Close');
    await dialogIsGone(page);

    // A question that the articles have no answer to, and the next one.
    await page.getByRole('link', { name: 'AI Agents' }).click();
    await press(page, 'Execute Task');
    expect(await ask(page, 'Who won the chess championship?')).toContain('find an answer');
    expect(await ask(page, 'How high is the deposit for a kayak?')).toContain('300 euros');
    await page.getByText('97 credits', { exact: true }).waitFor();
  });
});
