import {
  ArticleChanged,
  ArticleCreated,
  ArticleDeleted,
  type ArticleEvent,
  ArticleRestored,
  type StoredText,
} from '@tallyhand/contracts/features/knowledge/knowledge.events';
import { keptDecider } from '../../kit/kept-decider.ts';

export type ArticleFields = {
  readonly title: string;
  readonly content: StoredText;
  readonly category: string;
  readonly tags: string[];
  readonly isPublic: boolean;
};

export const articleDecider = keptDecider<ArticleFields, ArticleEvent>({
  category: 'article',
  idName: 'articleId',
  events: {
    created: ArticleCreated,
    changed: ArticleChanged,
    deleted: ArticleDeleted,
    restored: ArticleRestored,
  },
  // Their texts may be long.
  cachedMax: 300,
});
