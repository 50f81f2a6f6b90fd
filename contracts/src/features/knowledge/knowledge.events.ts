import { z } from 'zod';
import { Id } from '../../kernel/ids.ts';
import { type EventsOf, event } from '../../kernel/messages.ts';

/** A long text is stored as a blob, and the event has its SHA-256: appends stay small. */
export const StoredText = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('inline'), text: z.string() }),
  z.object({ kind: z.literal('blob'), hash: z.string(), bytes: z.int() }),
]);
export type StoredText = z.infer<typeof StoredText>;

const article = { articleId: Id, organizationId: Id };

/** On `article-{id}`. `version` is 1 at creation. */
export const ArticleCreated = event('ArticleCreated', {
  ...article,
  version: z.int(),
  title: z.string(),
  content: StoredText,
  category: z.string(),
  tags: z.array(z.string()),
  /** Every agent of the organization may use it. */
  isPublic: z.boolean(),
});
/** Contains only changed fields. `restoredFrom`: the version whose texts were restored. */
export const ArticleChanged = event('ArticleChanged', {
  ...article,
  version: z.int(),
  title: z.string().optional(),
  content: StoredText.optional(),
  category: z.string().optional(),
  tags: z.array(z.string()).optional(),
  isPublic: z.boolean().optional(),
  restoredFrom: z.int().optional(),
});
export const ArticleDeleted = event('ArticleDeleted', article);
export const ArticleRestored = event('ArticleRestored', article);

/** Every event of the stream, by type. */
export const articleEvents = {
  ArticleCreated,
  ArticleChanged,
  ArticleDeleted,
  ArticleRestored,
};
export type ArticleEvent = EventsOf<typeof articleEvents>;
