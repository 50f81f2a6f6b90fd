import type { Article } from '@tallyhand/contracts/features/knowledge/knowledge.endpoints';
import { useTranslation } from 'react-i18next';
import { Badge } from '../../ui/badge.tsx';
import { Markdown } from '../../ui/markdown.tsx';
import { DateText } from '../../ui/time.tsx';
import { ObjectHistory } from '../audit/object-history.tsx';
import { useGetArticleQuery } from './knowledge.api.ts';
import { ReadingDialog, type ReadingDialogProps } from './reading-dialog.tsx';
import { Tags } from './tags.tsx';

/** One article, whole. */
export function ArticleDialog({
  id,
  ...shown
}: { id: string } & Pick<ReadingDialogProps, 'view' | 'setView' | 'onEdit' | 'close'>) {
  const { t } = useTranslation('knowledge');
  const { currentData: article, error, refetch } = useGetArticleQuery(id);
  return (
    <ReadingDialog
      {...shown}
      title={article?.title}
      category={article?.category}
      words={{
        label: t('view.label'),
        text: t('view.text'),
        history: t('view.history'),
        edit: t('view.edit'),
        loading: t('loadingOne'),
      }}
      error={error}
      refetch={refetch}
      text={article && <ArticleText article={article} />}
      history={
        <ObjectHistory
          kind="knowledge"
          id={id}
          canRestore={shown.onEdit !== undefined}
          // An article that was deleted has no version that is in use now.
          currentVersion={article?.version ?? 0}
          renderContent={(content) => <Markdown text={content} />}
        />
      }
    />
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
