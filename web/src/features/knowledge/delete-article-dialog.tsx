import type { Article } from '@tallyhand/contracts/features/knowledge/knowledge.endpoints';
import { useTranslation } from 'react-i18next';
import { DeleteDialog } from '../../app/confirm-action.tsx';
import { useDeleteArticleMutation, useRestoreArticleMutation } from './knowledge.api.ts';

export function DeleteArticleDialog({ article, close }: { article: Article; close: () => void }) {
  const { t } = useTranslation('knowledge');
  const [remove] = useDeleteArticleMutation();
  const [restore] = useRestoreArticleMutation();
  return (
    <DeleteDialog
      title={t('delete.title', { title: article.title })}
      description={t('delete.description')}
      confirmLabel={t('delete.confirm')}
      remove={() => remove(article.id)}
      deleted={{ done: t('toasts.deleted'), failed: t('toasts.deleteFailed') }}
      undo={{
        restore: () => restore(article.id),
        done: t('toasts.restored'),
        failed: t('toasts.restoreFailed'),
      }}
      close={close}
    />
  );
}
