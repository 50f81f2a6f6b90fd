import { randomUUID } from 'node:crypto';
import type { Locator, Page } from 'playwright';

export const password = 'correct horse battery';

export const someone = () => `${randomUUID()}@example.com`;

/** A control of the visible form, by its name in the API. */
export const field = (page: Page, name: string) => page.locator(`form:visible [name="${name}"]`);

export const dialog = (page: Page) => page.getByRole('dialog');

export const press = (within: Page | Locator, name: string | RegExp) =>
  within.getByRole('button', { name }).first().click();

export const dialogIsGone = (page: Page) => dialog(page).waitFor({ state: 'detached' });

/** Goes to another address inside of the application, which is not loaded again. */
export const goInside = (page: Page, path: string) =>
  page.evaluate(`history.pushState({}, '', '${path}'); dispatchEvent(new Event('popstate'))`);

/** Goes inside to a page with another title, and waits until the title of the one before is gone. */
export async function leaveFor(page: Page, path: string) {
  const title = await page.locator('h1').first().elementHandle();
  await goInside(page, path);
  await page.waitForFunction('(title) => !title.isConnected', title);
}

/** What the page offers beside its primary action: a button, or on a phone an item of its menu. */
export async function chooseOnPage(page: Page, name: string) {
  const more = page.getByRole('button', { name: 'More actions' });
  const button = page.getByRole('button', { name, exact: true });
  await button.or(more).first().waitFor();
  if (await button.isVisible()) return button.click();
  await more.click();
  await page.getByRole('menuitem', { name }).click();
}

export async function chooseFromMenu(page: Page, name: string, item: string | RegExp) {
  await press(page, `Actions for ${name}`);
  await page.getByRole('menuitem', { name: item }).click();
}

/** Sets a filter of a list through its bar. */
export async function addFilter(page: Page, name: string, value: string) {
  await press(page, 'Add filter');
  await page.getByRole('menuitem', { name, exact: true }).click();
  await page.getByRole('menuitemradio', { name: value, exact: true }).click();
}

/** The filters that are set, in words. */
export const filterChips = (page: Page) =>
  page.getByRole('list', { name: 'Active filters' }).getByRole('listitem');

/** The newest toast; only one at a time is shown. */
export const toast = (page: Page, text: string | RegExp) =>
  page.locator('ol > li', { hasText: text }).waitFor();

/** Creates an organization through the API, and signs the page's browser in. */
export async function registered(page: Page, organizationName: string) {
  const person = { email: someone(), username: 'Anna Berg', password, organizationName };
  const response = await page.request.post('/api/register', { data: person });
  if (response.status() !== 201) throw new Error(await response.text());
  return person;
}

export const anArticle = {
  title: 'Returns',
  content: '# Returns\n\nWithin 30 days of delivery.',
  category: 'General',
  tags: ['policy'],
};

export const aPlaybook = {
  title: 'Refund a customer',
  description: 'What to do when a customer wants money back',
  steps: ['Find the order', 'Check its date', 'Say what was decided'],
  category: 'Customer Support',
  tags: ['money'],
};

export const aTool = {
  name: 'Orders',
  description: 'Looks orders up in the shop',
  type: 'api',
  config: { baseUrl: 'https://shop.example.com/api' },
};

export async function fillRegistration(
  page: Page,
  person: { email: string; organization?: string; username?: string },
) {
  if (person.organization) await field(page, 'organizationName').fill(person.organization);
  await field(page, 'username').fill(person.username ?? `Person ${person.email.slice(0, 4)}`);
  const email = field(page, 'email');
  // An invitation by email fills it in.
  if (await email.isEditable()) await email.fill(person.email);
  await field(page, 'password').fill(password);
  await field(page, 'confirmPassword').fill(password);
  await press(page, 'Create Account');
}

/** The filters that are set, such as `Status: Failed`. */
export const chipTexts = (page: Page) => filterChips(page).allTextContents();
