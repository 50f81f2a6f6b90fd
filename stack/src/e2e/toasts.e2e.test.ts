import { agentInput } from '@tallyhand/test-kit/api-client';
import type { Page } from 'playwright';
import { beforeAll, describe, expect, it } from 'vitest';
import { openSuite } from './browser.ts';
import {
  chooseFromMenu,
  dialog,
  dialogIsGone,
  field,
  goInside,
  press,
  registered,
  someone,
  toast,
} from './steps.ts';

const { product, browser } = await openSuite();

async function openAgents(prepare?: (page: Page) => Promise<unknown>) {
  const page = await browser.newPage(product.url);
  await registered(page, 'Harbour Books');
  await page.request.post('/api/agents', { data: agentInput });
  await prepare?.(page);
  await page.goto('/agents');
  await page.getByRole('heading', { name: agentInput.name, exact: true }).waitFor();
  return page;
}

let stopped: Page;

/** On the agents page; from then on time passes only as the tests say. */
beforeAll(async () => {
  stopped = await openAgents((opening) => opening.clock.install());
  await stopped.clock.pauseAt(Date.now() + 60_000);
});

const toasts = (page: Page) => page.locator('ol > li');
const tick = (page: Page) => page.clock.runFor(20);

/** Lets time pass in small steps until there is a toast of these words, and nothing beyond it. */
const untilToast = (page: Page, title: string) =>
  expect
    .poll(() => tick(page).then(() => toasts(page).allInnerTexts()))
    .toEqual([expect.stringContaining(title)]);

/** The page's own data arrive at a time of their own, and show once time passes. */
const untilAgentIs = (page: Page, state: string) =>
  expect
    .poll(() =>
      tick(page).then(() =>
        page.getByRole('article').getByText(state, { exact: true }).isVisible(),
      ),
    )
    .toBe(true);

async function pauseAgent(page: Page) {
  await untilAgentIs(page, 'Active');
  await chooseFromMenu(page, agentInput.name, 'Pause Agent');
  await untilToast(page, 'Agent paused');
}

async function activateAgent(page: Page) {
  await untilAgentIs(page, 'Paused');
  await chooseFromMenu(page, agentInput.name, 'Activate Agent');
  await untilToast(page, 'Agent activated');
}

/** It is there until shortly before, and gone shortly after. */
async function expectToStay(page: Page, ms: number) {
  await page.clock.runFor(ms - 100);
  await expect.poll(() => toasts(page).count()).toBe(1);
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
  it('stays for 5 seconds, makes room for the next one, and closes by a swipe or by F8 and Escape', async () => {
    const page = stopped;
    await pauseAgent(page);
    await activateAgent(page);
    await expectToStay(page, 5_000);

    // A pull of 50 pixels closes it; it returns from less.
    await pauseAgent(page);
    await swipe(page, 40);
    await expect.poll(() => toasts(page).count()).toBe(1);
    await swipe(page, 60);
    await toasts(page).waitFor({ state: 'detached' });

    // It waits while it has the focus.
    await activateAgent(page);
    await page.keyboard.press('F8');
    const region = page.getByRole('region', { name: 'Notifications (F8)' });
    await expect.poll(() => region.locator(':focus').count()).toBe(1);
    await page.clock.runFor(6_000);
    await expect.poll(() => toasts(page).count()).toBe(1);
    await page.keyboard.press('Escape');
    await toasts(page).waitFor({ state: 'detached' });
  });
});

/** Answers every change with an HTML error page, as a faulty proxy does. */
const withoutAnswers = (page: Page) =>
  page.route('**/api/**', (route) =>
    route.request().method() === 'GET'
      ? route.continue()
      : route.fulfill({ status: 403, contentType: 'text/html', body: '<h1>Forbidden</h1>' }),
  );

/** The toast for missing input comes, and is dismissed. */
async function expectMissing(page: Page, text: string) {
  // By its label: an open dialog leaves roles to itself.
  await page.locator('ol > li', { hasText: text }).getByLabel('Close').click();
  await expect.poll(() => toasts(page).count()).toBe(0);
}

/** The message is at the field, and nowhere else. */
async function onlyField(page: Page, message: string) {
  await dialog(page).getByText(message).waitFor();
  await expect.poll(() => toasts(page).count()).toBe(0);
}

/** Leaves a dialog in which something was typed. */
async function discard(page: Page) {
  await page.keyboard.press('Escape');
  await press(page.getByRole('alertdialog', { name: 'Discard your changes?' }), 'Discard');
  await dialogIsGone(page);
}

async function editAgent(page: Page) {
  await chooseFromMenu(page, agentInput.name, 'Edit Agent');
  await press(dialog(page), 'Remove Returns');
  await press(dialog(page), 'Save Changes');
  await expectMissing(page, 'Please add at least one area of expertise');
  const expertise = dialog(page).getByRole('textbox', { name: 'Expertise' });
  await expertise.fill('x'.repeat(101));
  await expertise.press('Enter');
  await press(dialog(page), 'Save Changes');
  await onlyField(page, 'An expertise area can have up to 100 characters');
  await discard(page);
  await chooseFromMenu(page, agentInput.name, 'Edit Agent');
  await field(page, 'name').fill('Harbour desk');
  await press(dialog(page), 'Save Changes');
  await toast(page, 'Failed to update agent');
  await discard(page);
}

async function executeTask(page: Page) {
  await chooseFromMenu(page, agentInput.name, 'Execute Task (1 credit)');
  await press(dialog(page), /^Execute Task/);
  await expectMissing(page, 'Please provide instructions for the agent');
  await field(page, 'input').fill('x'.repeat(32_001));
  await press(dialog(page), /^Execute Task/);
  await onlyField(page, 'Instructions must be at most 32000 characters');
  await field(page, 'input').fill('Hello');
  await field(page, 'input').press('Control+Enter');
  await toast(page, 'Task failed');
  await page.keyboard.press('Escape');
  await dialogIsGone(page);
}

async function startSession(page: Page) {
  await goInside(page, '/autonomous?start=new');
  await press(dialog(page), 'Start Session');
  await expectMissing(page, 'Please select an agent and provide a goal.');
  await field(page, 'agentId').selectOption({ label: agentInput.name });
  await field(page, 'goal').fill('x'.repeat(4_001));
  await press(dialog(page), 'Start Session');
  await onlyField(page, 'Goal must be at most 4000 characters');
}

const gmail = ['clientId', 'clientSecret', 'refreshToken'].map((name) => `credentials.${name}`);

describe('the toast of a form', () => {
  it('tells what is missing, not what is too long; Escape closes the dialog, and asks first where something was typed', async () => {
    const page = await openAgents(withoutAnswers);
    await executeTask(page);
    await editAgent(page);
    await startSession(page);
  });

  it('names the failed action when the answer has no reason', async () => {
    const page = await openAgents(withoutAnswers);
    await chooseFromMenu(page, agentInput.name, 'Assign Resources');
    await press(dialog(page), 'Assign Resources');
    await toast(page, 'Failed to assign resources.');
    await press(dialog(page), 'Cancel');
    await dialogIsGone(page);
    await chooseFromMenu(page, agentInput.name, 'Chat with Agent');
    const message = dialog(page).getByRole('textbox');
    await message.fill('Hello');
    await message.press('Enter');
    await toast(page, 'Failed to send message.');
    await expect.poll(() => message.inputValue()).toBe('Hello');
    await discard(page);
    await chooseFromMenu(page, agentInput.name, 'Email Integration');
    for (const name of ['emailAddress', ...gmail]) {
      await field(page, name).fill('support@example.com');
    }
    await press(dialog(page), /^Connect$/);
    await toast(page, 'Failed to create email integration.');
    await discard(page);
    await page.getByRole('navigation').getByRole('link', { name: 'Team', exact: true }).click();
    await press(page, 'Invite Member');
    await field(page, 'email').fill(someone());
    await press(dialog(page), /^Invite$/);
    await toast(page, 'Please try again later.');
  });
});

describe('a tooltip', () => {
  const tooltip = (page: Page, name: string) => page.getByRole('tooltip', { name });
  const leave = (page: Page) => page.mouse.move(700, 500, { steps: 10 });
  const point = (page: Page, name: string) => page.getByRole('button', { name }).hover();

  async function expectAfter(page: Page, name: string, ms: number) {
    await point(page, name);
    await page.clock.runFor(ms - 100);
    await expect.poll(() => tooltip(page, name).count()).toBe(0);
    await page.clock.runFor(200);
    await tooltip(page, name).waitFor({ state: 'attached' });
  }

  it('appears after 700 ms, and immediately within 300 ms of another one', async () => {
    const page = stopped;
    await expectAfter(page, 'Sign out', 700);
    await leave(page);
    await page.clock.runFor(200);
    await tooltip(page, 'Sign out').waitFor({ state: 'detached' });
    await point(page, 'Collapse sidebar');
    await page.clock.runFor(20);
    await tooltip(page, 'Collapse sidebar').waitFor({ state: 'attached' });
    await leave(page);
    await page.clock.runFor(400);
    await expectAfter(page, 'Sign out', 700);
  });
});
