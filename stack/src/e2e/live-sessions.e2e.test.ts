import type { Planner } from '@tallyhand/agent-runtime/browsing/planner';
import {
  type Session,
  startSession,
} from '@tallyhand/contracts/features/sessions/sessions.endpoints';
import type { Locator, Page, WebSocketRoute } from 'playwright';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type OwnProduct, startTestProduct } from '../testing/product.ts';
import { VISITOR } from '../testing/site/forms.ts';
import { type Site, startSite } from '../testing/site/site.ts';
import { agentOwner, expectAccessible, openBrowser } from './browser.ts';
import { dialog, password, press, someone, toast } from './steps.ts';

let site: Site;
let product: OwnProduct;
const browser = openBrowser();

const LAST = 'Say what you found.';
const UNSURE = 'Say what you found, though it answers nothing for certain.';

/** Opens the site, then continues only when a goal or a member's step releases it. */
const planner: Planner = {
  model: 'scripted',
  seesImages: false,
  next({ goal, steps, signal }) {
    if (!steps.some(({ isByPerson }) => !isByPerson)) {
      const reasoning = 'The goal names this site.';
      return Promise.resolve({ action: { type: 'open', url: site.url }, reasoning });
    }
    if (goal === UNSURE) {
      const found = { summary: 'It may have plans.', keyFindings: ['Plans'], nextSteps: [] };
      const action = { type: 'finish', result: 'uncertain', ...found } as const;
      return Promise.resolve({ action, reasoning: 'No page answers it.' });
    }
    if (goal === LAST || steps.some(({ isByPerson }) => isByPerson)) {
      const found = { summary: 'It has plans.', keyFindings: ['Plans'], nextSteps: [] };
      const action = { type: 'finish', result: 'reached', ...found } as const;
      return Promise.resolve({ action, reasoning: 'That is enough.' });
    }
    return new Promise((_, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    });
  },
};

beforeAll(async () => {
  site = await startSite();
  product = await startTestProduct(
    { allowPrivateHosts: new URL(site.url).host },
    { browser: { planner } },
  );
});
afterAll(async () => {
  await product[Symbol.asyncDispose]();
  await site[Symbol.asyncDispose]();
});

/**
 * A session whose agent has opened the site, and its browser on the page of the member who started
 * it.
 */
async function watched(goal = 'Find the plans') {
  const owner = await agentOwner(product, browser);
  const { client, own, page } = owner;
  const started = await client.call<Session>(startSession, {
    params: { id: own.agentId },
    body: { goal },
  });
  const { id } = started.body;
  return { ...owner, id, watch: () => page.goto(`/autonomous?session=${id}&view=browser`) };
}

const badge = (page: Page, text: string) =>
  dialog(page).getByRole('status').getByText(text, { exact: true }).waitFor();
const picture = (page: Page) => dialog(page).getByRole('img', { name: /^The page currently/ });
const region = (page: Page) => dialog(page).getByRole('application');
const titled = (page: Page, title: string) => dialog(page).getByTitle(title).waitFor();
const steps = (page: Page) =>
  dialog(page).getByRole('list').last().getByRole('button').allTextContents();

async function isLive(page: Page) {
  await badge(page, 'Live');
  await dialog(page).getByText('1. Open').waitFor();
  await picture(page).waitFor();
}

/** Clicks in the picture where the site shows the field. */
async function clickField(page: Page, path: string, name: string) {
  const shown = await page.context().newPage();
  await shown.setViewportSize({ width: 1_280, height: 800 });
  await shown.goto(`${site.origin}${path}`);
  const at = await middleOf(shown.getByLabel(name));
  await shown.close();
  const box = await picture(page).boundingBox();
  if (!box) throw new Error('There is no picture');
  const position = { x: (at.x / 1_280) * box.width, y: (at.y / 800) * box.height };
  await picture(page).click({ position });
}

async function middleOf(element: Locator) {
  const box = await element.boundingBox();
  if (!box) throw new Error('The element is not shown');
  return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
}

describe('a live browser', () => {
  it("shows the agent's actions live", async () => {
    const { page, watch } = await watched();
    await watch();
    await isLive(page);
    await dialog(page).getByText('Step 1 of 15').waitFor();
    await dialog(page)
      .getByText(/^Streaming live/)
      .waitFor();
    await dialog(page)
      .getByText(/seconds? since the last update$/)
      .waitFor();
    await dialog(page)
      .getByText(/^Session [0-9a-f]{8}$/)
      .waitFor();
    const width = () => picture(page).evaluate((it: { naturalWidth?: number }) => it.naturalWidth);
    await expect.poll(() => width()).toBe(1_280);
    await dialog(page).getByText(site.url).first().waitFor();
    await press(dialog(page), 'Pause');
    await dialog(page).getByText('Updates are paused').waitFor();
    await press(dialog(page), 'Resume');
    await dialog(page).getByRole('button', { name: 'Pause' }).waitFor();
    await expectAccessible(page);
  });

  it('reconnects after its connection was lost', async () => {
    const { page, watch } = await watched();
    const sockets: WebSocketRoute[] = [];
    await page.routeWebSocket('**/ws/browser', (socket) => {
      sockets.push(socket);
      socket.connectToServer();
    });
    await watch();
    await isLive(page);
    await sockets[0]?.close();
    await badge(page, 'Disconnected');
    await dialog(page).getByText('Connection lost').waitFor();
    await badge(page, 'Live');
    expect(sockets.length).toBe(2);
    await dialog(page).getByText('Latest actions').waitFor();
  });

  it('closes within a moment when the session is terminated', async () => {
    const { page, watch } = await watched();
    await watch();
    await isLive(page);
    await press(dialog(page), 'Close');
    await press(page, /^Terminate/);
    await press(page.getByRole('alertdialog'), 'Terminate');
    await toast(page, 'Session Terminated');
    await watch();
    await dialog(page).getByText('Session Complete').waitFor();
    await dialog(page).getByText('A member terminated the session.').waitFor();
  });

  it('ends with its findings, in front of its viewers', async () => {
    const { page, watch } = await watched(LAST);
    await watch();
    await dialog(page).getByText('Session Complete').waitFor();
    await dialog(page).getByText('It has plans.').first().waitFor();
    await dialog(page).getByText('2 steps, 2 credits').waitFor();
  });
});

describe('a session whose question no page answers with certainty', () => {
  it('is completed, and shows its findings', async () => {
    const { page, id } = await watched(UNSURE);
    await page.goto(`/autonomous?session=${id}`);
    const details = page.getByRole('region', { name: 'Session details' });
    const sentence = 'The session ended without a reliable answer to the goal.';
    await details.getByText(sentence).waitFor();
    await details.getByText('Completed', { exact: true }).waitFor();
    await details.getByText('It may have plans.').first().waitFor();
    await expectAccessible(page);
  });
});

describe('a takeover', () => {
  it('steers by pointer and keys; others see who it is; the agent continues afterwards', async () => {
    const { page, watch, user } = await watched();
    const email = someone();
    const invited = await page.request.post('/api/invitations', {
      data: { email, role: 'Editor' },
    });
    const { token: invite } = await invited.json();
    const other = await browser.newPage(product.url);
    const person = { email, username: 'Kim Marlow', password, invite };
    expect((await other.request.post('/api/register', { data: person })).status()).toBe(201);
    await watch();
    await isLive(page);
    await other.goto(page.url());
    await isLive(other);
    await expect.poll(() => other.getByRole('button', { name: 'Take over' }).count()).toBe(0);
    await press(dialog(page), 'Take over');
    await dialog(page)
      .getByText(/^You're in control/)
      .waitFor();
    await other.getByText(`${user.username} is in control. The agent is paused.`).waitFor();
    await dialog(page).getByLabel('Address').fill(`${site.origin}/login`);
    await dialog(page).getByLabel('Address').press('Enter');
    await titled(page, 'Sign in');
    await clickField(page, '/login', 'Name');
    await page.keyboard.type(VISITOR.name);
    await page.keyboard.press('Tab');
    await page.keyboard.type(VISITOR.password);
    await expectAccessible(page);
    await page.keyboard.press('Enter');
    await titled(other, 'My account');
    const signedIn = site.requests.filter(
      ({ method, path }) => method === 'POST' && path === '/login',
    );
    expect(signedIn.at(-1)?.form).toContain(`name=${VISITOR.name}`);
    await press(dialog(page), 'Hand back');
    await dialog(page).getByText('Session Complete').waitFor();
    const texts = (await steps(page)).join(' ');
    expect(texts).toContain(`Free${user.username}`);
    expect(texts).not.toContain(VISITOR.password);
  });

  it('leaves the picture by Escape twice, and the dialog stays', async () => {
    const { page, watch } = await watched();
    await watch();
    await isLive(page);
    await press(dialog(page), 'Take over');
    await region(page).focus();
    const hasFocus = () => region(page).evaluate((it) => it.matches(':focus'));
    await page.keyboard.press('Escape');
    await expect.poll(hasFocus).toBe(true);
    // A busy machine may be too slow for the second one to count.
    const escapeAgain = () => page.keyboard.press('Escape').then(hasFocus);
    await expect.poll(escapeAgain).toBe(false);
    await page.keyboard.press('Tab');
    await expect.poll(hasFocus).toBe(false);
    await dialog(page)
      .getByText(/^You're in control/)
      .waitFor();
    // The first one may only hide a tooltip.
    const dialogs = () => page.keyboard.press('Escape').then(() => dialog(page).count());
    await expect.poll(dialogs).toBe(0);
  });
});
