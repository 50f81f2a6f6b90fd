import { z } from 'zod';
import { EDITORS, HISTORY_READERS } from '../../kernel/access.ts';
import { Id, Instant } from '../../kernel/ids.ts';
import { Label } from '../../kernel/lists.ts';
import { versionedCalls } from '../../kernel/versioned-object.ts';
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
  updatedAt: Instant,
});
export type Playbook = z.infer<typeof Playbook>;

/** Selects playbooks; all given conditions must match. */
export const PlaybookFilter = {
  category: Label('category'),
  tag: Label('tag'),
};

export const playbookCalls = versionedCalls({
  noun: 'Playbook',
  feature: 'playbooks',
  path: '/api/playbooks',
  answer: Playbook,
  answerExample: {
    id: '0193a1b2-0000-7000-8000-000000000001',
    title: 'Refund a customer',
    description: 'What to do for a customer who wants money back',
    steps: ['Find the order', 'Check its date'],
    category: 'Customer Support',
    tags: [],
    estimatedDuration: 30,
    version: 1,
    createdAt: '2027-01-31T09:30:00.000Z',
    updatedAt: '2027-01-31T09:30:00.000Z',
  },
  searched: 'the title, description, category or a tag',
  filters: PlaybookFilter,
  readers: HISTORY_READERS,
  editors: EDITORS,
  create: {
    description: 'Returns the new playbook. Agents follow it once it is assigned to them.',
    body: PlaybookInput,
    example: {
      title: 'Refund a customer',
      description: 'What to do when a customer asks for a refund',
      steps: ['Find the order', 'Check its date', 'Refund it or say why not'],
      category: 'Customer Support',
      tags: ['refunds'],
      estimatedDuration: 30,
    },
  },
  change: {
    description: 'Changes the fields that are sent. Its version grows by one.',
    body: PlaybookChange,
    example: { estimatedDuration: 20 },
  },
  deleteNote: 'Agents no longer follow it.',
});
export const {
  list: listPlaybooks,
  get: getPlaybook,
  create: createPlaybook,
  change: changePlaybook,
  remove: deletePlaybook,
  restore: restorePlaybook,
  history: getPlaybookHistory,
} = playbookCalls;
