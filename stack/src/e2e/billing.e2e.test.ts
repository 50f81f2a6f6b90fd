import { agentInput, registerOrganization } from '@tallyhand/test-kit/api-client';
import type { Page } from 'playwright';
import { describe, expect, it } from 'vitest';
import { joinAs } from '../testing/members.ts';
import { createdEarlier, pastMonth } from '../testing/past-months.ts';
import { expectAccessible, openSuite, pageOf } from './browser.ts';
import { dialog, dialogIsGone, field, goInside, press, registered, toast } from './steps.ts';

const { product, browser } = await openSuite();

/** The billing page of a new organization, for its Admin. */
async function billingPage(organization: string): Promise<Page> {
  const page = await browser.newPage(product.url);
  await registered(page, organization);
  await page.goto('/billing');
  await page.getByText('No payments yet').waitFor();
  return page;
}

const payments = (page: Page) => page.getByRole('table', { name: 'Payment History' });
const ledger = (page: Page) => page.getByRole('table', { name: 'Ledger' });
const balance = (page: Page, credits: string) =>
  page.getByRole('link', { name: `${credits} credits`, exact: true }).waitFor();
const chooseCard = (page: Page, answer: string) =>
  page.getByLabel('Test card').selectOption({ label: answer });
const openTab = (page: Page, name: string) => page.getByRole('tab', { name }).click();
const chooseTest = async (page: Page, action: string) => {
  await press(page, /^Try out the payment/);
  await page.getByRole('menuitem', { name: action }).click();
};

const monthName = (month: string) =>
  new Intl.DateTimeFormat('en', { month: 'long', year: 'numeric', timeZone: 'UTC' }).format(
    new Date(month),
  );

/** Runs tasks for the organization; returns the agent's id. */
async function runTasks(page: Page, count: number): Promise<string> {
  const made = await page.request.post('/api/agents', { data: agentInput });
  const { id } = await made.json();
  for (let done = 0; done < count; done++) {
    const answer = await page.request.post(`/api/agents/${id}/execute`, { data: { input: 'Hi' } });
    expect(answer.status()).toBe(200);
  }
  return id;
}

describe('buying credits', () => {
  it('adds them once, however fast the user clicks, and a declined card none; refunds and disputes take them back', async () => {
    const page = await billingPage('Harbour Books');
    const rows = () => payments(page).locator('tbody tr');
    const receipts = page.getByRole('link', { name: /^Download the receipt/ });
    // A declined card changes nothing.
    await chooseCard(page, 'Has insufficient funds');
    await press(page, 'Purchase Scale Pack');
    await toast(page, 'Purchase failed');
    await toast(page, 'The card has insufficient funds.');
    await payments(page).getByText('Failed').waitFor();
    await balance(page, '100');
    await expect.poll(() => receipts.count()).toBe(0);

    await chooseCard(page, 'Succeeds');
    await page.getByText('Test mode - no card is charged').waitFor();
    await page.getByText('$0.398 per credit').waitFor();
    const starter = page.getByRole('button', { name: 'Purchase Starter Pack' });
    const asked = page.waitForResponse('**/api/billing/purchase-credits');
    await starter.dblclick();
    await page.getByRole('button', { name: 'Processing...' }).waitFor();
    await expect.poll(() => page.getByText('Processing...').count()).toBe(1);
    expect((await asked).status()).toBe(201);
    await toast(page, 'Credits purchased successfully!');
    await toast(page, '100 credits have been added to your account.');
    await balance(page, '200');
    await payments(page).getByText('Completed').waitFor();
    await expect.poll(() => rows().count()).toBe(2);
    await payments(page).getByText('$49.00').waitFor();

    const receipt = page.waitForEvent('download');
    await receipts.click();
    expect((await receipt).suggestedFilename()).toMatch(/\.pdf$/);
    const csv = page.waitForEvent('download');
    await page.getByRole('link', { name: 'Export CSV' }).click();
    expect((await csv).suggestedFilename()).toBe('payments.csv');

    await chooseTest(page, 'Dispute');
    await payments(page).getByText('Disputed').waitFor();
    await payments(page).getByText('100 credits withdrawn').waitFor();
    await balance(page, '100');
    await chooseTest(page, 'Win the dispute');
    await balance(page, '200');
    await payments(page).getByText('dispute won').waitFor();
    await runTasks(page, 1);
    await balance(page, '199');
    await chooseTest(page, 'Refund');
    await payments(page).getByText('$49.00 refunded').waitFor();
    await balance(page, '99');
    await page.getByText('Low balance - consider purchasing more credits').waitFor();
  });

  it('continues where the customer left to authenticate, and fails where that fails', async () => {
    const page = await billingPage('North');
    await chooseCard(page, 'Needs authentication');
    await press(page, 'Purchase Professional Pack');
    await page.waitForURL('**/billing/test-checkout/*');
    await page.getByText('Test mode - no card is charged').waitFor();
    await expectAccessible(page);
    await page.getByRole('link', { name: 'Not now' }).click();
    await toast(page, 'Payment not completed');
    await page.waitForURL((url) => url.pathname === '/billing' && url.search === '');
    await payments(page).getByText('Pending').waitFor();

    await press(page, /^Continue with the payment/);
    await press(page, 'Complete authentication');
    await toast(page, '500 credits have been added to your account.');
    await page.waitForURL((url) => url.pathname === '/billing' && url.search === '');
    await balance(page, '600');

    await chooseCard(page, 'Needs authentication');
    await press(page, 'Purchase Starter Pack');
    await press(page, 'Fail authentication');
    await toast(page, 'Purchase failed');
    await toast(page, "The payment wasn't authenticated.");
    await balance(page, '600');
    await page.goBack();
  });
});

describe('the billing page', () => {
  it('is for Admins only, and calls the server for nothing otherwise', async () => {
    const { client: admin } = await registerOrganization(product.url);
    const { client } = await joinAs(admin, product.url, 'Viewer');
    const page = await pageOf(client, product.url, browser);
    const asked: string[] = [];
    await page.route(
      (url) => url.pathname.startsWith('/api/billing'),
      async (route) => {
        asked.push(route.request().url());
        await route.continue();
      },
    );
    for (const path of ['/billing', '/billing/test-checkout/1']) {
      await page.goto(path);
      await page.getByText('Only organization admins can manage billing and credits.').waitFor();
    }
    expect(asked).toEqual([]);
    await page.getByText('100 credits', { exact: true }).waitFor();
    await page.getByRole('link', { name: '100 credits' }).click();
    await page.getByText('Only Admins can buy credits.').waitFor();
  });

  it('links a charge to its task, verifies the ledger, and opens the entry in the address beside its list', async () => {
    const page = await billingPage('Hollow');
    await runTasks(page, 4);
    await openTab(page, 'Ledger');
    await page.getByText('Not verified yet').waitFor();
    await ledger(page).getByText('Free credits at sign-up').waitFor();
    // Each task reserved and charged, in one row.
    await expect.poll(() => ledger(page).locator('tbody tr').count()).toBe(5);
    await press(page, 'Verify');
    await page.getByText('Passed').waitFor();
    await page.getByText('Balance from double entry').waitFor();
    await ledger(page)
      .getByRole('link', { name: /^Charge details/ })
      .first()
      .click();
    await dialog(page).getByText('Completed').or(dialog(page).getByText('Success')).waitFor();

    // An entry of a later page, with pages of two.
    await page.route('**/api/billing/ledger/groups?*', (route) =>
      route.continue({ url: route.request().url().replace('limit=50', 'limit=2') }),
    );
    const entry = dialog(page).getByRole('listitem').and(page.locator('[aria-current]'));
    const openRow = ledger(page).locator('tr[aria-current]');
    const rows = () => ledger(page).locator('tbody tr');
    await page.goto('/billing?tab=ledger&entry=5');
    await entry.filter({ hasText: 'Charged #5' }).waitFor();
    await dialog(page).getByText('Reserved #4').waitFor();
    await expect.poll(() => openRow.innerText()).toContain('#4, #5');
    await expect.poll(async () => (await openRow.boundingBox())?.y).toBeLessThan(850);
    await expect.poll(() => page.evaluate('window.scrollY')).toBeGreaterThan(0);
    await page.getByText('The list starts at entry 5.').waitFor();
    await expect.poll(() => rows().count()).toBe(2);
    await expectAccessible(page);
    // The next page is loaded at the last row.
    await press(dialog(page), 'Next');
    await dialog(page).getByText('Reserved #2').waitFor();
    await press(dialog(page), 'Next');
    await dialog(page).getByText('Free credits at sign-up').waitFor();
    await expect.poll(() => new URL(page.url()).searchParams.get('entry')).toBe('1');
    await press(page, 'Show all entries');
    await dialogIsGone(page);
    await ledger(page).getByText('#8, #9').waitFor();
    await page.goto('/billing?tab=ledger&entry=99');
    await dialog(page).getByText("This ledger entry doesn't exist.").waitFor();
    await ledger(page).getByText('#8, #9').waitFor();
  });

  it('has a statement of each month with its signature, and the accounts at the end of a day', async () => {
    const page = await browser.newPage(product.url);
    await registered(page, 'Statement House');
    const { id } = await (await page.request.get('/api/organization')).json();
    await createdEarlier(product.config, id);
    await page.goto('/billing?tab=statements');
    const month = pastMonth();
    const row = page
      .getByRole('table', { name: 'Statements' })
      .getByRole('row')
      .filter({ hasText: monthName(month) });
    for (const [link, name] of [
      ['PDF of', `statement-${month}.pdf`],
      ['CSV of', `statement-${month}.csv`],
      ['PDF signature of', `statement-${month}.pdf.signature.json`],
      ['CSV signature of', `statement-${month}.csv.signature.json`],
    ] as const) {
      const download = page.waitForEvent('download');
      await row.getByRole('link', { name: new RegExp(`^${link} ${monthName(month)}`) }).click();
      expect((await download).suggestedFilename()).toBe(name);
      expect(await (await download).failure()).toBeNull();
    }
    const accounts = page.getByRole('table', { name: 'Trial balance' });
    const total = () => accounts.getByRole('row').last().innerText();
    await expect.poll(total).toMatch(/^Total\s+100\s+100$/);
    await page.getByLabel('Day (UTC)').fill(`${month}-01`);
    await expect.poll(total).toMatch(/^Total\s+0\s+0$/);
    await page.getByLabel('Day (UTC)').fill('2999-01-01');
    await page.getByText("This day hasn't ended yet.").waitFor();
    await page.getByLabel('From', { exact: true }).fill(`${month}-01`);
    const csv = page.waitForEvent('download');
    await page.getByRole('link', { name: 'Export ledger' }).click();
    expect((await csv).url()).toContain(`?from=${month}-01`);
    await page.getByLabel('To', { exact: true }).fill('2020-01-01');
    await expect
      .poll(() => page.getByRole('button', { name: 'Export payments' }).isDisabled())
      .toBe(true);
    await expectAccessible(page);
  });

  it('shows the spending as a chart and as a table, and limits it and the tokens of chat', async () => {
    const page = await billingPage('Orchard');
    const id = await runTasks(page, 2);
    await openTab(page, 'Usage');
    await page.getByRole('img', { name: /^2 credits in the last 30 days/ }).waitFor();
    await page.getByLabel('Time range').selectOption('90');
    await page.getByRole('img', { name: /^2 credits in the last 90 days/ }).waitFor();
    expect(new URL(page.url()).searchParams.get('days')).toBe('90');
    await press(page, /^Show as table.*By agent/);
    const row = page.getByRole('table', { name: 'By agent' }).locator('tbody tr');
    await expect.poll(() => row.innerText()).toMatch(/Support\s+2\s+2/);

    // The first month hasn't ended.
    await openTab(page, 'Statements');
    await page.getByText('No statements yet').waitFor();

    await openTab(page, 'Limits');
    await page.getByText('No limits yet').waitFor();
    await press(page, 'Add limit');
    await press(dialog(page), 'Save limit');
    await dialog(page).getByText('Choose an agent or a member').waitFor();
    await field(page, 'who').selectOption({ label: 'Agent: Support' });
    await field(page, 'monthlyCredits').fill('1.5');
    await press(dialog(page), 'Save limit');
    await dialog(page).getByText('Enter a whole number from 0 to 1,000,000').waitFor();
    await field(page, 'monthlyCredits').fill('2');
    await press(dialog(page), 'Save limit');
    await dialogIsGone(page);
    await page.getByText('Limit reached').waitFor();
    // It applies at once, and so does its removal.
    const run = () => page.request.post(`/api/agents/${id}/execute`, { data: { input: 'Hi' } });
    const refused = await run();
    expect(await refused.json()).toMatchObject({ status: 402, code: 'spend-limit-reached' });
    await press(page, 'Edit the limit of Support');
    await field(page, 'monthlyCredits').fill('');
    await press(dialog(page), 'Save limit');
    await toast(page, 'Limit removed');
    await page.getByText('No limits yet').waitFor();
    expect((await run()).status()).toBe(200);

    await page.getByText('No limit. 0 tokens used this month.').waitFor();
    await press(page, 'Edit');
    await field(page, 'monthlyTokens').fill('many');
    await press(dialog(page), 'Save budget');
    await dialog(page)
      .getByText(/^Enter a whole number/)
      .waitFor();
    await field(page, 'monthlyTokens').fill('0');
    await press(dialog(page), 'Save budget');
    await dialogIsGone(page);
    await page.getByText('0 of 0').waitFor();
    await expectAccessible(page);
    await goInside(page, `/agent/${id}`);
    await page.getByText(/^Chat has used up its tokens for this month\./).waitFor();
  });
});
