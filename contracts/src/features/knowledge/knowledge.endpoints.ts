import { z } from 'zod';
import { EDITORS, MEMBERS } from '../../kernel/access.ts';
import { AsOf, AsOfQuery } from '../../kernel/as-of.ts';
import { NoSuchVersion, NotDeleted } from '../../kernel/change-refusals.ts';
import { HistoryEntry, RestoreInput } from '../../kernel/changes.ts';
import { endpoint } from '../../kernel/endpoint.ts';
import { Id, Instant } from '../../kernel/ids.ts';
import { Page } from '../../kernel/lists.ts';
import { OrganizationQueueFull, ServerQueueFull } from '../../kernel/problem.ts';
import { Sentence } from '../../kernel/sentence.ts';
import { ArticleChange, ArticleInput } from './knowledge.fields.ts';
import { ImportNotPossible } from './knowledge.refusals.ts';

/** In lists `content` is truncated to 2,000 characters, and `truncated` is set. */
export const Article = z.object({
  id: Id,
  title: z.string(),
  content: z.string(),
  truncated: z.boolean().optional(),
  category: z.string(),
  tags: z.array(z.string()),
  isPublic: z.boolean(),
  version: z.int(),
  createdAt: Instant,
});
export type Article = z.infer<typeof Article>;

const articleId = z.strictObject({ id: Id });

export const listArticles = endpoint({
  name: 'listArticles',
  method: 'GET',
  path: '/api/knowledge',
  access: MEMBERS,
  feature: 'knowledge',
  summary: 'The articles of the organization, newest first',
  query: Page.extend({ asOf: AsOf }),
  status: 200,
  answer: z.array(Article),
});
export const getArticle = endpoint({
  name: 'getArticle',
  method: 'GET',
  path: '/api/knowledge/{id}',
  access: MEMBERS,
  feature: 'knowledge',
  summary: 'One article, whole',
  params: articleId,
  query: AsOfQuery,
  status: 200,
  answer: Article,
});
export const createArticle = endpoint({
  name: 'createArticle',
  method: 'POST',
  path: '/api/knowledge',
  access: EDITORS,
  feature: 'knowledge',
  summary: 'Write an article',
  body: ArticleInput,
  example: {
    title: 'Returns',
    content: 'Items can be returned within 30 days of delivery.',
    category: 'General',
    tags: ['returns'],
    isPublic: false,
  },
  status: 201,
  answer: Article,
});
/** The result of an import; `warnings` list what was omitted or guessed. */
export const ImportedArticle = Article.extend({
  /** What was omitted or guessed, in English. */
  warnings: z.array(z.string()),
  /** The same warnings, each with its code and parameters. */
  remarks: z.array(Sentence),
});
export type ImportedArticle = z.infer<typeof ImportedArticle>;

/** The name of an imported file. */
export const IMPORT_BYTES_MAX = 10_000_000;

export const importArticle = endpoint({
  name: 'importArticle',
  method: 'POST',
  path: '/api/knowledge/import',
  access: EDITORS,
  feature: 'knowledge',
  summary:
    'Make an article of a Markdown, text, HTML, PDF or DOCX file (multipart, field `file`), or of a web page',
  body: z.strictObject({
    url: z
      .string({ error: 'url must be the address of a page' })
      .max(2_000, 'url must be at most 2000 characters')
      .refine((url) => URL.canParse(url), 'url must be the address of a page')
      .optional(),
  }),
  example: { url: 'https://example.com/returns' },
  fileField: 'file',
  status: 201,
  answer: ImportedArticle,
  refusals: [ImportNotPossible, OrganizationQueueFull, ServerQueueFull],
});
export const changeArticle = endpoint({
  name: 'changeArticle',
  method: 'PUT',
  path: '/api/knowledge/{id}',
  access: EDITORS,
  feature: 'knowledge',
  summary: 'Change an article; its version grows by one',
  params: articleId,
  body: ArticleChange,
  example: { title: 'Returns and refunds', tags: ['returns', 'refunds'] },
  status: 200,
  answer: Article,
});
export const deleteArticle = endpoint({
  name: 'deleteArticle',
  method: 'DELETE',
  path: '/api/knowledge/{id}',
  access: EDITORS,
  feature: 'knowledge',
  summary: 'Delete an article; agents no longer use it',
  params: articleId,
  status: 204,
});
export const restoreArticle = endpoint({
  name: 'restoreArticle',
  method: 'POST',
  path: '/api/knowledge/{id}/restore',
  access: EDITORS,
  feature: 'knowledge',
  summary: 'Take the deletion of an article back, or make an older version the newest',
  params: articleId,
  body: RestoreInput,
  example: { version: 1 },
  status: 200,
  answer: Article,
  refusals: [NotDeleted, NoSuchVersion],
});
export const getArticleHistory = endpoint({
  name: 'getArticleHistory',
  method: 'GET',
  path: '/api/knowledge/{id}/history',
  access: MEMBERS,
  feature: 'knowledge',
  summary: 'Who changed an article, when, and what; newest first',
  params: articleId,
  query: Page,
  status: 200,
  answer: z.array(HistoryEntry),
});
