import { z } from 'zod';
import { EDITORS, MEMBERS } from '../../kernel/access.ts';
import { AsOf, AsOfQuery } from '../../kernel/as-of.ts';
import { NoSuchVersion, NotDeleted } from '../../kernel/change-refusals.ts';
import { HistoryEntry, RestoreInput } from '../../kernel/changes.ts';
import { endpoint } from '../../kernel/endpoint.ts';
import { Id, Instant } from '../../kernel/ids.ts';
import { Page } from '../../kernel/lists.ts';
import { PlaybookChange, PlaybookInput } from './playbooks.fields.ts';

export const Playbook = z.object({
  id: Id,
  title: z.string(),
  description: z.string(),
  steps: z.array(z.string()),
  category: z.string(),
  tags: z.array(z.string()),
  /** Minutes. */
  estimatedDuration: z.int(),
  version: z.int(),
  createdAt: Instant,
});
export type Playbook = z.infer<typeof Playbook>;

const params = z.strictObject({ id: Id });
const feature = 'playbooks';

export const listPlaybooks = endpoint({
  name: 'listPlaybooks',
  method: 'GET',
  path: '/api/playbooks',
  access: MEMBERS,
  feature,
  summary: 'The playbooks of the organization, newest first',
  query: Page.extend({ asOf: AsOf }),
  status: 200,
  answer: z.array(Playbook),
});
export const getPlaybook = endpoint({
  name: 'getPlaybook',
  method: 'GET',
  path: '/api/playbooks/{id}',
  access: MEMBERS,
  feature,
  summary: 'One playbook',
  params,
  query: AsOfQuery,
  status: 200,
  answer: Playbook,
});
export const createPlaybook = endpoint({
  name: 'createPlaybook',
  method: 'POST',
  path: '/api/playbooks',
  access: EDITORS,
  feature,
  summary: 'Write a playbook',
  body: PlaybookInput,
  example: {
    title: 'Refund a customer',
    description: 'What to do when a customer asks for a refund',
    steps: ['Find the order', 'Check its date', 'Refund it or say why not'],
    category: 'Customer Support',
    tags: ['refunds'],
    estimatedDuration: 30,
  },
  status: 201,
  answer: Playbook,
});
export const changePlaybook = endpoint({
  name: 'changePlaybook',
  method: 'PUT',
  path: '/api/playbooks/{id}',
  access: EDITORS,
  feature,
  summary: 'Change a playbook; its version grows by one',
  params,
  body: PlaybookChange,
  example: { estimatedDuration: 20 },
  status: 200,
  answer: Playbook,
});
export const deletePlaybook = endpoint({
  name: 'deletePlaybook',
  method: 'DELETE',
  path: '/api/playbooks/{id}',
  access: EDITORS,
  feature,
  summary: 'Delete a playbook; agents no longer follow it',
  params,
  status: 204,
});
export const restorePlaybook = endpoint({
  name: 'restorePlaybook',
  method: 'POST',
  path: '/api/playbooks/{id}/restore',
  access: EDITORS,
  feature,
  summary: 'Take the deletion of a playbook back, or make an older version the newest',
  params,
  body: RestoreInput,
  example: { version: 1 },
  status: 200,
  answer: Playbook,
  refusals: [NotDeleted, NoSuchVersion],
});
export const getPlaybookHistory = endpoint({
  name: 'getPlaybookHistory',
  method: 'GET',
  path: '/api/playbooks/{id}/history',
  access: MEMBERS,
  feature,
  summary: 'Who changed a playbook, when, and what; newest first',
  params,
  query: Page,
  status: 200,
  answer: z.array(HistoryEntry),
});
