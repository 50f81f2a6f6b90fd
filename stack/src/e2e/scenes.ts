import type { Page } from 'playwright';

export type Visitor = 'nobody' | 'admin' | 'viewer' | 'newcomer';

/** One picture: who looks at which address, and what was done there before. */
export type Scene = {
  readonly name: string;
  readonly as: Visitor;
  readonly path: string;
  readonly act?: (page: Page) => Promise<void>;
};

const dialog = (page: Page) => page.getByRole('dialog');
const press = (page: Page, name: string | RegExp) =>
  page.getByRole('button', { name }).first().click();

function fromMenuOf(agent: string, item: string | RegExp) {
  return async (page: Page) => {
    await press(page, `Actions for ${agent}`);
    await page.getByRole('menuitem', { name: item }).click();
  };
}

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
  await dialog(page).getByRole('textbox').fill('Until when can a Christmas present be sent back?');
  await dialog(page)
    .getByRole('button', { name: /Execute Task/ })
    .click();
  await dialog(page).getByText('Completed').waitFor();
}

function openTask(tab: 'Output' | 'Metadata') {
  return async (page: Page) => {
    await page
      .getByRole('button', { name: /View the task/ })
      .last()
      .click();
    await dialog(page).getByRole('tab', { name: tab }).click();
  };
}

async function invite(page: Page) {
  await press(page, 'Invite Member');
  await dialog(page).getByLabel('Email').fill(`someone.new.${Date.now()}@example.com`);
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
