import { type Agent, createAgent } from '@tallyhand/contracts/features/agents/agents.endpoints';
import {
  CreditsCharged,
  CreditsReserved,
} from '@tallyhand/contracts/features/credits/credits.events';
import {
  listSessions,
  type Session,
  type SessionDetail,
} from '@tallyhand/contracts/features/sessions/sessions.endpoints';
import { SessionFailed } from '@tallyhand/contracts/features/sessions/sessions.events';
import { agentInput } from '@tallyhand/test-kit/api-client';
import type { Page } from 'playwright';
import { describe, expect, it } from 'vitest';
import {
  appendPast,
  keepImage,
  pastSession,
  seen,
  sessionEventsOf,
} from '../testing/past-sessions.ts';
import { agentOwner, expectAccessible, openSuite } from './browser.ts';
import { aScreenshot } from './sessions-acts.ts';
import { addFilter, dialog, dialogIsGone, field, press, toast } from './steps.ts';

const { product, browser } = await openSuite();

const newOwn = () => agentOwner(product, browser);

type Own = Awaited<ReturnType<typeof newOwn>>['own'];
type Step = ReturnType<ReturnType<typeof sessionEventsOf>['agentStep']>;

/** The ledger entries of a successful step. */
function paid({ organizationId, agentId, userId: memberId }: Own, { data }: Step) {
  const reservationId = data.stepId;
  const terms = {
    organizationId,
    reservationId,
    amount: 1,
    agentId,
    memberId,
    price: 1,
    work: { kind: 'step' as const, id: reservationId },
    workType: 'step' as const,
  };
  const expiresAt = new Date(Date.now() + 3_600_000).toISOString();
  return [CreditsReserved({ ...terms, expiresAt }), CreditsCharged(terms)];
}

/** A session that ended after five steps; the third was a member's, the fourth has a picture. */
async function withFilm() {
  const { client, user, own, page } = await newOwn();
  const { organizationId } = own;
  const image = await keepImage(product.config, organizationId, await aScreenshot(page));
  const events = sessionEventsOf(own, 'Compare the plans');
  const { sessionId: id } = events;
  const finding = { text: 'S costs 4 EUR', url: 'https://plans.example/prices' };
  const charged = [
    events.agentStep(1),
    events.agentStep(4, { screenshots: [image], input: 'p'.repeat(60) }),
    events.agentStep(5, { action: 'note', finding }),
  ] as const;
  const [first, fourth, fifth] = charged;
  const ledger = charged.flatMap((step) => paid(own, step));
  await appendPast(product.config, `ledger-${organizationId}`, organizationId, ledger);
  await appendPast(product.config, `session-${id}`, organizationId, [
    events.requested,
    events.started(),
    first,
    events.agentStep(2, { success: false, creditsUsed: 0, output: 'The page did not answer.' }),
    events.takenOver,
    events.personStep(3),
    events.handedBack,
    fourth,
    fifth,
    events.completed,
  ]);
  const isWhole = ({ session, steps }: SessionDetail) =>
    session.status === 'completed' && session.totalCreditsUsed === 3 && steps.length === 5;
  await seen(client, id, isWhole);
  return { id, client, user, own, page };
}

const list = (page: Page) => page.getByRole('list', { name: 'Active & Recent Sessions' });
const details = (page: Page) => page.getByRole('region', { name: 'Session details' });
const openStart = async (page: Page) => {
  await page.goto('/autonomous');
  await page.getByText('No autonomous sessions yet.').waitFor();
  await press(page, 'Start New Session');
};

describe('a new session', () => {
  it('asks for an agent and a goal, shows the maximum cost, and is queued', async () => {
    const { page, client } = await newOwn();
    await page.goto('/autonomous');
    await page.getByText('No autonomous sessions yet.').waitFor();
    await press(page, 'Start New Session');
    await dialog(page).getByText('This session costs at most 15 credits.').waitFor();
    await press(dialog(page), 'Start Session');
    await toast(page, 'Please select an agent and provide a goal.');
    await field(page, 'goal').fill('   ');
    await press(dialog(page), 'Start Session');
    await dialog(page).getByText('Please provide a goal').waitFor();
    await field(page, 'goal').fill('  Compare the plans ');
    await field(page, 'maxSteps').fill('51');
    await press(dialog(page), 'Start Session');
    await dialog(page).getByText('Steps must be at most 50').waitFor();
    await field(page, 'maxSteps').fill('3');
    await dialog(page).getByText('This session costs at most 3 credits.').waitFor();
    await field(page, 'maxSteps').press('Enter');
    await toast(page, 'Autonomous Session Started');
    await dialogIsGone(page);
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
  });

  it('is not lost by Escape before it is sent', async () => {
    const { page } = await newOwn();
    await openStart(page);
    await field(page, 'goal').fill('Compare the plans');
    await field(page, 'goal').press('Escape');
    await press(page.getByRole('alertdialog'), 'Keep editing');
    await expect.poll(() => field(page, 'goal').inputValue()).toBe('Compare the plans');
    await field(page, 'goal').press('Escape');
    await press(page.getByRole('alertdialog'), 'Discard');
    await dialogIsGone(page);
  });

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
    await page.goto(`/autonomous?start=${paused.body.id}`);
    await expect.poll(() => field(page, 'agentId').inputValue()).toBe('');
  });

  it('shows why it was refused', async () => {
    const { page } = await newOwn();
    await openStart(page);
    await field(page, 'goal').fill('Compare the plans');
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
    await press(dialog(page), 'Start Session');
    await toast(page, 'Failed to Start Session');
    await toast(page, 'Not enough credits. This needs 1, and you have 0.');
    await expect.poll(() => field(page, 'goal').inputValue()).toBe('Compare the plans');
  });
});

describe('the list of sessions', () => {
  it('ends a session that waits, after asking', async () => {
    const { page } = await newOwn();
    await openStart(page);
    await field(page, 'goal').fill('Compare the plans');
    await press(dialog(page), 'Start Session');
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
  });

  it('is filtered by its address, and continues where the first page ends', async () => {
    const { page, own, client } = await newOwn();
    const all = Array.from({ length: 21 }, (_, index) => sessionEventsOf(own, `Goal ${index}`));
    for (const { sessionId, organizationId, requested } of all) {
      await appendPast(product.config, `session-${sessionId}`, organizationId, [requested]);
    }
    const { sessionId } = await pastSession(product.config, client, own, 'The one that ended');
    await page.goto('/autonomous');
    await addFilter(page, 'Status', 'Completed');
    await list(page).getByText('The one that ended').waitFor();
    await expect.poll(() => list(page).getByRole('listitem').count()).toBe(1);
    await page.reload();
    await list(page).getByText('The one that ended').click();
    expect(new URL(page.url()).search).toBe(`?status=completed&session=${sessionId}`);
    await press(page, 'Clear all');
    await expect.poll(() => list(page).getByRole('listitem').count()).toBe(20);
    await press(page, 'Show more');
    await expect.poll(() => list(page).getByRole('listitem').count()).toBe(22);
    await addFilter(page, 'Status', 'Failed');
    await page.getByText('Nothing matches these filters').waitFor();
  });

  it('fills a phone with one session, and returns', async () => {
    const { page, id } = await withFilm();
    await page.setViewportSize({ width: 375, height: 812 });
    await page.goto('/autonomous');
    await list(page).getByText('Compare the plans').click();
    await details(page).getByText('Key findings').waitFor();
    await expect.poll(() => list(page).count()).toBe(0);
    await expect.poll(() => page.url()).toContain(id);
    await press(page, 'All sessions');
    await list(page).waitFor();
  });
});

describe('a session that ended', () => {
  it('shows everything that was done, found and spent', async () => {
    const { page, id, user } = await withFilm();
    await page.goto('/autonomous');
    await page.getByText('Select a session to view details').waitFor();
    await page.goto(`/autonomous?session=${id}`);
    const shown = details(page);
    for (const text of ['Compare the plans', 'For one person.', 'S is the cheapest.', 'built-in']) {
      await shown.getByText(text, { exact: true }).first().waitFor();
    }
    await shown.getByText('Step 5/16').waitFor();
    await shown.getByText('15 by the agent + 1 free step').waitFor();
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
    await steps.nth(2).getByText(`Taken by ${user.username}`).waitFor();
    await steps.nth(2).getByText('Free').waitFor();
    const source = steps.nth(4).getByRole('link', { name: 'https://plans.example/prices' });
    await expect.poll(() => source.getAttribute('rel')).toContain('noopener');
    await expectAccessible(page);
  });

  it('shows why it failed, and that a session does not exist', async () => {
    const { page, own, client } = await newOwn();
    const { sessionId, organizationId, requested, completed } = sessionEventsOf(own, 'Buy a tent');
    const { outcome } = completed.data;
    const error = 'There was no credit left for the next step.';
    await appendPast(product.config, `session-${sessionId}`, organizationId, [
      requested,
      SessionFailed({
        sessionId,
        organizationId,
        reason: 'out-of-credits',
        outcome,
        code: null,
        params: {},
        error,
      }),
    ]);
    await seen(client, sessionId, ({ session }) => session.status === 'failed');
    await page.goto(`/autonomous?session=${sessionId}`);
    await details(page).getByRole('alert').getByText(error).waitFor();
    await expect
      .poll(() =>
        details(page)
          .getByText(/failed/i)
          .allTextContents(),
      )
      .toEqual(['Failed', 'Session failed']);
    for (const missing of [own.agentId, 'nonsense']) {
      await page.goto(`/autonomous?session=${missing}`);
      await page.getByText('Session not found.').waitFor();
    }
  });

  it('shows its outcome and steps, each of them with its picture', async () => {
    const { page, id } = await withFilm();
    await page.goto(`/autonomous?session=${id}`);
    await press(details(page), 'View Browser');
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
    await expectAccessible(page);
    await page.keyboard.press('Escape');
    await page.getByText('Step 4 of 5: Open').waitFor({ state: 'detached' });
    await dialog(page).getByText('Session Complete').waitFor();
  });
});

describe('the ledger', () => {
  it("links from a step's cost to its session", async () => {
    const { page, id } = await withFilm();
    await page.goto('/billing?tab=ledger');
    await page
      .getByRole('link', { name: /^Charge details/ })
      .first()
      .click();
    await details(page).getByText('S is the cheapest.').waitFor();
    await expect.poll(() => page.url()).toContain(id);
  });
});

describe('a replay', () => {
  it('plays to the end, and starts again', async () => {
    const { page, id } = await withFilm();
    await page.goto(`/autonomous?session=${id}`);
    await press(details(page), 'Replay');
    await dialog(page).getByLabel('Speed').selectOption('4');
    await press(dialog(page), 'Play');
    await dialog(page).getByRole('button', { name: 'Pause' }).waitFor();
    await dialog(page).getByText('Step 5 of 5').waitFor();
    await dialog(page).getByRole('button', { name: 'Play' }).waitFor();
    await dialog(page).getByText('3 credits so far').waitFor();
    await expect.poll(() => page.url()).toContain('replay=5');
    await press(dialog(page), 'Play');
    await dialog(page).getByText('Step 1 of 5').waitFor();
  });

  it('is controlled by keys, and starts where a link says', async () => {
    const { page, id } = await withFilm();
    await page.goto(`/autonomous?session=${id}&replay=4`);
    await dialog(page).getByText('Step 4 of 5').waitFor();
    await dialog(page).getByText('2 credits so far').waitFor();
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
    await expectAccessible(page);
    await page.keyboard.press('Escape');
    await dialogIsGone(page);
    await expect.poll(() => page.url()).not.toContain('replay');
  });

  it('is shared by a link, and saved as a file', async () => {
    const { page, id } = await withFilm();
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.goto(`/autonomous?session=${id}&replay=4`);
    await press(dialog(page), 'Copy link');
    await toast(page, 'Link copied');
    const copied = await page.evaluate('navigator.clipboard.readText()');
    expect(copied).toBe(`${product.url}/autonomous?session=${id}&replay=4`);
    const download = page.waitForEvent('download');
    await dialog(page).getByRole('link', { name: 'Export' }).click();
    expect((await download).suggestedFilename()).toMatch(/\.zip$/);
  });
});
