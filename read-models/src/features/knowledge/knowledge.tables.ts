import { Article } from '@tallyhand/contracts/features/knowledge/knowledge.endpoints';
import {
  bigint,
  boolean,
  int,
  orNull,
  searchVector,
  text,
  texts,
  timestamp,
  uuid,
} from '../../kernel/columns.ts';
import { isShortened, shortened } from '../../kernel/read.ts';
import { readModel, table } from '../../kernel/read-model.ts';
import { versionedObject } from '../../kernel/versioned-object.ts';
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
    articles: table({
      key: ['article_id'],
      columns: {
        article_id: uuid,
        organization_id: uuid,
        title: text,
        content: text,
        category: text,
        tags: texts,
        is_public: boolean,
        version: int,
        language: text,
        created_at: timestamp,
        deleted_at: orNull(timestamp),
      },
      indexes: [
        '(organization_id, created_at, article_id) where deleted_at is null',
        '(organization_id, deleted_at, article_id) where deleted_at is not null',
        '(organization_id, language) where deleted_at is null',
      ],
    }),
    /** Of articles that are not deleted. */
    article_counts: table({
      key: ['organization_id'],
      columns: {
        organization_id: uuid,
        count: bigint,
      },
      counts: `select organization_id, count(*) from read_model.articles
      where deleted_at is null group by 1`,
    }),
    passages: table({
      key: ['article_id', 'version', 'ordinal'],
      columns: {
        organization_id: uuid,
        article_id: uuid,
        version: int,
        ordinal: int,
        heading: orNull(text),
        text: text,
        search: searchVector,
        is_current: boolean,
      },
      indexes: ['using gin (organization_id extensions.uuid_ops, search) where is_current'],
    }),
    passage_words: table({
      key: ['organization_id', 'word'],
      columns: {
        organization_id: uuid,
        word: text,
      },
      indexes: ['using gin (organization_id extensions.uuid_ops, word extensions.gin_trgm_ops)'],
    }),
  },
  functions: { find_passages: findPassages, search_passages: searchPassages },
});

export const articles = versionedObject({
  kind: 'article',
  view: Article,
  table: articlesModel.tables.articles,
  columnOf: {},
  computed: {},
  inList: { content: shortened('o.content'), truncated: isShortened('o.content') },
  asOf: {
    content: `coalesce(s.state->'content'->>'text',
      (select k.content from read_model.kept_text(s.state->'content'->>'hash') k))`,
  },
});
