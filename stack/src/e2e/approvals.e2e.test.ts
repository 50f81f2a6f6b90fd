import type { Locator, Page } from 'playwright';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sharedProduct, type TestProduct } from '../testing/product.ts';
import { type Shop, startShop } from '../testing/shop.ts';
import { askRefund, refundAgent, waitingRun } from './approvals-acts.ts';
import { expectAccessible, openBrowser } from './browser.ts';
import {
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

/** A new organization with an agent, and a task of it for each order that waits. */
async function withWaiting(...orders: readonly number[]) {
  shop.seen.splice(0);
  const page = await browser.newPage(product.url);
  await registered(page, 'Harbour Books');
  await page.goto('/approvals');
  const { id, toolId } = await refundAgent(page, shop.address);
  const tasks: string[] = [];
  for (const order of orders) tasks.push(await waitingRun(page, id, askRefund(order)));
  return { page, id, toolId, tasks };
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
const statusOf = async (page: Page, id: string) =>
  (await (await page.request.get(`/api/tasks/${id}`)).json()).status;

describe('the page of approvals', () => {
  it('lists the waiting calls, and the link to it counts them', async () => {
    const { page, tasks } = await withWaiting();
    await page.getByText('Nothing to approve').waitFor();
    await expect.poll(() => link(page).innerText()).toBe('Approvals');
    const [agent] = await (await page.request.get('/api/agents')).json();
    tasks.push(await waitingRun(page, agent.id, askRefund(7)));
    tasks.push(await waitingRun(page, agent.id, askRefund(8)));
    await expect.poll(() => calls(page).count()).toBe(2);
    await page.getByRole('link', { name: 'Approvals 2 waiting' }).waitFor();
    await calls(page).first().getByText('"orderId": "7"').waitFor();
    await call(page, 7).getByText(askRefund(7)).waitFor();
    await call(page, 7).getByText('Anna Berg').waitFor();
    await call(page, 7).getByText('in 24 hours').waitFor();
    await call(page, 7).getByRole('link', { name: 'Support' }).waitFor();
    await expectAccessible(page);
    await call(page, 7).getByRole('link', { name: 'View task' }).click();
    await page.waitForURL(`**/tasks?task=${tasks[0]}`);
    await dialog(page).getByText('Needs approval').waitFor();
  });

  it('approves a call, which is then made', async () => {
    const { page, tasks } = await withWaiting(7, 8);
    await approve(call(page, 7));
    await toast(page, 'Call approved');
    await call(page, 7).waitFor({ state: 'detached' });
    await expect.poll(() => link(page).innerText()).toContain('1');
    await expect.poll(() => statusOf(page, tasks[0] ?? '')).toBe('success');
    expect(shop.seen).toEqual(['POST /api/refunds/7']);
    expect(await statusOf(page, tasks[1] ?? '')).toBe('waiting');
  });

  it('approves a call with other arguments, once they are right', async () => {
    const { page, tasks } = await withWaiting(7);
    await press(call(page, 7), 'Approve with changes');
    const text = page.getByRole('textbox', { name: 'Arguments' });
    await expect.poll(() => text.inputValue()).toBe('{\n  "orderId": "7"\n}');
    await text.fill('{"orderId": "9"');
    await press(calls(page), 'Approve with changes');
    await page.getByText('This is not valid JSON.').waitFor();
    await text.fill('["9"]');
    await press(calls(page), 'Approve with changes');
    await page.getByText('Enter a JSON object').waitFor();
    await expectAccessible(page);
    // What was typed stays when one looks at the call again.
    await text.fill('{"orderId": "9"}');
    await press(calls(page), 'Back');
    await press(calls(page), 'Approve with changes');
    await expect.poll(() => text.inputValue()).toBe('{"orderId": "9"}');
    await press(calls(page), 'Approve with changes');
    await toast(page, 'Call approved');
    await page.getByText('Nothing to approve').waitFor();
    await expect.poll(() => statusOf(page, tasks[0] ?? '')).toBe('success');
    expect(shop.seen).toEqual(['POST /api/refunds/9']);
    await page.goto(`/tasks?task=${tasks[0]}`);
    await dialog(page).getByText('Approved with changes by Anna Berg').waitFor();
    await dialog(page).getByText('Changed arguments').click();
    await dialog(page).getByText('"orderId": "9"').waitFor();
    await expectAccessible(page);
  });

  it('refuses a call with a reason that the agent and others read', async () => {
    const { page, tasks } = await withWaiting(7);
    await press(call(page, 7), 'Refuse');
    await page.getByRole('textbox', { name: 'Reason' }).fill('Order 7 was already refunded.');
    await expectAccessible(page);
    await press(call(page, 7), 'Refuse');
    await toast(page, 'Call refused');
    await page.getByText('Nothing to approve').waitFor();
    await expect.poll(() => statusOf(page, tasks[0] ?? '')).not.toBe('waiting');
    expect(shop.seen).toEqual([]);
    await page.goto(`/tasks?task=${tasks[0]}`);
    await dialog(page).getByText('Refused by Anna Berg').waitFor();
    await dialog(page).getByText('Order 7 was already refunded.').first().waitFor();
  });

  it('shows a Viewer the calls, and nothing to decide', async () => {
    const { page } = await withWaiting(7);
    const viewer = await colleague(page, 'Viewer');
    await viewer.goto('/approvals');
    await call(viewer, 7).getByText('An Admin, Editor or Agent Manager can').waitFor();
    await expect.poll(() => call(viewer, 7).getByRole('button').count()).toBe(0);
    await viewer.getByRole('link', { name: 'Approvals 1 waiting' }).waitFor();
    await expectAccessible(viewer);
  });

  it('reports that another member was faster', async () => {
    const { page, tasks } = await withWaiting(7);
    await call(page, 7).waitFor();
    await page.route('**/api/tasks/*/decide', async (route) => {
      await page.request.post(`/api/tasks/${tasks[0]}/decide`, {
        data: { ...route.request().postDataJSON(), decision: 'refused', forRun: false },
      });
      await route.continue();
    });
    await approve(call(page, 7));
    await toast(page, 'This call has already been decided.');
    await page.getByText('Nothing to approve').waitFor();
    expect(shop.seen).toEqual([]);
  });
});

describe('a task that waits', () => {
  it('is found by its status, and decided where it is read', async () => {
    const { page, tasks } = await withWaiting(7);
    await page.goto('/tasks?status=waiting');
    await page.locator('tbody [data-row]').getByText('Needs approval').waitFor();
    await page.getByRole('button', { name: /^View task/ }).click();
    await approve(call(page, 7));
    await dialog(page).getByText('Approved by Anna Berg').waitFor();
    await dialog(page).getByText('Success').waitFor();
    await expect.poll(() => statusOf(page, tasks[0] ?? '')).toBe('success');
  });

  it('can be cancelled', async () => {
    const { page, tasks } = await withWaiting(7);
    await page.goto(`/tasks?task=${tasks[0]}`);
    await press(dialog(page), 'Cancel task');
    await press(page.getByRole('alertdialog'), 'Cancel task');
    await toast(page, 'Task canceled');
    await dialog(page).getByText('No decision').waitFor();
    await expect.poll(() => calls(dialog(page)).count()).toBe(0);
  });

  it.each(['page', 'dialog'])('continues on the %s where it was started', async (place) => {
    const { page, id } = await withWaiting();
    await page.goto(place === 'page' ? `/agents/${id}/execute` : '/agents');
    if (place === 'dialog') await chooseFromMenu(page, 'Support', 'Execute Task (1 credit)');
    await field(page, 'type').selectOption('tool_run');
    await field(page, 'input').fill(askRefund(7));
    await press(place === 'page' ? page : dialog(page), /^Execute Task \(1 credit\)/);
    await page.getByText('Support wants to call a tool and needs approval.').waitFor();
    await expectAccessible(page);
    await approve(call(page, 7));
    const result = page.getByRole('region', { name: 'Completed', exact: true });
    await result.getByText('done: true').waitFor();
    await result.getByText('Approved by Anna Berg').waitFor();
    expect(shop.seen).toEqual(['POST /api/refunds/7']);
  });
});

describe('a chat whose reply waits', () => {
  /** The built-in engine calls a tool that the message names. */
  const askInChat = 'Orders: refund order 7 with refundOrder';
  const say = async (page: Page) => {
    await page.getByRole('textbox', { name: 'Message' }).fill(askInChat);
    await press(page, 'Send');
  };

  it.each(['page', 'dialog'])('is decided in the %s, and continues', async (place) => {
    const { page, id } = await withWaiting();
    await page.goto(place === 'page' ? `/agent/${id}` : '/agents');
    if (place === 'dialog') await chooseFromMenu(page, 'Support', 'Chat with Agent');
    await say(page);
    await page.getByText('Support is waiting for approval of a tool call.').first().waitFor();
    await call(page, 7).waitFor();
    await expectAccessible(page);
    await call(page, 7).getByLabel('Approve further calls of this tool for this reply').check();
    await approve(call(page, 7));
    await toast(page, 'Call approved');
    const messages = page.getByRole('log', { name: 'Messages' });
    await messages.getByText('done: true').waitFor();
    await call(page, 7).waitFor({ state: 'detached' });
    await expect.poll(() => page.getByRole('textbox', { name: 'Message' }).isEnabled()).toBe(true);
    expect(shop.seen).toEqual(['POST /api/refunds/7']);
  });

  it('is listed for those who may decide', async () => {
    const { page, id } = await withWaiting();
    const viewer = await colleague(page, 'Viewer');
    await viewer.goto(`/agent/${id}`);
    await say(viewer);
    await call(viewer, 7).getByText('An Admin, Editor or Agent Manager can').waitFor();
    await page.getByRole('link', { name: 'Approvals 1 waiting' }).click();
    await call(page, 7).getByText(askInChat).waitFor();
    await call(page, 7).getByText('Vera').waitFor();
    const links = call(page, 7).getByRole('link', { name: 'View conversation' });
    await expect.poll(() => links.count()).toBe(0);
    await expectAccessible(page);
    await press(call(page, 7), 'Refuse');
    await page.getByRole('textbox', { name: 'Reason' }).fill('Ask Anna first.');
    await press(call(page, 7), 'Refuse');
    await toast(page, 'Call refused');
    await viewer.getByText('Refused by Anna Berg').waitFor();
    await viewer.getByText('Ask Anna first.').waitFor();
    await expectAccessible(viewer);
    expect(shop.seen).toEqual([]);
  });

  it('can be stopped while it waits', async () => {
    const { page, id } = await withWaiting();
    await page.goto(`/agent/${id}`);
    await say(page);
    await call(page, 7).waitFor();
    await press(page, 'Stop');
    await call(page, 7).waitFor({ state: 'detached' });
    await page.getByText('This message has no reply.').waitFor();
    expect(shop.seen).toEqual([]);
  });
});

describe('the policies of a tool', () => {
  const group = (page: Page) => dialog(page).getByRole('group', { name: 'Approval' });
  const save = (page: Page) => press(dialog(page), 'Save Changes');
  const optionsOf = (control: Locator) =>
    control.locator('option:not([disabled])').allTextContents();

  it('are set for the tool and for single operations', async () => {
    const { page, toolId } = await withWaiting();
    await page.goto('/tools');
    await page.getByRole('article', { name: aTool.name }).getByText('Asks before').waitFor();
    await chooseFromMenu(page, aTool.name, 'Edit Tool');
    const changes = group(page).getByLabel('Calls that may change something');
    const refund = group(page).getByLabel('Approval of refundOrder');
    await expect.poll(() => optionsOf(refund)).toContain('Default (Ask first)');
    await expect
      .poll(() => optionsOf(group(page).getByLabel('Approval of getOrder')))
      .toContain('Default (Allow)');
    await changes.selectOption('allow');
    await expect.poll(() => optionsOf(refund)).toContain('Default (Allow)');
    await refund.selectOption('never');
    await expectAccessible(page);
    await save(page);
    await dialogIsGone(page);
    const { policies } = await (await page.request.get(`/api/tools/${toolId}`)).json();
    expect(policies).toEqual({ changes: 'allow', operations: { refundOrder: 'never' } });
    await chooseFromMenu(page, aTool.name, 'History');
    await dialog(page).getByText('refundOrder: Never').first().waitFor();
  });

  it('do not ask first for a browser, and follow the type', async () => {
    const { page } = await withWaiting();
    await page.goto('/tools');
    await press(page, 'Add Tool');
    const changes = group(page).getByLabel('Calls that may change something');
    await expect.poll(() => changes.inputValue()).toBe('ask');
    await field(page, 'type').selectOption('browser');
    await expect.poll(() => changes.inputValue()).toBe('allow');
    expect(await optionsOf(changes)).toEqual(['Allow', 'Never']);
    await field(page, 'type').selectOption('custom');
    await expect.poll(() => changes.inputValue()).toBe('ask');
  });

  it('are loosened by Admins only', async () => {
    const { page, toolId } = await withWaiting();
    const editor = await colleague(page, 'Editor');
    await editor.goto('/tools');
    await chooseFromMenu(editor, aTool.name, 'Edit Tool');
    const changes = group(editor).getByLabel('Calls that may change something');
    expect(await optionsOf(changes)).toEqual(['Ask first', 'Never']);
    await group(editor).getByText('Only an Admin can choose a less strict setting.').waitFor();
    await changes.selectOption('never');
    await save(editor);
    await dialogIsGone(editor);
    const allowed = { policies: { changes: 'allow', operations: {} } };
    await page.request.put(`/api/tools/${toolId}`, { data: allowed });
    await editor.reload();
    await chooseFromMenu(editor, aTool.name, 'Edit Tool');
    await group(editor).getByText('only an Admin can change what this tool does.').waitFor();
    await field(editor, 'baseUrl').fill('https://other.example.com');
    await save(editor);
    await toast(editor, 'Only an Admin can make a tool’s approval settings less strict');
    await expectAccessible(editor);
  });

  it('are reviewed where a tool has none', async () => {
    const { page, toolId } = await withWaiting();
    await page.route('**/api/tools', async (route) => {
      const answer = await route.fetch();
      const tools: { version: number }[] = await answer.json();
      await route.fulfill({
        json: tools.map((tool) => (tool.version === 1 ? { ...tool, policies: null } : tool)),
      });
    });
    await page.goto('/tools');
    await page.getByText('1 tool acts without approval').waitFor();
    await expectAccessible(page);
    await press(page, 'Review');
    const changes = group(page).getByLabel('Calls that may change something');
    await expect
      .poll(() => changes.evaluate((it) => it === it.ownerDocument.activeElement))
      .toBe(true);
    await changes.selectOption('never');
    await save(page);
    await dialogIsGone(page);
    await page.getByText('1 tool acts without approval').waitFor({ state: 'detached' });
    const { policies } = await (await page.request.get(`/api/tools/${toolId}`)).json();
    expect(policies).toEqual({ changes: 'never', operations: {} });
  });
});
