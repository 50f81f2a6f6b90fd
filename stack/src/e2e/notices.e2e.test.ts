import type { Page } from 'playwright';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestProduct, type TestProduct } from '../testing/product.ts';
import { openBrowser, type TestBrowser } from './browser.ts';
import { anAgent, chooseFromMenu, press, registered } from './steps.ts';

let product: TestProduct;
let browser: TestBrowser;
beforeAll(async () => {
  product = await startTestProduct();
  browser = await openBrowser();
});
afterAll(async () => {
  browser.expectNoComplaints();
  await browser[Symbol.asyncDispose]();
  await product[Symbol.asyncDispose]();
});

/** On the page of an agent; from then on time passes only as the test says. */
async function atAgents() {
  const page = await browser.newPage(product.url);
  await registered(page, 'Harbour Books');
  await page.request.post('/api/agents', { data: anAgent });
  await page.clock.install();
  await page.goto('/agents');
  await page.getByRole('heading', { name: anAgent.name, exact: true }).waitFor();
  await page.clock.pauseAt(Date.now() + 60_000);
  return page;
}

const toasts = (page: Page) => page.locator('ol > li');
const tick = (page: Page) => page.clock.runFor(20);

/** Lets time pass in small steps until there is a toast of these words, and nothing beyond it. */
const untilToast = (page: Page, title: string) =>
  expect
    .poll(() => tick(page).then(() => toasts(page).allInnerTexts()), { timeout: 20_000 })
    .toEqual([expect.stringContaining(title)]);

async function pauseAgent(page: Page) {
  await chooseFromMenu(page, anAgent.name, 'Pause Agent');
  await untilToast(page, 'Agent paused');
}

/** It is there until shortly before, and gone shortly after. */
async function expectToStay(page: Page, ms: number) {
  await page.clock.runFor(ms - 100);
  expect(await toasts(page).count()).toBe(1);
  await page.clock.runFor(200);
  await toasts(page).waitFor({ state: 'detached' });
}

/** Pulls the toast to the right, as a finger does. */
async function swipe(page: Page, pixels: number) {
  const box = await toasts(page).boundingBox();
  if (!box) throw new Error('There is no toast');
  const [x, y] = [box.x + 40, box.y + box.height / 2];
  await page.mouse.move(x, y);
  await page.mouse.down();
  for (let moved = 10; moved <= pixels; moved += 10) await page.mouse.move(x + moved, y);
  await page.mouse.up();
}

describe('a toast', () => {
  it('stays for 5 seconds, and makes room for the next one', async () => {
    const page = await atAgents();
    await pauseAgent(page);
    const badge = page.getByRole('article').getByText('Paused', { exact: true });
    const isPaused = () => tick(page).then(() => badge.isVisible());
    await expect.poll(isPaused, { timeout: 20_000 }).toBe(true);
    await chooseFromMenu(page, anAgent.name, 'Activate Agent');
    await untilToast(page, 'Agent activated');
    await expectToStay(page, 5_000);
  });

  it('stays for 10 seconds where something can be undone from it', async () => {
    const page = await atAgents();
    await chooseFromMenu(page, anAgent.name, 'Delete Agent');
    await press(page.getByRole('alertdialog'), 'Delete Agent');
    await untilToast(page, 'Agent deleted');
    await expectToStay(page, 10_000);
  });

  it('goes when it is swiped 50 pixels to the right, and comes back from less', async () => {
    const page = await atAgents();
    await pauseAgent(page);
    await swipe(page, 40);
    expect(await toasts(page).count()).toBe(1);
    await swipe(page, 60);
    await toasts(page).waitFor({ state: 'detached' });
  });

  it('is reached by F8, and waits while it has the focus', async () => {
    const page = await atAgents();
    await pauseAgent(page);
    await page.keyboard.press('F8');
    const region = page.getByRole('region', { name: 'Notifications (F8)' });
    expect(await region.locator(':focus').count()).toBe(1);
    await page.clock.runFor(6_000);
    expect(await toasts(page).count()).toBe(1);
    await page.keyboard.press('Escape');
    await toasts(page).waitFor({ state: 'detached' });
  });
});

describe('a tooltip', () => {
  const tooltip = (page: Page, name: string) => page.getByRole('tooltip', { name });
  const leave = (page: Page) => page.mouse.move(700, 500, { steps: 10 });
  const point = (page: Page, name: string) => page.getByRole('button', { name }).hover();

  async function expectAfter(page: Page, name: string, ms: number) {
    await point(page, name);
    await page.clock.runFor(ms - 100);
    expect(await tooltip(page, name).count()).toBe(0);
    await page.clock.runFor(200);
    await tooltip(page, name).waitFor({ state: 'attached' });
  }

  it('comes after 700 ms, and at once within 300 ms of another one', async () => {
    const page = await atAgents();
    await expectAfter(page, 'Sign out', 700);
    await leave(page);
    await page.clock.runFor(200);
    await tooltip(page, 'Sign out').waitFor({ state: 'detached' });
    await point(page, 'Collapse the sidebar');
    await page.clock.runFor(20);
    await tooltip(page, 'Collapse the sidebar').waitFor({ state: 'attached' });
    await leave(page);
    await page.clock.runFor(400);
    await expectAfter(page, 'Sign out', 700);
  });
});
