import type { Planner } from '@tallyhand/agent-runtime/browsing/planner';
import {
  type Session,
  startSession,
} from '@tallyhand/contracts/features/sessions/sessions.endpoints';
import { type ApiClient, agentInput } from '@tallyhand/test-kit/api-client';
import type { Locator, Page, WebSocketRoute } from 'playwright';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  AskingSession,
  clicks,
  opens,
  type Turn,
  types,
  WrittenPlanner,
} from '../testing/asking-sessions.ts';
import { joinAs } from '../testing/members.ts';
import { type OwnProduct, startTestProduct } from '../testing/product.ts';
import { type Shop, ShopParty, startShop } from '../testing/shop.ts';
import { VISITOR } from '../testing/site/forms.ts';
import { type Site, startSite } from '../testing/site/site.ts';
import { agentOwner, expectAccessible, openBrowser, pageOf } from './browser.ts';
import { dialog, press, toast } from './steps.ts';

let shop: Shop;
let site: Site;
let product: OwnProduct;
const browser = openBrowser();

const FIND = 'Find the plans';
const LAST = 'Say what you found.';
const UNSURE = 'Say what you found, though it answers nothing for certain.';

/** Opens the site, then continues only when a goal or a member's step releases it. */
const watchedPlanner: Planner = {
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

/** What the agent of a session that asks will do. */
const written = new WrittenPlanner();

const planner: Planner = {
  model: 'scripted',
  seesImages: false,
  next: (turn) => ([FIND, LAST, UNSURE].includes(turn.goal) ? watchedPlanner : written).next(turn),
};

beforeAll(async () => {
  shop = await startShop();
  site = await startSite();
  const allowPrivateHosts = [shop.host, new URL(site.url).host].join(',');
  product = await startTestProduct({ allowPrivateHosts }, { browser: { planner } });
});
afterAll(async () => {
  await product[Symbol.asyncDispose]();
  await site[Symbol.asyncDispose]();
  await shop[Symbol.asyncDispose]();
});

async function sessionOf(client: ApiClient, agentId: string, goal: string): Promise<string> {
  const started = await client.call<Session>(startSession, {
    params: { id: agentId },
    body: { goal },
  });
  return started.body.id;
}

/** A session whose agent has opened the site, and a page of the member who started it. */
async function watched(goal = FIND) {
  const owner = await agentOwner(product, browser);
  const id = await sessionOf(owner.client, owner.own.agentId, goal);
  return { ...owner, watch: () => owner.page.goto(`/autonomous?session=${id}&view=browser`) };
}

const details = (page: Page) => page.getByRole('region', { name: 'Session details' });
const list = (page: Page) => page.getByRole('list', { name: 'Active & Recent Sessions' });

const badge = (page: Page, text: string) =>
  dialog(page).getByRole('status').getByText(text, { exact: true }).waitFor();
const picture = (page: Page) => dialog(page).getByRole('img', { name: /^The page currently/ });
const region = (page: Page) => dialog(page).getByRole('application');
const steers = (page: Page) =>
  dialog(page)
    .getByText(/^You're in control/)
    .waitFor();
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
  it("shows the agent's actions, reconnects, and closes when the session is terminated", async () => {
    const { page, watch } = await watched();
    const sockets: WebSocketRoute[] = [];
    await page.routeWebSocket('**/ws/browser', (socket) => {
      sockets.push(socket);
      socket.connectToServer();
    });
    await watch();
    await isLive(page);
    await showsActions(page);
    await sockets[0]?.close();
    await badge(page, 'Disconnected');
    await dialog(page).getByText('Connection lost').waitFor();
    await badge(page, 'Live');
    expect(sockets.length).toBe(2);
    await dialog(page).getByText('Latest actions').waitFor();
    await press(dialog(page), 'Close');
    await press(page, /^Terminate/);
    await press(page.getByRole('alertdialog'), 'Terminate');
    await toast(page, 'Session Terminated');
    await press(details(page), 'View Browser');
    await dialog(page).getByText('Session Complete').waitFor();
    await dialog(page).getByText('A member terminated the session.').waitFor();
  });

  async function showsActions(page: Page) {
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
  }

  it('ends with its findings in front of its viewers, also where no page answers for certain', async () => {
    const { page, client, own, watch } = await watched(LAST);
    await watch();
    await dialog(page).getByText('Session Complete').waitFor();
    await dialog(page).getByText('It has plans.').first().waitFor();
    await dialog(page).getByText('2 steps, 2 credits').waitFor();
    await press(dialog(page), 'Close');
    await sessionOf(client, own.agentId, UNSURE);
    await list(page).getByText(UNSURE).click();
    const sentence = 'The session ended without a reliable answer to the goal.';
    await details(page).getByText(sentence).waitFor();
    await details(page).getByText('Completed', { exact: true }).waitFor();
    await details(page).getByText('It may have plans.').first().waitFor();
    await expectAccessible(page);
  });
});

describe('a takeover', () => {
  it('steers by pointer and keys; others see who it is; the agent continues afterwards', async () => {
    const { client, page, watch, user } = await watched();
    const { client: colleague } = await joinAs(client, product.url, 'Editor');
    const other = await pageOf(colleague, product.url, browser);
    await watch();
    await isLive(page);
    await other.goto(page.url());
    await isLive(other);
    await expect.poll(() => other.getByRole('button', { name: 'Take over' }).count()).toBe(0);
    await press(dialog(page), 'Take over');
    await steers(page);
    await other.getByText(`${user.username} is in control. The agent is paused.`).waitFor();
    await leavesByEscape(page);
    // The browser is still theirs when they look again.
    await press(details(page), 'View Browser');
    await steers(page);
    await dialog(page).getByLabel('Address').fill(`${site.origin}/login`);
    await dialog(page).getByLabel('Address').press('Enter');
    await titled(page, 'Sign in');
    await clickField(page, '/login', 'Name');
    await page.keyboard.type(VISITOR.name);
    await page.keyboard.press('Tab');
    await page.keyboard.type(VISITOR.password);
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

  /** The picture by Escape twice, and the dialog, which stays, by one more. */
  async function leavesByEscape(page: Page) {
    await region(page).focus();
    const hasFocus = () => region(page).evaluate((it) => it.matches(':focus'));
    await page.keyboard.press('Escape');
    await expect.poll(hasFocus).toBe(true);
    // A busy machine may be too slow for the second one to count.
    const escapeAgain = () => page.keyboard.press('Escape').then(hasFocus);
    await expect.poll(escapeAgain).toBe(false);
    await page.keyboard.press('Tab');
    await expect.poll(hasFocus).toBe(false);
    await steers(page);
    // The first one may only hide a tooltip.
    const dialogs = () => page.keyboard.press('Escape').then(() => dialog(page).count());
    await expect.poll(dialogs).toBe(0);
  }
});

describe('the page of a session that waits', () => {
  const call = (page: Page) => details(page).getByRole('article');
  const decided = (page: Page, as: RegExp) => details(page).getByText(as);

  /** Sends a form and makes two calls, which all need an approval. */
  async function asking() {
    shop.seen.splice(0);
    site.requests.splice(0);
    const party = await ShopParty.register(product.url, shop.address);
    const { id: toolId } = await party.tool();
    const refunds =
      (orderId: string): Turn =>
      () => ({ type: 'use_tool', toolId, operation: 'refundOrder', args: { orderId } });
    written.turns = [
      opens(`${site.origin}/contact`),
      types('Your name', 'Ada'),
      types('Your e-mail', 'ada@example.com'),
      types('Message', 'Hello'),
      clicks('Send message'),
      refunds('7'),
      refunds('8'),
    ];
    const session = await AskingSession.start(party.client, party.agentId);
    await session.waiting();
    return { client: party.client, session };
  }

  it('shows the form of a notification, then calls; each is approved, or refused with a reason', async () => {
    const { client, session } = await asking();
    const page = await pageOf(client, product.url, browser);
    await page.goto('/dashboard');
    await press(page, /notification/i);
    await approvesForm(page);
    await call(page).getByRole('heading', { name: 'Orders · refundOrder' }).waitFor();
    await details(page).getByText('Waiting for approval').waitFor();
    await call(page).getByText('"orderId": "7"').waitFor();
    await isShownToViewer(client, session.id);
    await press(call(page), 'Refuse');
    await page.getByRole('textbox', { name: 'Reason' }).fill('Ask the customer first.');
    await press(call(page), 'Refuse');
    await toast(page, 'Call refused');
    await decided(page, /^Refused by/).waitFor();
    expect(shop.seen).toEqual([]);
    await call(page).getByText('"orderId": "8"').waitFor();
    await press(call(page), 'Approve');
    await toast(page, 'Call approved');
    await expect.poll(() => decided(page, /^Approved by/).count()).toBe(2);
    const { approvals } = await session.ended();
    expect(approvals).toMatchObject([
      { decision: 'approved' },
      { decision: 'refused', note: 'Ask the customer first.' },
      { decision: 'approved' },
    ]);
    expect(shop.seen).toEqual(['POST /api/refunds/8']);
    expect(site.requests.filter(({ method }) => method === 'POST')).toHaveLength(1);
  });

  async function approvesForm(page: Page) {
    const { host } = new URL(site.url);
    await page.getByText(`${agentInput.name}: a form for ${host} needs approval`).click();
    await call(page)
      .getByRole('heading', { name: `${host} · Send form` })
      .waitFor();
    await call(page).getByText('"email": "ada@example.com"').waitFor();
    await expect.poll(() => call(page).getByRole('checkbox').count()).toBe(0);
    await press(call(page), 'Approve');
    await decided(page, /^Approved by/).waitFor();
  }

  /** A Viewer sees the call, and who may decide. */
  async function isShownToViewer(admin: ApiClient, id: string) {
    const { client } = await joinAs(admin, product.url, 'Viewer');
    const page = await pageOf(client, product.url, browser);
    await page.goto(`/autonomous?session=${id}`);
    await call(page).getByText('"orderId": "7"').waitFor();
    await call(page)
      .getByText(/can approve or refuse this call/)
      .waitFor();
    await expect.poll(() => call(page).getByRole('button').count()).toBe(0);
    await expectAccessible(page);
  }
});
