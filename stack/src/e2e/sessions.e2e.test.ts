import { type Agent, createAgent } from '@tallyhand/contracts/features/agents/agents.endpoints';
import {
  listSessions,
  type Session,
  startSession,
} from '@tallyhand/contracts/features/sessions/sessions.endpoints';
import { SessionFailed } from '@tallyhand/contracts/features/sessions/sessions.events';
import { agentInput } from '@tallyhand/test-kit/api-client';
import type { Page } from 'playwright';
import { beforeAll, describe, expect, it } from 'vitest';
import {
  appendPast,
  filmedSession,
  pastSession,
  seen,
  sessionEventsOf,
} from '../testing/past-sessions.ts';
import { agentOwner, openSuite, pageOf } from './browser.ts';
import { addFilter, dialog, dialogIsGone, field, goInside, press, toast } from './steps.ts';

const { product, browser } = await openSuite();

const newOwn = () => agentOwner(product, browser);

type Owner = Awaited<ReturnType<typeof newOwn>>;

const list = (page: Page) => page.getByRole('list', { name: 'Active & Recent Sessions' });
const items = (page: Page) => list(page).getByRole('listitem');
const details = (page: Page) => page.getByRole('region', { name: 'Session details' });
const start = (page: Page) => press(dialog(page), 'Start Session');

describe('a new session', () => {
  it('asks for an agent and a goal, shows the maximum cost, is queued, and can be ended', async () => {
    const owner = await newOwn();
    const { page } = owner;
    await page.goto('/autonomous');
    await page.getByText('No autonomous sessions yet.').waitFor();
    await press(page, 'Start New Session');
    await isValidated(page);
    await isRefused(page);
    await isKept(page);
    await press(page, 'Start New Session');
    await field(page, 'goal').fill('  Compare the plans ');
    await field(page, 'maxSteps').fill('3');
    await field(page, 'maxSteps').press('Enter');
    await toast(page, 'Autonomous Session Started');
    await dialogIsGone(page);
    await isQueued(owner);
    await isTerminated(page);
  });

  async function isValidated(page: Page) {
    await dialog(page).getByText('This session costs at most 15 credits.').waitFor();
    await start(page);
    await toast(page, 'Please select an agent and provide a goal.');
    await field(page, 'goal').fill('   ');
    await start(page);
    await dialog(page).getByText('Please provide a goal').waitFor();
    await field(page, 'goal').fill('Compare the plans');
    await field(page, 'maxSteps').fill('51');
    await start(page);
    await dialog(page).getByText('Steps must be at most 50').waitFor();
    await field(page, 'maxSteps').fill('3');
    await dialog(page).getByText('This session costs at most 3 credits.').waitFor();
  }

  /** The server refuses it, and says why. */
  async function isRefused(page: Page) {
    await page.route('**/autonomous', (route) =>
      route.request().method() === 'POST'
        ? route.fulfill({
            status: 402,
            json: {
              type: 'about:blank',
              title: 'Not enough credits',
              status: 402,
              detail: '…',
              code: 'insufficient-credits',
              params: { available: 0, requested: 1 },
            },
          })
        : route.fallback(),
    );
    await start(page);
    await toast(page, 'Failed to Start Session');
    await toast(page, 'Not enough credits. This needs 1, and you have 0.');
    await expect.poll(() => field(page, 'goal').inputValue()).toBe('Compare the plans');
    await page.unroute('**/autonomous');
  }

  /** Escape does not lose it before it is sent. */
  async function isKept(page: Page) {
    await field(page, 'goal').press('Escape');
    await press(page.getByRole('alertdialog'), 'Keep editing');
    await expect.poll(() => field(page, 'goal').inputValue()).toBe('Compare the plans');
    await field(page, 'goal').press('Escape');
    await press(page.getByRole('alertdialog'), 'Discard');
    await dialogIsGone(page);
  }

  async function isQueued({ page, client }: Owner) {
    await details(page).getByText('Compare the plans', { exact: true }).waitFor();
    await list(page).getByText('Step 0/3').waitFor();
    await list(page).getByText('Queued').waitFor();
    // Sessions of other tests may wait before it.
    const { body } = await client.call<Session[]>(listSessions);
    const ahead = body[0]?.queuePosition ?? expect.fail('It does not wait');
    await list(page)
      .getByText(ahead === 0 ? 'Next in queue' : `${ahead} ahead in queue`)
      .waitFor();
    await press(list(page), /^View Browser/);
    await dialog(page).getByText('Waiting for browser session...').waitFor();
    await expect
      .poll(() => dialog(page).getByRole('button', { name: 'Pause' }).isDisabled())
      .toBe(true);
    await press(dialog(page), 'Close');
  }

  async function isTerminated(page: Page) {
    await press(list(page), /^Terminate/);
    await press(page.getByRole('alertdialog'), 'Keep running');
    await list(page).getByText('Queued').waitFor();
    await press(list(page), /^Terminate/);
    await press(page.getByRole('alertdialog'), 'Terminate');
    await toast(page, 'Session Terminated');
    await list(page).getByText('Terminated').waitFor();
    await details(page).getByText('A member terminated the session.').waitFor();
    const terminate = list(page).getByRole('button', { name: /^Terminate/ });
    await expect.poll(() => terminate.count()).toBe(0);
  }

  it('preselects the agent of its card, never a paused one', async () => {
    const { page, own, client } = await newOwn();
    const paused = await client.call<Agent>(createAgent, {
      body: { ...agentInput, name: 'Paused', isActive: false },
    });
    await page.goto('/agents');
    await press(page, 'Actions for Support');
    await page.getByRole('menuitem', { name: 'Start Session' }).click();
    await expect.poll(() => field(page, 'agentId').inputValue()).toBe(own.agentId);
    await expect
      .poll(() => field(page, 'agentId').locator('option').allTextContents())
      .toEqual(['Choose an agent', 'Support']);
    await client.send('PUT', `/api/agents/${own.agentId}`, { body: { isActive: false } });
    await dialog(page).getByText('No active agents.').waitFor();
    await press(dialog(page), 'Close');
    await dialogIsGone(page);
    await goInside(page, `/autonomous?start=${paused.body.id}`);
    await expect.poll(() => field(page, 'agentId').inputValue()).toBe('');
  });
});

describe('the list of sessions', () => {
  /** 20 that wait, one that failed, and the one that ended; gives its id. */
  async function manySessions({ client, own }: Owner): Promise<string> {
    const params = { id: own.agentId };
    for (let number = 1; number <= 20; number++) {
      const { status } = await client.call(startSession, {
        params,
        body: { goal: `Goal ${number}` },
      });
      expect(status).toBe(201);
    }
    const { sessionId, organizationId, requested, completed } = sessionEventsOf(own, 'Buy a tent');
    const { outcome } = completed.data;
    const ended = { sessionId, organizationId, outcome, code: null, params: {}, error: NO_CREDIT };
    await appendPast(product.config, `session-${sessionId}`, organizationId, [
      requested,
      SessionFailed({ ...ended, reason: 'out-of-credits' }),
    ]);
    await seen(client, sessionId, ({ session }) => session.status === 'failed');
    return (await pastSession(product.config, client, own, 'The one that ended')).sessionId;
  }
  const NO_CREDIT = 'There was no credit left for the next step.';

  it('is filtered by its address, continues where the first page ends, and shows failures', async () => {
    const owner = await newOwn();
    const { page } = owner;
    const ended = await manySessions(owner);
    await page.goto('/autonomous?status=completed');
    await page.getByText('Select a session to view details').waitFor();
    await list(page).getByText('The one that ended').waitFor();
    await expect.poll(() => items(page).count()).toBe(1);
    await list(page).getByText('The one that ended').click();
    const search = () => new URL(page.url()).search;
    await expect.poll(search).toBe(`?status=completed&session=${ended}`);
    await press(page, 'Clear all');
    await expect.poll(() => items(page).count()).toBe(20);
    await press(page, 'Show more');
    await expect.poll(() => items(page).count()).toBe(22);
    await addFilter(page, 'Status', 'Failed');
    await expect.poll(() => items(page).count()).toBe(1);
    await list(page).getByText('Buy a tent').click();
    await expect.poll(search).toContain('status=failed');
    await details(page).getByRole('alert').getByText(NO_CREDIT).waitFor();
    await expect
      .poll(() =>
        details(page)
          .getByText(/failed/i)
          .allTextContents(),
      )
      .toEqual(['Failed', 'Session failed']);
    await press(page, 'Clear all');
    await addFilter(page, 'Status', 'Terminated');
    await page.getByText('Nothing matches these filters').waitFor();
  });
});

describe('a session that ended', () => {
  let film: Awaited<ReturnType<typeof filmedSession>>;
  beforeAll(async () => {
    film = await filmedSession(product);
  });
  const filmPage = () => pageOf(film.client, product.url, browser);

  it('shows everything that was done, found and spent, with pictures, and from the ledger', async () => {
    const page = await filmPage();
    // An address that is no id.
    await page.goto('/autonomous?session=nonsense');
    await page.getByText('Session not found.').waitFor();
    await list(page).getByText('Compare the plans').click();
    await showsFacts(page);
    await showsSteps(page);
    await page.getByRole('link', { name: 'Billing' }).first().click();
    await page.getByRole('tab', { name: 'Ledger' }).click();
    await page
      .getByRole('link', { name: /^Charge details/ })
      .first()
      .click();
    await details(page).getByText('S is the cheapest.').waitFor();
    await expect.poll(() => page.url()).toContain(film.id);
    await press(details(page), 'View Browser');
    await showsPictures(page);
  });

  async function showsFacts(page: Page) {
    const shown = details(page);
    for (const text of ['Compare the plans', 'For one person.', 'S is the cheapest.', 'built-in']) {
      await shown.getByText(text, { exact: true }).first().waitFor();
    }
    await shown.getByText('Step 5/16').waitFor();
    await shown.getByText('15 by the agent + 1 free step').waitFor();
  }

  async function showsSteps(page: Page) {
    const shown = details(page);
    await expect.poll(() => shown.getByText('The page did not answer.').isVisible()).toBe(false);
    await shown.getByText('5 steps', { exact: true }).click();
    const steps = shown.getByRole('list').last().getByRole('listitem');
    await expect.poll(() => steps.count()).toBe(5);
    await steps
      .nth(0)
      .getByText(/^Ledger entry \d+$/)
      .waitFor();
    await expect.poll(() => steps.nth(1).getByText('Ledger entry').count()).toBe(0);
    await steps.nth(1).getByRole('img', { name: 'Failed' }).waitFor();
    await steps.nth(1).getByText('0 credits').waitFor();
    await steps.nth(1).getByText('Output').click();
    await steps.nth(1).getByText('The page did not answer.').waitFor();
    await steps.nth(2).getByText(`Taken by ${film.user.username}`).waitFor();
    await steps.nth(2).getByText('Free').waitFor();
    const source = steps.nth(4).getByRole('link', { name: 'https://plans.example/prices' });
    await expect.poll(() => source.getAttribute('rel')).toContain('noopener');
  }

  async function showsPictures(page: Page) {
    await dialog(page).getByText('Session Complete').waitFor();
    await dialog(page).getByText('Step 5 of 16').waitFor();
    await dialog(page).getByText('5 steps, 3 credits').waitFor();
    await dialog(page)
      .getByText(`${'p'.repeat(50)}…`, { exact: true })
      .waitFor();
    await expect
      .poll(() => dialog(page).getByRole('button', { name: 'Pause' }).isDisabled())
      .toBe(true);
    await press(dialog(page), /^4\. Open/);
    const picture = page.getByRole('img', { name: 'The page after step 4' }).last();
    const widthOf = () =>
      picture.evaluate((image: { naturalWidth?: number }) => image.naturalWidth);
    await expect.poll(widthOf).toBe(1_280);
    await page.keyboard.press('ArrowRight');
    await page.getByText('Step 5 of 5: Note finding').waitFor();
    const next = page.getByRole('button', { name: 'Next step' });
    await expect.poll(() => next.getAttribute('aria-disabled')).toBe('true');
    await press(page, 'Previous step');
    await page.getByText('Step 4 of 5: Open').waitFor();
    await page.keyboard.press('Escape');
    await page.getByText('Step 4 of 5: Open').waitFor({ state: 'detached' });
    await dialog(page).getByText('Session Complete').waitFor();
  }

  it('is replayed to its end, by keys and from where a link says, and saved as a file', async () => {
    const page = await filmPage();
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.goto(`/autonomous?session=${film.id}&replay=4`);
    await dialog(page).getByText('Step 4 of 5').waitFor();
    await dialog(page).getByText('2 credits so far').waitFor();
    await press(dialog(page), 'Copy link');
    await toast(page, 'Link copied');
    const copied = await page.evaluate('navigator.clipboard.readText()');
    expect(copied).toBe(`${product.url}/autonomous?session=${film.id}&replay=4`);
    const download = page.waitForEvent('download');
    await dialog(page).getByRole('link', { name: 'Export' }).click();
    expect((await download).suggestedFilename()).toMatch(/\.zip$/);
    await followsKeys(page);
    await page.keyboard.press('Escape');
    await dialogIsGone(page);
    await expect.poll(() => page.url()).not.toContain('replay');
    await press(details(page), 'Replay');
    await dialog(page).getByText('Step 1 of 5').waitFor();
    await plays(page);
  });

  async function followsKeys(page: Page) {
    const slider = dialog(page).getByRole('slider', { name: 'Timeline' });
    await slider.press('ArrowLeft');
    await dialog(page).getByText('Step 3 of 5').waitFor();
    await slider.press('Home');
    await dialog(page).getByText('Step 1 of 5').waitFor();
    await press(dialog(page), 'Step forward');
    await page.keyboard.press('ArrowRight');
    await dialog(page).getByText('Step 3 of 5').waitFor();
    await expect.poll(() => page.url()).toContain('replay=3');
    await slider.press(' ');
    await dialog(page).getByRole('button', { name: 'Pause' }).waitFor();
    await slider.press(' ');
    await dialog(page).getByRole('button', { name: 'Play' }).waitFor();
  }

  /** To the end, and then once more. */
  async function plays(page: Page) {
    await dialog(page).getByLabel('Speed').selectOption('4');
    await press(dialog(page), 'Play');
    await dialog(page).getByRole('button', { name: 'Pause' }).waitFor();
    await dialog(page).getByText('Step 5 of 5').waitFor();
    await dialog(page).getByRole('button', { name: 'Play' }).waitFor();
    await dialog(page).getByText('3 credits so far').waitFor();
    await expect.poll(() => page.url()).toContain('replay=5');
    await press(dialog(page), 'Play');
    await dialog(page).getByText('Step 1 of 5').waitFor();
  }

  it('fills a phone, and leads back to the list, also where the session does not exist', async () => {
    const page = await filmPage();
    await page.setViewportSize({ width: 375, height: 812 });
    await page.goto(`/autonomous?session=${crypto.randomUUID()}`);
    await page.getByText('Session not found.').waitFor();
    await press(page, 'All sessions');
    await list(page).getByText('Compare the plans').click();
    await details(page).getByText('Key findings').waitFor();
    await expect.poll(() => list(page).count()).toBe(0);
    await expect.poll(() => page.url()).toContain(film.id);
    await press(page, 'All sessions');
    await list(page).waitFor();
  });
});
