import {
  ArticleChanged,
  ArticleCreated,
  ArticleDeleted,
  type ArticleEvent,
  ArticleRestored,
  articleEvents,
  type StoredText,
} from '@tallyhand/contracts/features/knowledge/knowledge.events';
import { versionedDecider, versionedStream } from '../../kit/versioned-object.decider.ts';

export type ArticleFields = {
  readonly title: string;
  readonly content: StoredText;
  readonly category: string;
  readonly tags: string[];
  readonly isPublic: boolean;
};

export const articleDecider = versionedDecider<ArticleFields, ArticleEvent>('article', {
  created: ArticleCreated,
  changed: ArticleChanged,
  deleted: ArticleDeleted,
  restored: ArticleRestored,
});

// Few are cached, because texts may be long.
export const articleStream = versionedStream('article', articleDecider, articleEvents, 300);
