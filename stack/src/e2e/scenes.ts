import type { BrowserContext, Locator, Page } from 'playwright';
import { accountScenes, notificationScenes } from './account-scenes.ts';
import { approvalScenes } from './approvals-acts.ts';
import { historyThen, slide, taskHistory } from './audit-acts.ts';
import { auditScenes } from './audit-scenes.ts';
import {
  assignTab,
  changedMeanwhile,
  confirmRestore,
  historyOf,
  longAssignments,
  longHistory,
  openCard,
  withLongNames,
} from './knowledge-acts.ts';
import { pictureScenes } from './picture-scenes.ts';
import { refused, type Scene, sentEmpty, type Visitor } from './scene.ts';
import { sessionScenes } from './sessions-acts.ts';
import { shellScenes } from './shell-scenes.ts';
import { chooseFromMenu, chooseOnPage, dialog, press, someone } from './steps.ts';
import { supportScenes, teamScenes } from './team-scenes.ts';
import { editSecrets, newToolScenes, scriptTool, testTool, toolHistory } from './tools-acts.ts';

/** Signs a browser in: as a member of the demo, or as the founder of a new organization. */
export async function signInAs(
  context: BrowserContext,
  visitor: Visitor,
  { admin, password }: { admin: string; password: string },
): Promise<void> {
  if (visitor === 'visitor') return;
  const newcomer = { email: someone(), username: 'Noa Lindqvist', password };
  const email = visitor === 'admin' ? admin : `demo.${visitor}@example.com`;
  const response =
    visitor === 'newcomer'
      ? await context.request.post('/api/register', {
          data: { ...newcomer, organizationName: 'Lindqvist & Daughters' },
        })
      : await context.request.post('/api/login', { data: { email, password } });
  if (!response.ok()) throw new Error(`${visitor} can't sign in: ${await response.text()}`);
}

/** Waits until data and parts of the page have loaded. */
export async function settled(page: Page): Promise<void> {
  await page.locator('h1, [role="dialog"] h2, [role="alertdialog"] h2').first().waitFor();
  await page
    .locator('.animate-late, .animate-pulse, [aria-busy="true"]')
    .first()
    .waitFor({ state: 'detached' });
}

const fromMenuOf = (agent: string, item: string | RegExp) => (page: Page) =>
  chooseFromMenu(page, agent, item);

async function execute(page: Page) {
  await fromMenuOf('Support desk', /Execute Task/)(page);
  await dialog(page).getByRole('textbox').fill('How much does express delivery cost?');
  await dialog(page)
    .getByRole('button', { name: /Execute Task/ })
    .click();
  await dialog(page).getByText('Completed').waitFor();
}

/** The address of a demonstration's agent. */
async function addressOf(page: Page, agent: string): Promise<string> {
  const agents = await (await page.request.get('/api/agents')).json();
  const { id } = agents.find(({ name }: { name: string }) => name === agent);
  return `/agents/${id}`;
}

/** All about an agent: how it answers, what it may use, and what it has done. */
async function agentPage(page: Page) {
  await page.goto(await addressOf(page, 'Support desk'));
  await settled(page);
}

/** The page of a demonstration's agent, after a task of the given type. */
function executePage(agent: string, type?: string) {
  return async (page: Page) => {
    await page.goto(`${await addressOf(page, agent)}/execute`);
    await page.getByRole('heading', { name: 'Recent tasks' }).waitFor();
    if (!type) return;
    await page.getByLabel('Type').selectOption(type);
    await page.getByRole('textbox').fill('A customer wants money back for a tent');
    await press(page, /^Execute Task/);
    await page.getByRole('region', { name: 'Completed' }).waitFor();
  };
}

/** Two answers beside each other. */
async function compare(page: Page) {
  await page.goto(`${await addressOf(page, 'Support desk')}/compare`);
  await page.getByLabel('Model').nth(1).selectOption({ label: 'Built-in engine (no model)' });
  await page.getByRole('textbox').fill(QUESTIONS[0] ?? '');
  await press(page, /^Compare \(/);
  const ended = page.getByRole('region', { name: 'Answers' }).getByText('Success');
  await ended.nth(1).waitFor();
}

/** An agent that has just answered from an article, with nothing before the answer. */
async function atWork(page: Page) {
  await page.goto(`${await addressOf(page, 'Support desk')}/execute`);
  await page.getByRole('textbox').fill(QUESTIONS[0] ?? '');
  await press(page, /^Execute Task/);
  const answer = page.getByRole('region', { name: 'Completed' });
  await answer.waitFor();
  const said = page.locator('ol > li', { hasText: 'Task completed' });
  await said.getByRole('button').last().click();
  await said.waitFor({ state: 'detached' });
  await answer.scrollIntoViewIfNeeded();
}

const QUESTIONS = ['Who pays for the label when something is returned?', 'And to Norway?'];

async function say(within: Page | Locator, text: string) {
  const field = within.getByRole('textbox', { name: 'Message' });
  await field.fill(text);
  await field.press('Enter');
  await within.getByRole('button', { name: 'Regenerate' }).waitFor();
}

async function chatDialog(page: Page) {
  await fromMenuOf('Support desk', 'Chat with Agent')(page);
  await say(dialog(page), QUESTIONS[0] ?? '');
}

/** The page of a demo agent during a conversation. */
async function chatPage(page: Page) {
  const agents = await (await page.request.get('/api/agents')).json();
  const { id } = agents.find(({ name }: { name: string }) => name === 'Support desk');
  await page.goto(`/agent/${id}`);
  for (const text of QUESTIONS) await say(page, text);
}

function openTask(tab: 'Output' | 'Metadata') {
  return async (page: Page) => {
    const row = page.locator('[data-row], li').filter({ hasText: 'pays for the label' });
    await row
      .getByRole('button', { name: /View task/ })
      .last()
      .click();
    await dialog(page).getByRole('tab', { name: tab }).click();
  };
}

/** The details of the first listed task, with the calls and answers of its tools. */
async function firstTask(page: Page) {
  await page
    .getByRole('button', { name: /View task/ })
    .first()
    .click();
  await dialog(page).getByRole('tab', { name: 'Output' }).waitFor();
  await settled(page);
  for (const call of await dialog(page).locator('summary').all()) await call.click();
}

async function continuePayment(page: Page) {
  await press(page, /^Continue with the payment/);
  await page.getByRole('heading', { name: 'Confirm your payment' }).waitFor();
}

async function verify(page: Page) {
  await press(page, 'Verify');
  await page.getByText('Passed').waitFor();
}

/** The balance of an organization that was refunded after its credits were spent. */
async function withDebt(page: Page) {
  await page.route('**/api/organization', async (route) => {
    const answer = await route.fetch();
    await route.fulfill({ json: { ...(await answer.json()), creditBalance: -40 } });
  });
  await page.reload();
  await page.getByText('Critical: Low Credit Balance').waitFor();
}

const asTable = (page: Page) => press(page, /^Show as table/);

export const scenes: readonly Scene[] = [
  { name: 'landing', as: 'visitor', path: '/' },
  { name: 'sign-in', as: 'visitor', path: '/auth' },
  { name: 'sign-up', as: 'visitor', path: '/auth?tab=register' },
  { name: 'not-found', as: 'visitor', path: '/nowhere' },
  { name: 'not-found-member', as: 'admin', path: '/agents/nowhere' },
  { name: 'dashboard', as: 'admin', path: '/dashboard' },
  { name: 'dashboard-empty', as: 'newcomer', path: '/dashboard' },
  { name: 'agents', as: 'admin', path: '/agents' },
  { name: 'agents-filtered', as: 'admin', path: '/agents?isActive=true&period=30d&sort=name' },
  { name: 'agents-empty', as: 'newcomer', path: '/agents' },
  { name: 'tools-empty', as: 'newcomer', path: '/tools' },
  { name: 'models-empty', as: 'newcomer', path: '/settings/models' },
  { name: 'models-add', as: 'admin', path: '/settings/models?new=yes' },
  {
    name: 'agents-menu',
    as: 'admin',
    path: '/agents',
    act: (page) => press(page, 'Actions for Support desk'),
  },
  {
    name: 'agents-create',
    as: 'admin',
    path: '/agents',
    act: sentEmpty('Create Agent', 'Create Agent'),
  },
  { name: 'agent', as: 'admin', path: '/agents', act: agentPage, isWhole: true },
  { name: 'agents-edit', as: 'admin', path: '/agents', act: fromMenuOf('Support desk', /Edit/) },
  {
    name: 'agents-assign',
    as: 'admin',
    path: '/agents',
    act: fromMenuOf('Support desk', /Assign/),
  },
  {
    name: 'agents-delete',
    as: 'admin',
    path: '/agents',
    act: fromMenuOf('Support desk', /Delete/),
  },
  { name: 'agents-execute', as: 'admin', path: '/agents', act: execute },
  { name: 'agents-execute-page', as: 'admin', path: '/agents', act: executePage('Support desk') },
  { name: 'agents-compare', as: 'admin', path: '/agents', act: compare },
  { name: 'agents-at-work', as: 'admin', path: '/agents', act: atWork },
  {
    name: 'agents-execute-playbook',
    as: 'admin',
    path: '/agents',
    act: executePage('Support desk', 'playbook'),
  },
  { name: 'chat-dialog', as: 'admin', path: '/agents', act: chatDialog },
  { name: 'chat-page', as: 'admin', path: '/agents', act: chatPage },
  { name: 'agents-assign-playbooks', as: 'admin', path: '/agents', act: assignTab(/^Playbooks/) },
  { name: 'agents-assign-tools', as: 'admin', path: '/agents', act: assignTab(/^Tools/) },
  { name: 'agents-history', as: 'admin', path: '/agents', act: historyOf('Support desk') },
  { name: 'agents-then', as: 'admin', path: '/agents', act: historyThen('Support desk') },
  { name: 'agents-long', as: 'newcomer', path: '/agents', act: withLongNames },
  { name: 'agents-assign-long', as: 'newcomer', path: '/agents', act: longAssignments },
  { name: 'knowledge', as: 'admin', path: '/knowledge' },
  { name: 'knowledge-empty', as: 'newcomer', path: '/knowledge' },
  {
    name: 'knowledge-read',
    as: 'viewer',
    path: '/knowledge',
    act: (page) => press(page, /^Returns and refunds/),
  },
  { name: 'knowledge-playbooks', as: 'admin', path: '/knowledge?tab=playbooks' },
  { name: 'knowledge-history', as: 'admin', path: '/knowledge', act: historyOf('Shipping') },
  { name: 'knowledge-then', as: 'admin', path: '/knowledge', act: historyThen('Shipping') },
  { name: 'knowledge-restore', as: 'admin', path: '/knowledge', act: confirmRestore('Shipping') },
  {
    name: 'knowledge-menu',
    as: 'admin',
    path: '/knowledge',
    act: (page) => press(page, 'Actions for Shipping'),
  },
  { name: 'knowledge-changed', as: 'admin', path: '/knowledge', act: changedMeanwhile },
  { name: 'knowledge-no-match', as: 'admin', path: '/knowledge?q=zebra' },
  { name: 'knowledge-article', as: 'admin', path: '/knowledge', act: openCard('Shipping') },
  {
    name: 'knowledge-playbook',
    as: 'admin',
    path: '/knowledge?tab=playbooks',
    act: openCard('Refund a customer'),
  },
  {
    name: 'knowledge-playbook-edit',
    as: 'admin',
    path: '/knowledge?tab=playbooks',
    act: fromMenuOf('Refund a customer', /Edit/),
  },
  {
    name: 'knowledge-playbook-add',
    as: 'admin',
    path: '/knowledge?tab=playbooks',
    act: sentEmpty('Create Playbook', 'Create Playbook'),
  },
  { name: 'knowledge-long', as: 'newcomer', path: '/knowledge', act: withLongNames },
  { name: 'knowledge-long-history', as: 'newcomer', path: '/knowledge', act: longHistory },
  {
    name: 'knowledge-add',
    as: 'admin',
    path: '/knowledge',
    act: sentEmpty('Add Article', 'Add Article'),
  },
  {
    name: 'knowledge-import',
    as: 'admin',
    path: '/knowledge',
    act: sentEmpty('Import', 'Import Article', chooseOnPage),
  },
  { name: 'tasks', as: 'admin', path: '/tasks' },
  { name: 'tasks-filtered', as: 'admin', path: '/tasks?status=success&period=month' },
  { name: 'tasks-empty', as: 'newcomer', path: '/tasks' },
  { name: 'tasks-no-match', as: 'admin', path: '/tasks?q=zebra' },
  { name: 'task-output', as: 'admin', path: '/tasks', act: openTask('Output') },
  {
    name: 'task-playbook',
    as: 'admin',
    path: '/tasks?type=playbook&status=success',
    act: firstTask,
  },
  { name: 'task-tool', as: 'admin', path: '/tasks?q=parcel&type=tool_run', act: firstTask },
  { name: 'task-failed', as: 'admin', path: '/tasks?status=failed', act: firstTask },
  {
    name: 'task-retry',
    as: 'admin',
    path: '/tasks?status=failed',
    act: (page) => press(page, /^Retry task of/),
  },
  { name: 'tasks-error', as: 'admin', path: '/tasks', act: refused('**/api/tasks?*') },
  { name: 'task-metadata', as: 'admin', path: '/tasks', act: openTask('Metadata') },
  { name: 'task-history', as: 'admin', path: '/tasks?status=success', act: taskHistory },
  ...approvalScenes,
  ...sessionScenes,
  ...supportScenes,
  { name: 'tools', as: 'admin', path: '/tools' },
  { name: 'tools-viewer', as: 'viewer', path: '/tools' },
  { name: 'tools-error', as: 'admin', path: '/tools', act: refused('**/api/tools') },
  {
    name: 'tools-menu',
    as: 'admin',
    path: '/tools',
    act: (page) => press(page, 'Actions for Order lookup'),
  },
  { name: 'tools-add', as: 'admin', path: '/tools', act: sentEmpty('Add Tool', 'Add Tool') },
  { name: 'tools-edit', as: 'admin', path: '/tools', act: fromMenuOf('Order lookup', /Edit/) },
  { name: 'tools-test', as: 'admin', path: '/tools', act: testTool },
  { name: 'tools-replace', as: 'admin', path: '/tools', act: editSecrets },
  { name: 'tools-script', as: 'admin', path: '/tools', act: scriptTool },
  { name: 'tools-history', as: 'admin', path: '/tools', act: toolHistory },
  { name: 'tools-delete', as: 'admin', path: '/tools', act: fromMenuOf('Order lookup', /Delete/) },
  ...newToolScenes,
  { name: 'billing', as: 'admin', path: '/billing' },
  { name: 'billing-empty', as: 'newcomer', path: '/billing' },
  { name: 'billing-critical', as: 'admin', path: '/billing', act: withDebt },
  { name: 'billing-error', as: 'admin', path: '/billing', act: refused('**/api/billing/**') },
  { name: 'billing-restricted', as: 'viewer', path: '/billing' },
  {
    name: 'billing-test-menu',
    as: 'admin',
    path: '/billing',
    act: (page) => press(page, /^Try out the payment/),
  },
  { name: 'billing-checkout', as: 'admin', path: '/billing', act: continuePayment },
  { name: 'billing-usage', as: 'admin', path: '/billing?tab=usage' },
  { name: 'billing-usage-table', as: 'admin', path: '/billing?tab=usage', act: asTable },
  { name: 'billing-usage-empty', as: 'newcomer', path: '/billing?tab=usage' },
  { name: 'billing-ledger', as: 'admin', path: '/billing?tab=ledger' },
  { name: 'billing-ledger-entry', as: 'admin', path: '/billing?tab=ledger&entry=3' },
  { name: 'billing-verified', as: 'admin', path: '/billing?tab=ledger', act: verify },
  {
    name: 'billing-then',
    as: 'admin',
    path: '/billing?tab=ledger',
    act: slide('Time', 'Home'),
  },
  { name: 'billing-statements', as: 'admin', path: '/billing?tab=statements' },
  { name: 'billing-statements-empty', as: 'newcomer', path: '/billing?tab=statements' },
  { name: 'billing-limits', as: 'admin', path: '/billing?tab=limits' },
  { name: 'billing-limits-empty', as: 'newcomer', path: '/billing?tab=limits' },
  {
    name: 'billing-limit-add',
    as: 'admin',
    path: '/billing?tab=limits',
    act: sentEmpty('Add limit', 'Save limit'),
  },
  ...teamScenes,
  ...accountScenes,
  ...notificationScenes,
  ...pictureScenes,
  ...shellScenes,
  ...auditScenes,
];
