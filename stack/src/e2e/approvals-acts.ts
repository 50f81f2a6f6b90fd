import { agentInput } from '@tallyhand/test-kit/api-client';
import type { Page } from 'playwright';
import { shopConfig } from '../testing/shop.ts';
import { refused, type Scene } from './scene.ts';
import { aTool, chooseFromMenu, dialog, goInside, press } from './steps.ts';

async function post(page: Page, path: string, data: object, headers = {}) {
  const answer = await page.request.post(path, { data, headers });
  if (!answer.ok()) throw new Error(await answer.text());
  return answer.json();
}

/** An agent with a tool that refunds orders after an approval. */
export async function refundAgent(page: Page, baseUrl = 'https://shop.example.com/api') {
  const { id } = await post(page, '/api/agents', agentInput);
  const tool = await post(page, '/api/tools', { ...aTool, config: shopConfig(baseUrl) });
  await post(page, `/api/agents/${id}/assign`, { tools: [tool.id] });
  return { id, toolId: tool.id };
}

/** Starts a task of the agent, which soon waits for the approval of a call; gives its id. */
export async function refundRun(page: Page, agentId: string, input: string): Promise<string> {
  const path = `/api/agents/${agentId}/execute`;
  return (await post(page, path, { input, type: 'tool_run' })).taskId;
}

/** A task of the agent that waits for the approval of a call. */
async function waitingRun(page: Page, agentId: string, input: string): Promise<string> {
  const taskId = await refundRun(page, agentId, input);
  await page.waitForFunction(
    `fetch('/api/tasks/${taskId}').then((it) => it.json()).then((it) => it.status === 'waiting')`,
  );
  return taskId;
}

/** A tool that looks as if it was made before tools had policies, until it is changed; its id. */
export async function toolWithoutPolicies(page: Page, name: string): Promise<string> {
  const { id } = await post(page, '/api/tools', { ...aTool, name });
  await page.route('**/api/tools', async (route) => {
    const answer = await route.fetch();
    const tools: { id: string; version: number }[] = await answer.json();
    const isOld = (tool: (typeof tools)[number]) => tool.id === id && tool.version === 1;
    await route.fulfill({
      json: tools.map((tool) => (isOld(tool) ? { ...tool, policies: null } : tool)),
    });
  });
  return id;
}

export const askRefund = (order: number) => `Refund order ${order}: refundOrder`;

const waitingOf = (agentId: string) => (page: Page) => waitingRun(page, agentId, askRefund(7));

async function severalWaiting(page: Page) {
  const { id } = await refundAgent(page);
  const requests = { ...aTool, name: 'Shop of the workshop in the harbour' };
  const tool = await post(page, '/api/tools', requests);
  await waitingOf(id)(page);
  await post(page, `/api/agents/${id}/assign`, { tools: [tool.id] });
  const lines = Array.from({ length: 6 }, (_, at) => ({ sku: `TENT-${at}`, quantity: at + 1 }));
  const body = { customer: 'Anna Berg', note: 'Please deliver before noon. '.repeat(12), lines };
  await waitingRun(page, id, `POST /orders ${JSON.stringify(body)}`);
}

async function waitingList(page: Page) {
  await severalWaiting(page);
  await page.goto('/approvals');
  await page.getByRole('button', { name: 'Refuse' }).nth(1).waitFor();
}

async function changing(page: Page) {
  await waitingList(page);
  await press(page, 'Approve with changes');
  await page.getByRole('textbox', { name: 'Arguments' }).fill('[7]');
  await press(page, 'Approve with changes');
  await page.getByText('Enter a JSON object').waitFor();
}

async function refusing(page: Page) {
  await waitingList(page);
  await press(page, 'Refuse');
  await page.getByRole('textbox', { name: 'Reason' }).waitFor();
}

async function waitingTaskOpen(page: Page) {
  const { id } = await refundAgent(page);
  const taskId = await waitingOf(id)(page);
  await page.goto(`/tasks?task=${taskId}`);
  await dialog(page).getByRole('button', { name: 'Approve', exact: true }).waitFor();
}

async function decidedTask(page: Page) {
  const { id } = await refundAgent(page);
  const taskId = await waitingOf(id)(page);
  const { approvals } = await (await page.request.get(`/api/tasks/${taskId}`)).json();
  const note = 'Ask for the number of the order first.';
  const decision = { approvalId: approvals[0].id, decision: 'refused', note };
  await post(page, `/api/tasks/${taskId}/decide`, decision);
  await page.goto(`/tasks?task=${taskId}`);
  await dialog(page).getByText(note).first().waitFor();
}

async function executeWaits(page: Page) {
  const { id } = await refundAgent(page);
  await goInside(page, `/agents/${id}/execute`);
  await page.getByLabel('Type').selectOption('tool_run');
  await page.getByRole('textbox').fill(askRefund(7));
  await press(page, /^Execute Task/);
  await page.getByRole('button', { name: 'Approve', exact: true }).waitFor();
}

async function chatWaits(page: Page) {
  const { id } = await refundAgent(page);
  await goInside(page, `/agent/${id}`);
  await page
    .getByRole('textbox', { name: 'Message' })
    .fill('Orders: refund order 7 with refundOrder');
  await press(page, 'Send');
  await page.getByRole('button', { name: 'Approve', exact: true }).waitFor();
}

async function policies(page: Page) {
  await refundAgent(page);
  await page.reload();
  await chooseFromMenu(page, aTool.name, 'Edit Tool');
  const group = dialog(page).getByRole('group', { name: 'Approval' });
  await group.getByLabel('Approval of getOrder').scrollIntoViewIfNeeded();
}

/** As if the tool was made before tools had policies. */
async function unreviewed(page: Page) {
  await refundAgent(page);
  await page.route('**/api/tools', async (route) => {
    const answer = await route.fetch();
    const tools: object[] = await answer.json();
    await route.fulfill({ json: tools.map((tool) => ({ ...tool, policies: null })) });
  });
  await page.reload();
  await page.getByRole('button', { name: 'Review' }).waitFor();
}

export const approvalScenes: readonly Scene[] = [
  { name: 'approvals', as: 'newcomer', path: '/approvals', act: waitingList, isWhole: true },
  { name: 'approvals-empty', as: 'newcomer', path: '/approvals' },
  { name: 'approvals-error', as: 'admin', path: '/approvals', act: refused('**/api/approvals?*') },
  { name: 'approvals-change', as: 'newcomer', path: '/approvals', act: changing },
  { name: 'approvals-refuse', as: 'newcomer', path: '/approvals', act: refusing },
  { name: 'task-waiting', as: 'newcomer', path: '/tasks', act: waitingTaskOpen },
  { name: 'task-decided', as: 'newcomer', path: '/tasks', act: decidedTask },
  { name: 'agents-execute-waiting', as: 'newcomer', path: '/agents', act: executeWaits },
  { name: 'chat-waiting', as: 'newcomer', path: '/agents', act: chatWaits },
  { name: 'tools-policies', as: 'newcomer', path: '/tools', act: policies },
  { name: 'tools-unreviewed', as: 'newcomer', path: '/tools', act: unreviewed },
];
