import { useTranslation } from 'react-i18next';
import { LoadFailed } from '../../app/load-failed.tsx';
import { Dialog, DialogBody } from '../../ui/dialog.tsx';
import { Loading, Skeletons } from '../../ui/skeleton.tsx';
import { useGetArticleQuery } from './knowledge.api.ts';

/** One article, whole. */
export function ArticleDialog({ id, close }: { id: string; close: () => void }) {
  const { t } = useTranslation('knowledge');
  const { currentData: article, error, refetch } = useGetArticleQuery(id);
  return (
    <Dialog
      open
      onOpenChange={close}
      size="wide"
      title={article?.title ?? t('title')}
      description={article?.category}
    >
      <DialogBody>
        {article && (
          <p className="max-w-[68ch] break-words whitespace-pre-wrap">{article.content}</p>
        )}
        {!article && error && <LoadFailed error={error} onRetry={refetch} />}
        {!article && !error && (
          <Loading label={t('loading')} className="flex flex-col gap-3">
            <Skeletons count={5} />
          </Loading>
        )}
      </DialogBody>
    </Dialog>
  );
}
