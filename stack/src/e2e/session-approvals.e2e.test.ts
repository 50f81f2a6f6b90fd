import { type Agent, createAgent } from '@tallyhand/contracts/features/agents/agents.endpoints';
import { agentInput, registerOrganization } from '@tallyhand/test-kit/api-client';
import type { Page } from 'playwright';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
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
import { type Site, startSite } from '../testing/site/site.ts';
import { expectAccessible, openBrowser, pageOf } from './browser.ts';
import { chooseFromMenu, dialog, dialogIsGone, field, press, toast } from './steps.ts';

vi.setConfig({ testTimeout: 60_000 });

const planner = new WrittenPlanner();
const browser = openBrowser();
let shop: Shop;
let site: Site;
let product: OwnProduct;

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

const details = (page: Page) => page.getByRole('region', { name: 'Session details' });
const call = (page: Page) => details(page).getByRole('article');

/** A page of a session that waits for a refund. */
async function refunding() {
  shop.seen.length = 0;
  const party = await ShopParty.register(product.url, shop.address);
  const { id: toolId } = await party.tool();
  const refund: Turn = () => ({
    type: 'use_tool',
    toolId,
    operation: 'refundOrder',
    args: { orderId: '7' },
  });
  planner.turns = [refund];
  const session = await AskingSession.start(party.client, party.agentId);
  await session.waiting();
  const open = async (client: typeof party.client) => {
    const page = await pageOf(client, product.url, browser);
    await page.goto(`/autonomous?session=${session.id}`);
    await call(page).waitFor();
    return page;
  };
  return { party, session, open };
}

describe('the page of a session that waits', () => {
  it('shows the call, which is made after a click', async () => {
    const { party, session, open } = await refunding();
    const page = await open(party.client);
    await details(page).getByText('Waiting for approval').waitFor();
    await call(page).getByRole('heading', { name: 'Orders · refundOrder' }).waitFor();
    await call(page).getByText('"orderId": "7"').waitFor();
    await expectAccessible(page);
    await press(call(page), 'Approve');
    await toast(page, 'Call approved');
    await details(page)
      .getByText(/^Approved by/)
      .waitFor();
    await session.ended();
    expect(shop.seen).toEqual(['POST /api/refunds/7']);
  });

  it('takes a refusal with its reason', async () => {
    const { party, session, open } = await refunding();
    const page = await open(party.client);
    await press(call(page), 'Refuse');
    await page.getByRole('textbox', { name: 'Reason' }).fill('Ask the customer first.');
    await press(call(page), 'Refuse');
    await details(page)
      .getByText(/^Refused by/)
      .waitFor();
    const { approvals } = await session.ended();
    expect(approvals).toMatchObject([{ decision: 'refused', note: 'Ask the customer first.' }]);
    expect(shop.seen).toEqual([]);
  });

  it('shows a Viewer the call, and who may decide', async () => {
    const { party, session, open } = await refunding();
    const { client } = await joinAs(party.client, product.url, 'Viewer');
    const page = await open(client);
    await call(page).getByText('"orderId": "7"').waitFor();
    await call(page)
      .getByText(/can approve or refuse this call/)
      .waitFor();
    await expect.poll(() => call(page).getByRole('button').count()).toBe(0);
    await session.decide({ decision: 'refused' });
    await session.ended();
  });

  it('shows a form, which the notification links to', async () => {
    const { client } = await registerOrganization(product.url);
    const agent = await client.call<Agent>(createAgent, { body: agentInput });
    planner.turns = [
      opens(`${site.origin}/contact`),
      types('Your name', 'Ada'),
      types('Your e-mail', 'ada@example.com'),
      types('Message', 'Hello'),
      clicks('Send message'),
    ];
    const session = await AskingSession.start(client, agent.body.id);
    await session.waiting();
    const page = await pageOf(client, product.url, browser);
    await page.goto('/dashboard');
    await page.getByRole('button', { name: /notification/i }).click();
    const host = new URL(site.url).host;
    await page.getByText(`${agentInput.name}: a form for ${host} needs approval`).click();
    await call(page)
      .getByRole('heading', { name: `${host} · Send form` })
      .waitFor();
    await call(page).getByText('"email": "ada@example.com"').waitFor();
    await expect.poll(() => call(page).getByRole('checkbox').count()).toBe(0);
    await press(call(page), 'Approve');
    await session.ended();
    expect(site.requests.filter(({ method }) => method === 'POST')).toHaveLength(1);
  });
});

describe('the dialog of an agent', () => {
  it('sets what happens before a form is sent, which only Admins loosen', async () => {
    const { client } = await registerOrganization(product.url);
    const agent = await client.call<Agent>(createAgent, { body: agentInput });
    const page = await pageOf(client, product.url, browser);
    await page.goto('/agents');
    await chooseFromMenu(page, agent.body.name, 'Edit Agent');
    await expect.poll(() => field(page, 'formPolicy').inputValue()).toBe('ask');
    await field(page, 'formPolicy').selectOption('never');
    await press(dialog(page), 'Save Changes');
    await dialogIsGone(page);
    const { client: manager } = await joinAs(client, product.url, 'AgentManager');
    const other = await pageOf(manager, product.url, browser);
    await other.goto('/agents');
    await chooseFromMenu(other, agent.body.name, 'Edit Agent');
    await expect.poll(() => field(other, 'formPolicy').inputValue()).toBe('never');
    const options = field(other, 'formPolicy').locator('option:disabled');
    await expect.poll(() => options.allTextContents()).toEqual(['Send', 'Ask first']);
    await chooseFromMenu(page, agent.body.name, 'History');
    const changes = dialog(page).locator('dd');
    await changes.filter({ hasText: 'Ask first' }).filter({ hasText: 'Never' }).waitFor();
  });
});
