import type { Article } from '@tallyhand/contracts/features/knowledge/knowledge.endpoints';
import { useTranslation } from 'react-i18next';
import { DeleteDialog } from '../../app/delete-dialog.tsx';
import { useDeleteArticleMutation, useRestoreArticleMutation } from './knowledge.api.ts';

export function DeleteArticleDialog({ article, close }: { article: Article; close: () => void }) {
  const { t } = useTranslation('knowledge');
  const [remove, { isLoading }] = useDeleteArticleMutation();
  const [restore] = useRestoreArticleMutation();
  return (
    <DeleteDialog
      title={t('delete.title', { title: article.title })}
      description={t('delete.description')}
      confirmLabel={t('delete.confirm')}
      told={{
        deleted: t('toasts.deleted'),
        restored: t('toasts.restored'),
        deleteFailed: t('toasts.deleteFailed'),
        restoreFailed: t('toasts.restoreFailed'),
      }}
      remove={() => remove(article.id)}
      restore={() => restore(article.id)}
      pending={isLoading}
      close={close}
    />
  );
}
