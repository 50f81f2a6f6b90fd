import {
  ArticleCreated,
  ArticleDeleted,
  type ArticleEvent,
  ArticleRestored,
  articleEvents,
  type StoredText,
} from '@tallyhand/contracts/features/knowledge/knowledge.events';
import { ArticleNotDeleted } from '@tallyhand/contracts/features/knowledge/knowledge.refusals';
import type { EventValue } from '@tallyhand/contracts/kernel/messages';
import { NotFound } from '@tallyhand/contracts/kernel/problem';
import type { Decider } from '../../kit/decider.ts';

type Own = { readonly organizationId: string };

type ArticleCommand =
  | EventValue<'CreateArticle', Omit<Parameters<typeof ArticleCreated>[0], 'version'>>
  | EventValue<'DeleteArticle', Own>
  | EventValue<'RestoreArticle', Own>;

export type ExistingArticle = {
  readonly articleId: string;
  readonly organizationId: string;
  readonly version: number;
  readonly title: string;
  readonly content: StoredText;
  readonly category: string;
  readonly tags: string[];
  readonly isPublic: boolean;
  readonly isDeleted: boolean;
  readonly createdAt: string;
};

export type Article = ExistingArticle | null;

export const articleDecider: Decider<Article, ArticleCommand, ArticleEvent> = {
  category: 'article',
  kinds: articleEvents,
  cachedMax: 300,
  initialState: () => null,
  decide(command, article) {
    if (command.type === 'CreateArticle') {
      return article ? [] : [ArticleCreated({ ...command.data, version: 1 })];
    }
    const { organizationId } = command.data;
    if (article?.organizationId !== organizationId) return NotFound({ what: 'article' });
    const { articleId, isDeleted } = article;
    switch (command.type) {
      case 'DeleteArticle':
        if (isDeleted) return NotFound({ what: 'article' });
        return [ArticleDeleted({ articleId, organizationId })];
      case 'RestoreArticle':
        if (!isDeleted) return ArticleNotDeleted({});
        return [ArticleRestored({ articleId, organizationId })];
    }
  },
  evolve(article, event, at) {
    switch (event.type) {
      case 'ArticleCreated':
        return { ...event.data, isDeleted: false, createdAt: at };
      case 'ArticleDeleted':
        return article && { ...article, isDeleted: true };
      case 'ArticleRestored':
        return article && { ...article, isDeleted: false };
    }
  },
};
