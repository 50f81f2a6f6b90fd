import { useTranslation } from 'react-i18next';
import { describeProblem } from '../../app/problem.ts';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { showToast } from '../../ui/toast.ts';
import { type HistoryKind, useRestoreMutation } from './audit.api.ts';

/** Makes an older version the newest, after asking. */
export function RestoreVersionDialog({
  kind,
  id,
  version,
  close,
}: {
  kind: HistoryKind;
  id: string;
  version: number;
  close: () => void;
}) {
  const { t } = useTranslation('audit');
  const [restore, { isLoading }] = useRestoreMutation();
  const confirm = async () => {
    const { error } = await restore({ kind, id, version });
    if (error) {
      showToast({
        variant: 'destructive',
        title: t('restore.failed'),
        description: describeProblem(t, error),
      });
      return;
    }
    close();
    showToast({ title: t('restore.done', { version }) });
  };
  return (
    <ConfirmDialog
      open
      onOpenChange={close}
      variant="primary"
      title={t('restore.title', { version })}
      description={
        kind === 'tools'
          ? `${t('restore.description')} ${t('restore.credentials')}`
          : t('restore.description')
      }
      confirmLabel={t('restore.confirm')}
      onConfirm={confirm}
      pending={isLoading}
    />
  );
}
