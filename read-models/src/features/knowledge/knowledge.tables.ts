import { isShortened, readModel, readOne, readPage, shortened } from '../../kernel/read-model.ts';
import { findPassages, searchPassages } from './find-passages.ts';

/**
 * Articles, and each version of them cut into passages. `language` is the text search configuration
 * that fits the article, `is_current` says that the passage is of the newest version.
 * `passage_words` holds every word once, for words that are misspelt or part of a longer one.
 */
export const articlesModel = readModel({
  name: 'articles',
  feature: 'knowledge',
  version: 4,
  tables: {
    articles: `
      article_id uuid primary key,
      organization_id uuid not null,
      title text not null,
      content text not null,
      category text not null,
      tags text[] not null,
      is_public boolean not null,
      version int not null,
      language text not null,
      created_at timestamptz not null,
      deleted_at timestamptz`,
    article_counts: `
      organization_id uuid primary key,
      count bigint not null`,
    passages: `
      organization_id uuid not null,
      article_id uuid not null,
      version int not null,
      ordinal int not null,
      heading text,
      text text not null,
      search tsvector not null,
      is_current boolean not null,
      primary key (article_id, version, ordinal)`,
    passage_words: `
      organization_id uuid not null,
      word text not null,
      primary key (organization_id, word)`,
  },
  counts: {
    article_counts: `select organization_id, count(*) from read_model.articles
      where deleted_at is null group by 1`,
  },
  indexes: [
    `create index on read_model.articles (organization_id, created_at, article_id)
      where deleted_at is null`,
    `create index on read_model.articles (organization_id, deleted_at, article_id)
      where deleted_at is not null`,
    'create index on read_model.articles (organization_id, language) where deleted_at is null',
    `create index on read_model.passages
      using gin (organization_id extensions.uuid_ops, search) where is_current`,
    `create index on read_model.passage_words
      using gin (organization_id extensions.uuid_ops, word extensions.gin_trgm_ops)`,
  ],
  functions: { find_passages: findPassages, search_passages: searchPassages },
});

export type ArticlesTable = {
  article_id: string;
  organization_id: string;
  title: string;
  content: string;
  category: string;
  tags: string[];
  is_public: boolean;
  version: number;
  language: string;
  created_at: string;
  deleted_at: string | null;
};

/** Of articles that are not deleted. */
export type ArticleCountsTable = { organization_id: string; count: number };

export type PassagesTable = {
  organization_id: string;
  article_id: string;
  version: number;
  ordinal: number;
  heading: string | null;
  text: string;
  search: string;
  is_current: boolean;
};

export type PassageWordsTable = { organization_id: string; word: string };

const article = (content: string) => `a.article_id as id, a.title, ${content}, a.category, a.tags,
  a.is_public as "isPublic", a.version, a.created_at as "createdAt"`;

export const readArticles = readPage('articles', {
  table: 'read_model.articles',
  as: 'a',
  at: 'created_at',
  id: 'article_id',
  where: 'a.deleted_at is null',
  select: article(`${shortened('a.content')} as content,
    ${isShortened('a.content')} as truncated`),
});

export const readArticle = readOne(
  'article',
  { id: 'uuid' },
  `select ${article('a.content')} from read_model.articles a
   where a.organization_id = me.organization_id and a.deleted_at is null and a.article_id = p_id`,
);
