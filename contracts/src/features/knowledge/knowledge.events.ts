import { z } from 'zod';
import type { EventsOf } from '../../kernel/messages.ts';
import { versionedEvents } from '../../kernel/versioned-object.ts';

/** A long text is stored as a blob, and the event has its SHA-256: appends stay small. */
export const StoredText = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('inline'), text: z.string() }),
  z.object({ kind: z.literal('blob'), hash: z.string(), bytes: z.int() }),
]);
export type StoredText = z.infer<typeof StoredText>;

/** On `article-{id}`. */
export const {
  created: ArticleCreated,
  changed: ArticleChanged,
  deleted: ArticleDeleted,
  restored: ArticleRestored,
} = versionedEvents('Article', {
  title: z.string(),
  content: StoredText,
  category: z.string(),
  tags: z.array(z.string()),
  /** Every agent of the organization may use it. */
  isPublic: z.boolean(),
});

/** Every event of the stream, by type. */
export const articleEvents = {
  ArticleCreated,
  ArticleChanged,
  ArticleDeleted,
  ArticleRestored,
};
export type ArticleEvent = EventsOf<typeof articleEvents>;
