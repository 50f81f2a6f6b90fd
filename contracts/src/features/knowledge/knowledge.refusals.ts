import { refusal } from '../../kernel/refusal.ts';

export const ArticleNotDeleted = refusal(
  'article-not-deleted',
  409,
  'Article not deleted',
  () => 'This article is not deleted, so there is nothing to restore.',
);
