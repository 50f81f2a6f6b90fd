import { z } from 'zod';
import { EDITORS, HISTORY_READERS } from '../../kernel/access.ts';
import { endpoint } from '../../kernel/endpoint.ts';
import { Id, Instant } from '../../kernel/ids.ts';
import { Label, YesOrNo } from '../../kernel/lists.ts';
import { OrganizationQueueFull, ServerQueueFull } from '../../kernel/problem.ts';
import { Sentence } from '../../kernel/sentence.ts';
import { versionedCalls } from '../../kernel/versioned-object.ts';
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
  updatedAt: Instant,
});
export type Article = z.infer<typeof Article>;

/** Selects articles; all given conditions must match. */
export const ArticleFilter = {
  category: Label('category'),
  tag: Label('tag'),
  isPublic: YesOrNo('isPublic').optional(),
};

export const articleCalls = versionedCalls({
  noun: 'Article',
  feature: 'knowledge',
  path: '/api/knowledge',
  answer: Article,
  answerExample: {
    id: '0193a1b2-0000-7000-8000-000000000001',
    title: 'Returns',
    content: 'Items can be returned within 30 days of delivery.',
    truncated: false,
    category: 'General',
    tags: ['returns'],
    isPublic: false,
    version: 1,
    createdAt: '2027-01-31T09:30:00.000Z',
    updatedAt: '2027-01-31T09:30:00.000Z',
  },
  searched: 'the title, category or a tag',
  filters: ArticleFilter,
  readers: HISTORY_READERS,
  editors: EDITORS,
  create: {
    description: 'Returns the new article. Agents answer from it once it is assigned to them.',
    body: ArticleInput,
    example: {
      title: 'Returns',
      content: 'Items can be returned within 30 days of delivery.',
      category: 'General',
      tags: ['returns'],
      isPublic: false,
    },
  },
  change: {
    description: 'Changes the fields that are sent. Its version grows by one.',
    body: ArticleChange,
    example: { title: 'Returns and refunds', tags: ['returns', 'refunds'] },
  },
  deleteNote: 'Agents no longer use it.',
});
export const {
  list: listArticles,
  get: getArticle,
  create: createArticle,
  change: changeArticle,
  remove: deleteArticle,
  restore: restoreArticle,
  history: getArticleHistory,
} = articleCalls;

const guesses = {
  /** What was omitted or guessed, in English. */
  warnings: z.array(z.string()),
  /** The same warnings, each with its code and parameters. */
  remarks: z.array(Sentence),
};

/** The result of an import; `warnings` list what was omitted or guessed. */
export const ImportedArticle = Article.extend(guesses);
export type ImportedArticle = z.infer<typeof ImportedArticle>;

/** The name of an imported file. */
export const IMPORT_BYTES_MAX = 10_000_000;

/** A file or a page as Markdown, of which an article can be made. */
export const ConvertedDocument = z.object({ title: z.string(), content: z.string(), ...guesses });
export type ConvertedDocument = z.infer<typeof ConvertedDocument>;

const SENT = 'Send a file as `multipart/form-data` in the field `file`.';

/** What is imported. */
const source = {
  feature: 'knowledge',
  access: EDITORS,
  body: z.strictObject({
    url: z
      .string({ error: 'url must be the address of a page' })
      .max(2_000, 'url must be at most 2000 characters')
      .refine((url) => URL.canParse(url), 'url must be the address of a page')
      .optional(),
  }),
  example: { url: 'https://example.com/returns' },
  fileField: 'file',
  refusals: [ImportNotPossible, OrganizationQueueFull, ServerQueueFull],
} as const;

export const importArticle = endpoint({
  ...source,
  name: 'importArticle',
  method: 'POST',
  path: '/api/knowledge/import',
  summary: 'Import an article',
  description: `Creates an article from a file (Markdown, plain text, HTML, PDF or DOCX) or from the page at \`url\`. ${SENT}`,
  status: 201,
  answer: ImportedArticle,
  answerExample: {
    id: '0193a1b2-0000-7000-8000-000000000001',
    title: 'Opening hours',
    content: '# Opening hours\n\nFrom 9 to 5.',
    category: 'Imported',
    tags: [],
    isPublic: false,
    version: 1,
    createdAt: '2027-01-31T09:30:00.000Z',
    updatedAt: '2027-01-31T09:30:00.000Z',
    warnings: [],
    remarks: [],
  },
  hasEtag: true,
});
export const convertDocument = endpoint({
  ...source,
  name: 'convertDocument',
  method: 'POST',
  path: '/api/knowledge/convert',
  summary: 'Convert a document',
  description: `Returns a file or a page as Markdown, and stores nothing: create or change an article with it. ${SENT}`,
  isKeyless: true,
  status: 200,
  answer: ConvertedDocument,
  answerExample: {
    title: 'Opening hours',
    content: '# Opening hours\n\nFrom 9 to 5.',
    warnings: [],
    remarks: [],
  },
});
