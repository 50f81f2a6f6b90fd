import { LIST_TEXT_MAX, readModel, readOne, readPage } from '../../kernel/read-model.ts';

/**
 * Articles, and each version of them cut into passages, which retrieval finds by words and, for
 * typos, by trigrams. Which version counts is the article's own row.
 */
export const articlesModel = readModel({
  name: 'articles',
  feature: 'knowledge',
  version: 2,
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
      created_at timestamptz not null,
      deleted_at timestamptz`,
    passages: `
      organization_id uuid not null,
      article_id uuid not null,
      version int not null,
      ordinal int not null,
      heading text,
      text text not null,
      search tsvector not null generated always as (
        to_tsvector('english', coalesce(heading, '') || ' ' || text)
        || to_tsvector('simple', coalesce(heading, '') || ' ' || text)) stored,
      primary key (article_id, version, ordinal)`,
  },
  indexes: [
    'create index on read_model.articles (organization_id, created_at desc, article_id desc)',
    'create index on read_model.passages using gin (search)',
    'create index on read_model.passages using gin (text extensions.gin_trgm_ops)',
  ],
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
  created_at: string;
  deleted_at: string | null;
};

export type PassagesTable = {
  organization_id: string;
  article_id: string;
  version: number;
  ordinal: number;
  heading: string | null;
  text: string;
};

const article = (content: string) => `
  select article_id as id, title, ${content}, category, tags, is_public as "isPublic", version,
    created_at as "createdAt"
  from read_model.articles
  where organization_id = me.organization_id and deleted_at is null`;

export const readArticles = readPage(
  'articles',
  article(
    `left(content, ${LIST_TEXT_MAX}) as content, length(content) > ${LIST_TEXT_MAX} as truncated`,
  ),
);

export const readArticle = readOne(
  'article',
  { id: 'uuid' },
  `${article('content')} and article_id = p_id`,
);
