import { z } from 'zod';
import { MEMBERS } from '../../kernel/access.ts';
import { endpoint } from '../../kernel/endpoint.ts';
import { Id, Instant } from '../../kernel/ids.ts';
import { Page } from '../../kernel/lists.ts';

/** What members write, and can delete and restore. */
export const HISTORY_KINDS = ['agent', 'article', 'playbook', 'tool'] as const;
export type HistoryKind = (typeof HISTORY_KINDS)[number];

/** A deletion that was not restored. */
export const Deletion = z.object({
  kind: z.enum(HISTORY_KINDS),
  /** Of what was deleted; under it stand its history and its restoration. */
  id: Id,
  /** Its name or title at the end. */
  name: z.string(),
  /** Without a name: who is no member any more. */
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
  summary: 'Deletions that can be restored, and who made them; newest first',
  query: Page.extend({
    kind: z
      .enum(HISTORY_KINDS, { error: `kind must be one of ${HISTORY_KINDS.join(', ')}` })
      .optional(),
  }),
  status: 200,
  answer: z.array(Deletion),
});
