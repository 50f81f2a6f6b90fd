import type { Locator, Page } from 'playwright';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { joinAs } from '../testing/members.ts';
import { sharedProduct, type TestProduct } from '../testing/product.ts';
import { type Shop, ShopParty, startShop } from '../testing/shop.ts';
import { askRefund, refundAgent, refundRun, toolWithoutPolicies } from './approvals-acts.ts';
import { expectAccessible, openBrowser, pageOf } from './browser.ts';
import {
  addFilter,
  aTool,
  chooseFromMenu,
  dialog,
  dialogIsGone,
  field,
  password,
  press,
  registered,
  someone,
  toast,
} from './steps.ts';

let product: TestProduct;
const browser = openBrowser();
let shop: Shop;

beforeAll(async () => {
  shop = await startShop();
  product = await sharedProduct();
});
afterAll(() => shop[Symbol.asyncDispose]());

/** A page of a new organization with an agent that refunds orders; nothing is opened yet. */
async function withAgent() {
  shop.seen.splice(0);
  const page = await browser.newPage(product.url);
  await registered(page, 'Harbour Books');
  return { page, ...(await refundAgent(page, shop.address)) };
}

/** A further member of the page's organization. */
async function colleague(page: Page, role: string) {
  const invitation = { email: someone(), role };
  const { token } = await (
    await page.request.post('/api/invitations', { data: invitation })
  ).json();
  const other = await browser.newPage(product.url);
  const person = { email: invitation.email, username: 'Vera', password, invite: token };
  expect((await other.request.post('/api/register', { data: person })).status()).toBe(201);
  return other;
}

const calls = (within: Page | Locator) =>
  within.getByRole('article').filter({ has: within.getByRole('heading', { name: /refundOrder/ }) });
const call = (page: Page, order: number) =>
  calls(page).filter({ hasText: `"orderId": "${order}"` });
const approve = (within: Locator) =>
  within.getByRole('button', { name: 'Approve', exact: true }).click();
const link = (page: Page) => page.getByRole('link', { name: /^Approvals/ });
const rows = (page: Page) => page.locator('tbody [data-row]');
const viewTask = (page: Page, input: string) =>
  rows(page)
    .filter({ hasText: input })
    .getByRole('button', { name: /^View task/ })
    .click();
const leadTo = (page: Page, name: string) =>
  page.getByRole('link', { name, exact: true }).first().click();
const statusOf = async (page: Page, id: string) =>
  (await (await page.request.get(`/api/tasks/${id}`)).json()).status;

describe('the page of approvals', () => {
  it('lists and counts the calls, which are made after an approval, by one person', async () => {
    const { page, id } = await withAgent();
    await page.goto('/approvals');
    await page.getByText('Nothing to approve').waitFor();
    await expect.poll(() => link(page).innerText()).toBe('Approvals');
    const first = await refundRun(page, id, askRefund(7));
    await call(page, 7).waitFor();
    const second = await refundRun(page, id, askRefund(8));
    await expect.poll(() => calls(page).count()).toBe(2);
    await page.getByRole('link', { name: 'Approvals 2 waiting' }).waitFor();
    await calls(page).first().getByText('"orderId": "7"').waitFor();
    await call(page, 7).getByText(askRefund(7)).waitFor();
    await call(page, 7).getByText('Anna Berg').waitFor();
    await call(page, 7).getByText('in 24 hours').waitFor();
    await call(page, 7).getByRole('link', { name: 'Support' }).waitFor();
    await approve(call(page, 7));
    await toast(page, 'Call approved');
    await call(page, 7).waitFor({ state: 'detached' });
    await expect.poll(() => link(page).innerText()).toContain('1');
    await expect.poll(() => statusOf(page, first)).toBe('success');
    expect(shop.seen).toEqual(['POST /api/refunds/7']);
    expect(await statusOf(page, second)).toBe('waiting');
    await isShownToViewer(page, 8);
    await refuseBefore(page, second);
    await approve(call(page, 8));
    await toast(page, 'This call has already been decided.');
    await page.getByText('Nothing to approve').waitFor();
    expect(shop.seen).toEqual(['POST /api/refunds/7']);
  });

  /** A Viewer sees the call, and nothing to decide. */
  async function isShownToViewer(page: Page, order: number) {
    const viewer = await colleague(page, 'Viewer');
    await viewer.goto('/approvals');
    await call(viewer, order).getByText('An Admin, Editor or Agent Manager can').waitFor();
    await expect.poll(() => call(viewer, order).getByRole('button').count()).toBe(0);
    await viewer.getByRole('link', { name: 'Approvals 1 waiting' }).waitFor();
    await expectAccessible(viewer);
  }

  /** Another member is faster than the page. */
  const refuseBefore = (page: Page, taskId: string) =>
    page.route('**/api/tasks/*/decide', async (route) => {
      await page.request.post(`/api/tasks/${taskId}/decide`, {
        data: { ...route.request().postDataJSON(), decision: 'refused', forRun: false },
      });
      await route.continue();
    });

  it('takes other arguments, a reason for a refusal, and leads to the tasks, which show both', async () => {
    const { page, id } = await withAgent();
    await page.goto('/approvals');
    const changed = await refundRun(page, id, askRefund(7));
    await press(call(page, 7), 'Approve with changes');
    await approvesChanged(page);
    await expect.poll(() => statusOf(page, changed)).toBe('success');
    expect(shop.seen).toEqual(['POST /api/refunds/9']);
    const refused = await refundRun(page, id, askRefund(8));
    await press(call(page, 8), 'Refuse');
    await page.getByRole('textbox', { name: 'Reason' }).fill('Order 8 was already refunded.');
    await press(call(page, 8), 'Refuse');
    await toast(page, 'Call refused');
    await page.getByText('Nothing to approve').waitFor();
    await expect.poll(() => statusOf(page, refused)).not.toBe('waiting');
    expect(shop.seen).toEqual(['POST /api/refunds/9']);
    await decidesWhereItIsRead(page, id);
    await viewTask(page, askRefund(8));
    await dialog(page).getByText('Refused by Anna Berg').waitFor();
    await dialog(page).getByText('Order 8 was already refunded.').first().waitFor();
    await press(dialog(page), 'Close');
    await viewTask(page, askRefund(7));
    await dialog(page).getByText('Approved with changes by Anna Berg').waitFor();
    await dialog(page).getByText('Changed arguments').click();
    await dialog(page).getByText('"orderId": "9"').waitFor();
    await expectAccessible(page);
    await press(dialog(page), 'Close');
    await findsAndCancels(page, id);
  });

  /** Edits the arguments of the only call until they are right; what was typed is not lost. */
  async function approvesChanged(page: Page) {
    const text = page.getByRole('textbox', { name: 'Arguments' });
    await expect.poll(() => text.inputValue()).toBe('{\n  "orderId": "7"\n}');
    await text.fill('{"orderId": "9"');
    await press(calls(page), 'Approve with changes');
    await page.getByText('This is not valid JSON.').waitFor();
    await text.fill('["9"]');
    await press(calls(page), 'Approve with changes');
    await page.getByText('Enter a JSON object').waitFor();
    await text.fill('{"orderId": "9"}');
    await press(calls(page), 'Back');
    await press(calls(page), 'Approve with changes');
    await expect.poll(() => text.inputValue()).toBe('{"orderId": "9"}');
    await press(calls(page), 'Approve with changes');
    await toast(page, 'Call approved');
    await page.getByText('Nothing to approve').waitFor();
  }

  /** By the link to a task that waits. */
  async function decidesWhereItIsRead(page: Page, agentId: string) {
    const approved = await refundRun(page, agentId, askRefund(6));
    await call(page, 6).getByRole('link', { name: 'View task' }).click();
    await page.waitForURL(`**/tasks?task=${approved}`);
    await dialog(page).getByText('Needs approval').waitFor();
    await approve(call(page, 6));
    await dialog(page).getByText('Approved by Anna Berg').waitFor();
    await dialog(page).getByText('Success').waitFor();
    await expect.poll(() => statusOf(page, approved)).toBe('success');
    await press(dialog(page), 'Close');
  }

  /** Among the tasks by their status. */
  async function findsAndCancels(page: Page, agentId: string) {
    await refundRun(page, agentId, askRefund(5));
    await addFilter(page, 'Status', 'Needs approval');
    await rows(page).getByText('Needs approval').waitFor();
    await expect.poll(() => rows(page).count()).toBe(1);
    await viewTask(page, askRefund(5));
    await press(dialog(page), 'Cancel task');
    await press(page.getByRole('alertdialog'), 'Cancel task');
    await toast(page, 'Task canceled');
    await dialog(page).getByText('No decision').waitFor();
    await expect.poll(() => calls(dialog(page)).count()).toBe(0);
  }
});

describe('a task that waits', () => {
  it('continues on the page and in the dialog where it was started', async () => {
    const { page, id } = await withAgent();
    await page.goto(`/agents/${id}/execute`);
    await executes(page, page, 7);
    await continues(page, page, 7);
    await leadTo(page, 'AI Agents');
    await chooseFromMenu(page, 'Support', 'Execute Task (1 credit)');
    await executes(page, dialog(page), 8);
    await expectAccessible(page);
    await continues(page, dialog(page), 8);
    expect(shop.seen).toEqual(['POST /api/refunds/7', 'POST /api/refunds/8']);
  });

  async function executes(page: Page, place: Page | Locator, order: number) {
    await field(page, 'type').selectOption('tool_run');
    await field(page, 'input').fill(askRefund(order));
    await press(place, /^Execute Task \(1 credit\)/);
    await place.getByText('Support wants to call a tool and needs approval.').waitFor();
    await call(page, order).waitFor();
  }

  async function continues(page: Page, place: Page | Locator, order: number) {
    await approve(call(page, order));
    const result = place.getByRole('region', { name: 'Completed', exact: true });
    await result.getByText('done: true').waitFor();
    await result.getByText('Approved by Anna Berg').waitFor();
  }
});

describe('a chat whose reply waits', () => {
  /** The built-in engine calls a tool that the message names. */
  const askInChat = 'Orders: refund order 7 with refundOrder';
  const say = async (page: Page) => {
    await page.getByRole('textbox', { name: 'Message' }).fill(askInChat);
    await press(page, 'Send');
  };

  async function waits(page: Page) {
    await say(page);
    await page.getByText('Support is waiting for approval of a tool call.').first().waitFor();
    await call(page, 7).waitFor();
  }

  /** Approves the call and reads the reply. */
  async function continues(page: Page) {
    await call(page, 7).getByLabel('Approve further calls of this tool for this reply').check();
    await approve(call(page, 7));
    await toast(page, 'Call approved');
    const messages = page.getByRole('log', { name: 'Messages' });
    await messages.getByText('done: true').waitFor();
    await call(page, 7).waitFor({ state: 'detached' });
    await expect.poll(() => page.getByRole('textbox', { name: 'Message' }).isEnabled()).toBe(true);
    expect(shop.seen).toEqual(['POST /api/refunds/7']);
  }

  it('is decided on the page, and continues; another one is stopped while it waits', async () => {
    const { page, id } = await withAgent();
    await page.goto(`/agent/${id}`);
    await waits(page);
    await continues(page);
    await say(page);
    await call(page, 7).waitFor();
    await press(page, 'Stop');
    await call(page, 7).waitFor({ state: 'detached' });
    await page.getByText('This message has no reply.').waitFor();
    expect(shop.seen).toEqual(['POST /api/refunds/7']);
  });

  it("is decided in the dialog, and a Viewer's by those who may decide", async () => {
    const { page, id } = await withAgent();
    await page.goto('/agents');
    await chooseFromMenu(page, 'Support', 'Chat with Agent');
    await waits(page);
    await expectAccessible(page);
    await continues(page);
    await press(dialog(page), 'Close');
    const viewer = await colleague(page, 'Viewer');
    await viewer.goto(`/agent/${id}`);
    await say(viewer);
    await call(viewer, 7).getByText('An Admin, Editor or Agent Manager can').waitFor();
    await page.getByRole('link', { name: 'Approvals 1 waiting' }).click();
    await call(page, 7).getByText(askInChat).waitFor();
    await call(page, 7).getByText('Vera').waitFor();
    const links = call(page, 7).getByRole('link', { name: 'View conversation' });
    await expect.poll(() => links.count()).toBe(0);
    await press(call(page, 7), 'Refuse');
    await page.getByRole('textbox', { name: 'Reason' }).fill('Ask Anna first.');
    await press(call(page, 7), 'Refuse');
    await toast(page, 'Call refused');
    await viewer.getByText('Refused by Anna Berg').waitFor();
    await viewer.getByText('Ask Anna first.').waitFor();
    await expectAccessible(viewer);
    expect(shop.seen).toEqual(['POST /api/refunds/7']);
  });
});

describe('approval settings', () => {
  const group = (page: Page) => dialog(page).getByRole('group', { name: 'Approval' });
  const changesIn = (page: Page) => group(page).getByLabel('Calls that may change something');
  const save = (page: Page) => press(dialog(page), 'Save Changes');
  const optionsOf = (control: Locator) =>
    control.locator('option:not([disabled])').allTextContents();
  const policiesOf = async (page: Page, toolId: string) =>
    (await (await page.request.get(`/api/tools/${toolId}`)).json()).policies;

  it('are reviewed where a tool has none, set for its operations and for forms, and follow the type', async () => {
    const { page, toolId } = await withAgent();
    const oldId = await toolWithoutPolicies(page, 'Returns');
    await page.goto('/tools');
    await reviews(page);
    expect(await policiesOf(page, oldId)).toEqual({ changes: 'never', operations: {} });
    await page.getByRole('article', { name: aTool.name }).getByText('Asks before').waitFor();
    await chooseFromMenu(page, aTool.name, 'Edit Tool');
    await setsSingle(page);
    const policies = { changes: 'allow', operations: { refundOrder: 'never' } };
    expect(await policiesOf(page, toolId)).toEqual(policies);
    await chooseFromMenu(page, aTool.name, 'History');
    await dialog(page).getByText('refundOrder: Never').first().waitFor();
    await press(dialog(page), 'Close');
    await setsForms(page);
    await leadTo(page, 'Tools');
    await press(page, 'Add Tool');
    await expect.poll(() => changesIn(page).inputValue()).toBe('ask');
    await field(page, 'type').selectOption('browser');
    await expect.poll(() => changesIn(page).inputValue()).toBe('allow');
    await expect.poll(() => optionsOf(changesIn(page))).toEqual(['Allow', 'Never']);
    await field(page, 'type').selectOption('custom');
    await expect.poll(() => changesIn(page).inputValue()).toBe('ask');
  });

  async function reviews(page: Page) {
    await page.getByText('1 tool acts without approval').waitFor();
    await press(page, 'Review');
    await expect
      .poll(() => changesIn(page).evaluate((it) => it === it.ownerDocument.activeElement))
      .toBe(true);
    await changesIn(page).selectOption('never');
    await save(page);
    await dialogIsGone(page);
    await page.getByText('1 tool acts without approval').waitFor({ state: 'detached' });
  }

  async function setsSingle(page: Page) {
    const refund = group(page).getByLabel('Approval of refundOrder');
    const lookUp = group(page).getByLabel('Approval of getOrder');
    await expect.poll(() => optionsOf(refund)).toContain('Default (Ask first)');
    await expect.poll(() => optionsOf(lookUp)).toContain('Default (Allow)');
    await changesIn(page).selectOption('allow');
    await expect.poll(() => optionsOf(refund)).toContain('Default (Allow)');
    await refund.selectOption('never');
    await save(page);
    await dialogIsGone(page);
  }

  /** What happens before an agent sends a form. */
  async function setsForms(page: Page) {
    await leadTo(page, 'AI Agents');
    await chooseFromMenu(page, 'Support', 'Edit Agent');
    await expect.poll(() => field(page, 'formPolicy').inputValue()).toBe('ask');
    await field(page, 'formPolicy').selectOption('never');
    await save(page);
    await dialogIsGone(page);
    await chooseFromMenu(page, 'Support', 'History');
    const changes = dialog(page).locator('dd');
    await changes.filter({ hasText: 'Ask first' }).filter({ hasText: 'Never' }).waitFor();
    await press(dialog(page), 'Close');
  }

  it('of tools and forms are loosened by Admins only', async () => {
    const party = await ShopParty.register(product.url, shop.address);
    const { id } = await party.tool();
    const { client } = await joinAs(party.client, product.url, 'Editor');
    const editor = await pageOf(client, product.url, browser);
    await editor.goto('/tools');
    await chooseFromMenu(editor, aTool.name, 'Edit Tool');
    await expect.poll(() => optionsOf(changesIn(editor))).toEqual(['Ask first', 'Never']);
    await group(editor).getByText('Only an Admin can choose a less strict setting.').waitFor();
    await changesIn(editor).selectOption('never');
    await save(editor);
    await dialogIsGone(editor);
    const policies = { changes: 'allow', operations: {} };
    await party.client.send('PUT', `/api/tools/${id}`, { body: { policies } });
    await editor.getByText('Acts without approval').waitFor();
    await chooseFromMenu(editor, aTool.name, 'Edit Tool');
    await group(editor).getByText('only an Admin can change what this tool does.').waitFor();
    await field(editor, 'baseUrl').fill('https://other.example.com');
    await save(editor);
    await toast(editor, 'Only an Admin can make a tool’s approval settings less strict');
    await expectAccessible(editor);
    await press(dialog(editor), 'Close');
    await press(editor.getByRole('alertdialog'), 'Discard');
    const body = { formPolicy: 'never' };
    await party.client.send('PUT', `/api/agents/${party.agentId}`, { body });
    await leadTo(editor, 'AI Agents');
    await chooseFromMenu(editor, 'Support', 'Edit Agent');
    await expect.poll(() => field(editor, 'formPolicy').inputValue()).toBe('never');
    const options = field(editor, 'formPolicy').locator('option:disabled');
    await expect.poll(() => options.allTextContents()).toEqual(['Send', 'Ask first']);
  });
});
