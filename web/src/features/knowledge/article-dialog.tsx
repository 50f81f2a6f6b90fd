import type { Article } from '@tallyhand/contracts/features/knowledge/knowledge.endpoints';
import { useTranslation } from 'react-i18next';
import { Badge } from '../../ui/badge.tsx';
import { Markdown } from '../../ui/markdown.tsx';
import { DateText } from '../../ui/time.tsx';
import { type Reading, ReadingDialog } from '../audit/versioned-dialogs.tsx';
import { useGetArticleQuery } from './knowledge.api.ts';
import { Tags } from './tags.tsx';

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
