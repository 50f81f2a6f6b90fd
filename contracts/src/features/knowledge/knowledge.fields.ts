import { z } from 'zod';
import { changeOf } from '../../kernel/changes.ts';

export const ARTICLE_CONTENT_MAX = 400_000;

/** Tags: trimmed, without blanks or duplicates. */
export const Tags = z
  .array(z.string('A tag must be a text').trim().max(50, 'A tag can have up to 50 characters'), {
    error: 'Tags must be a list of texts',
  })
  .max(50, 'At most 50 tags')
  .transform((tags) => [...new Set(tags.filter((tag) => tag !== ''))]);

export const Title = z
  .string({ error: 'Title must be at least 3 characters' })
  .trim()
  .min(3, 'Title must be at least 3 characters')
  .max(200, 'Title must be at most 200 characters');

export const Category = z
  .string({ error: 'Category is required' })
  .trim()
  .min(2, 'Category is required')
  .max(100, 'Category must be at most 100 characters');

const articleFields = {
  title: Title,
  content: z
    .string({ error: 'Content must be at least 10 characters' })
    .trim()
    .min(10, 'Content must be at least 10 characters')
    .max(ARTICLE_CONTENT_MAX, `Content must be at most ${ARTICLE_CONTENT_MAX} characters`),
  category: Category,
  tags: Tags,
  isPublic: z.boolean({ error: 'Must be true or false' }),
};

export const ArticleInput = z.strictObject({
  ...articleFields,
  tags: Tags.default([]),
  isPublic: articleFields.isPublic.default(false),
});
export type ArticleInput = z.infer<typeof ArticleInput>;

/** Fields that are not sent stay unchanged. */
export const ArticleChange = changeOf(articleFields);
export type ArticleChange = z.infer<typeof ArticleChange>;

/** Why a file can't be read. */
export const FILE_REASONS = [
  'unknown-kind',
  'too-large',
  'too-long',
  'broken-file',
  'encrypted',
  'no-text',
  'bomb',
  'timeout',
] as const;
/** Why a file or page cannot become an article. */
export const IMPORT_REASONS = [...FILE_REASONS, 'fetch-failed'] as const;
export type ImportReason = (typeof IMPORT_REASONS)[number];
