import { z } from 'zod';
import { MEMBERS } from '../../kernel/access.ts';
import { endpoint } from '../../kernel/endpoint.ts';
import { Id, Instant } from '../../kernel/ids.ts';
import { Page } from '../../kernel/lists.ts';

/** The kinds of objects that members can delete and restore. */
export const HISTORY_KINDS = ['agent', 'article', 'playbook', 'tool', 'connection'] as const;
export type HistoryKind = (typeof HISTORY_KINDS)[number];

/** A deletion that has not been restored. */
export const Deletion = z.object({
  kind: z.enum(HISTORY_KINDS),
  /** Id of the deleted object; its history and its restoration use the same id. */
  id: Id,
  /** The last name or title. */
  name: z.string(),
  /** Without a name: a former member. */
  actor: z.object({ id: Id.nullable(), name: z.string().nullable() }),
  createdAt: Instant,
});
export type Deletion = z.infer<typeof Deletion>;

export const listDeletions = endpoint({
  name: 'listDeletions',
  method: 'GET',
  path: '/api/deletions',
  access: MEMBERS,
  feature: 'audit',
  summary: 'List deleted objects',
  description: 'Returns deletions that can be restored and who made them, newest first.',
  query: Page.extend({
    kind: z
      .enum(HISTORY_KINDS, { error: `kind must be one of ${HISTORY_KINDS.join(', ')}` })
      .optional(),
  }),
  status: 200,
  answer: z.array(Deletion),
  answerExample: [
    {
      kind: 'article',
      id: '0193a1b2-0000-7000-8000-000000000001',
      name: 'Returns',
      actor: { id: '0193a1b2-0000-7000-8000-000000000002', name: 'Ada Lovelace' },
      createdAt: '2027-01-31T09:30:00.000Z',
    },
  ],
});
