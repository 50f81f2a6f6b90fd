import type { BrowserContext, Page } from 'playwright';
import { chooseFromMenu, dialog, press, someone } from './steps.ts';

export type Visitor = 'nobody' | 'admin' | 'viewer' | 'newcomer';

/** One picture: who looks at which address, and what was done there before. */
export type Scene = {
  readonly name: string;
  readonly as: Visitor;
  readonly path: string;
  readonly act?: (page: Page) => Promise<void>;
};

/** Signs a browser in: as somebody of the demonstration, or as the founder of a new organization. */
export async function signInAs(
  context: BrowserContext,
  visitor: Visitor,
  { admin, password }: { admin: string; password: string },
): Promise<void> {
  if (visitor === 'nobody') return;
  const newcomer = { email: someone(), username: 'Noa Lindqvist', password };
  const email = visitor === 'viewer' ? 'demo.viewer@example.com' : admin;
  const response =
    visitor === 'newcomer'
      ? await context.request.post('/api/register', {
          data: { ...newcomer, organizationName: 'Lindqvist & Daughters' },
        })
      : await context.request.post('/api/login', { data: { email, password } });
  if (!response.ok()) throw new Error(`${visitor} can't sign in: ${await response.text()}`);
}

/** Waits until nothing is loading any more, neither data nor a part of the page. */
export async function settled(page: Page): Promise<void> {
  await page.locator('h1, [role="dialog"] h2, [role="alertdialog"] h2').first().waitFor();
  await page
    .locator('.animate-late, .animate-pulse, [aria-busy="true"]')
    .first()
    .waitFor({ state: 'detached' });
}

const fromMenuOf = (agent: string, item: string | RegExp) => (page: Page) =>
  chooseFromMenu(page, agent, item);

/** Opens a dialog by the page's main button and sends it as it is. */
function sentEmpty(open: string, send: string) {
  return async (page: Page) => {
    await press(page, open);
    await dialog(page).getByRole('button', { name: send }).click();
    await dialog(page).locator('[aria-invalid="true"]').first().waitFor();
  };
}

async function execute(page: Page) {
  await fromMenuOf('Support desk', /Execute Task/)(page);
  await dialog(page)
    .getByRole('textbox')
    .fill('Who pays for the label when something is returned?');
  await dialog(page)
    .getByRole('button', { name: /Execute Task/ })
    .click();
  await dialog(page).getByText('Completed').waitFor();
}

function openTask(tab: 'Output' | 'Metadata') {
  return async (page: Page) => {
    const row = page.locator('[data-row], li').filter({ hasText: 'pays for the label' });
    await row
      .getByRole('button', { name: /View the task/ })
      .last()
      .click();
    await dialog(page).getByRole('tab', { name: tab }).click();
  };
}

async function invite(page: Page) {
  await press(page, 'Invite Member');
  await dialog(page).getByLabel('Email').fill(someone());
  await dialog(page).getByRole('button', { name: 'Create invitation' }).click();
  await dialog(page).getByText('Invitation ready').waitFor();
}

export const scenes: readonly Scene[] = [
  { name: 'landing', as: 'nobody', path: '/' },
  { name: 'sign-in', as: 'nobody', path: '/auth' },
  { name: 'sign-up', as: 'nobody', path: '/auth?tab=register' },
  { name: 'not-found', as: 'nobody', path: '/nowhere' },
  { name: 'dashboard', as: 'admin', path: '/dashboard' },
  { name: 'dashboard-empty', as: 'newcomer', path: '/dashboard' },
  { name: 'agents', as: 'admin', path: '/agents' },
  { name: 'agents-empty', as: 'newcomer', path: '/agents' },
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
  { name: 'knowledge', as: 'admin', path: '/knowledge' },
  { name: 'knowledge-empty', as: 'newcomer', path: '/knowledge' },
  {
    name: 'knowledge-read',
    as: 'viewer',
    path: '/knowledge',
    act: (page) => press(page, /^Returns and refunds/),
  },
  {
    name: 'knowledge-add',
    as: 'admin',
    path: '/knowledge',
    act: sentEmpty('Add Article', 'Add Article'),
  },
  { name: 'tasks', as: 'admin', path: '/tasks' },
  { name: 'tasks-empty', as: 'newcomer', path: '/tasks' },
  { name: 'tasks-no-match', as: 'admin', path: '/tasks?q=zebra' },
  { name: 'task-output', as: 'admin', path: '/tasks', act: openTask('Output') },
  { name: 'task-metadata', as: 'admin', path: '/tasks', act: openTask('Metadata') },
  { name: 'team', as: 'admin', path: '/team' },
  { name: 'team-restricted', as: 'viewer', path: '/team' },
  { name: 'team-invite', as: 'admin', path: '/team', act: invite },
];
