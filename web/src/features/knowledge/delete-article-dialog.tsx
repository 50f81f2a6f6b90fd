import type { Article } from '@tallyhand/contracts/features/knowledge/knowledge.endpoints';
import { useTranslation } from 'react-i18next';
import { describeProblem } from '../../app/problem.ts';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { showToast } from '../../ui/toast.ts';
import { useDeleteArticleMutation, useRestoreArticleMutation } from './knowledge.api.ts';

export function DeleteArticleDialog({ article, close }: { article: Article; close: () => void }) {
  const { t } = useTranslation('knowledge');
  const { t: common } = useTranslation('common');
  const [remove, { isLoading }] = useDeleteArticleMutation();
  const [restore] = useRestoreArticleMutation();
  const fail = (title: string, error: unknown) =>
    showToast({ variant: 'destructive', title, description: describeProblem(t, error) });
  const undo = async () => {
    const { error } = await restore(article.id);
    if (error) fail(t('toasts.restoreFailed'), error);
    else showToast({ title: t('toasts.restored') });
  };
  const confirm = async () => {
    const { error } = await remove(article.id);
    if (error) {
      fail(t('toasts.deleteFailed'), error);
      return;
    }
    close();
    showToast({
      title: t('toasts.deleted'),
      action: { label: common('actions.undo'), onClick: undo },
    });
  };
  return (
    <ConfirmDialog
      open
      onOpenChange={close}
      title={t('delete.title', { title: article.title })}
      description={t('delete.description')}
      confirmLabel={t('delete.confirm')}
      onConfirm={confirm}
      pending={isLoading}
    />
  );
}
