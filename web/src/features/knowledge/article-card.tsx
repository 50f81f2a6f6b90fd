import type { Article } from '@tallyhand/contracts/features/knowledge/knowledge.endpoints';
import { BookOpenText } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { Badge } from '../../ui/badge.tsx';
import { Markdown } from '../../ui/markdown.tsx';
import { DateText } from '../../ui/time.tsx';
import { type Reading, ReadingDialog } from '../audit/versioned-dialogs.tsx';
import { excerptOf } from './article-excerpt.ts';
import { useGetArticleQuery } from './knowledge.api.ts';
import { type ShelfActions, ShelfCard } from './shelf-card.tsx';
import { Tags } from './tags.tsx';

const TAGS_SHOWN = 3;

export function ArticleCard({ article, actions }: { article: Article; actions: ShelfActions }) {
  const { t } = useTranslation('knowledge');
  return (
    <ShelfCard
      kind="knowledge"
      item={article}
      viewIcon={BookOpenText}
      viewLabel={t('menu.view')}
      actions={actions}
    >
      <p className="flex-1 break-words text-muted">{excerptOf(article)}</p>
      <div className="flex flex-wrap gap-1">
        <Tags tags={article.tags} max={TAGS_SHOWN} />
        {article.isPublic && <Badge tone="accent">{t('public')}</Badge>}
      </div>
      <p className="border-t border-line pt-3 text-xs text-muted">
        {t('version', { version: article.version })} · <DateText at={article.createdAt} />
      </p>
    </ShelfCard>
  );
}

/** One article in full. */
export function ArticleDialog(reading: Reading) {
  const query = useGetArticleQuery(reading.id);
  return (
    <ReadingDialog
      {...reading}
      kind="knowledge"
      query={query}
      renderContent={(content) => <Markdown text={content} />}
    >
      {(article) => <ArticleText article={article} />}
    </ReadingDialog>
  );
}

function ArticleText({ article }: { article: Article }) {
  const { t } = useTranslation('knowledge');
  return (
    <>
      <div className="mb-4 flex flex-wrap items-center gap-1">
        <p className="mr-2 text-xs text-muted">
          {t('version', { version: article.version })} · <DateText at={article.createdAt} />
        </p>
        <Tags tags={article.tags} />
        {article.isPublic && <Badge tone="accent">{t('public')}</Badge>}
      </div>
      <Markdown text={article.content} />
    </>
  );
}
