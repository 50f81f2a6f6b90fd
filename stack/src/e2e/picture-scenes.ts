import type { Page } from 'playwright';
import type { Scene } from './scene.ts';
import { chooseFromMenu, dialog } from './steps.ts';

async function withKey(page: Page) {
  const answer = await page.request.post('/api/api-keys', {
    data: { name: 'Nightly import', role: 'Editor' },
  });
  if (!answer.ok()) throw new Error(await answer.text());
  await page.reload();
  await page.getByText('Nightly import').first().waitFor();
}

async function connectMailbox(page: Page) {
  await chooseFromMenu(page, 'Support desk', 'Email Integration');
  await dialog(page).getByRole('textbox').first().waitFor();
}

/** Scenes for pictures of the product's own pages only. */
export const pictureScenes: readonly Scene[] = [
  { name: 'mailbox-connect', as: 'admin', path: '/agents', act: connectMailbox },
  { name: 'developers', as: 'admin', path: '/developers', act: withKey },
];

/** The scenes in the README, the guides and the public pages, with the prefixes of their files. */
export const PICTURES: Readonly<Record<string, string>> = {
  dashboard: 'dashboard',
  agents: 'agents',
  'agents-edit': 'agent',
  'agents-assign': 'assign',
  knowledge: 'article',
  tools: 'tools',
  team: 'team',
  audit: 'audit',
  'agents-execute': 'execute',
  'agents-at-work': 'work',
  'agents-execute-playbook': 'playbook',
  'tools-test': 'tool',
  'task-output': 'task',
  'chat-page': 'chat',
  'session-live': 'live',
  'session-replay': 'session',
  'mailbox-connect': 'mailbox',
  'billing-usage': 'usage',
  'billing-verified': 'ledger',
  'audit-exported': 'export',
  developers: 'developers',
};
