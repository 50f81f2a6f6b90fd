import type { Playbook } from '@tallyhand/contracts/features/playbooks/playbooks.endpoints';
import { useTranslation } from 'react-i18next';
import { DeleteDialog } from '../../app/delete-dialog.tsx';
import { useDeletePlaybookMutation, useRestorePlaybookMutation } from './playbooks.api.ts';

export function DeletePlaybookDialog({
  playbook,
  close,
}: {
  playbook: Playbook;
  close: () => void;
}) {
  const { t } = useTranslation('playbooks');
  const [remove, { isLoading }] = useDeletePlaybookMutation();
  const [restore] = useRestorePlaybookMutation();
  return (
    <DeleteDialog
      title={t('delete.title', { title: playbook.title })}
      description={t('delete.description')}
      confirmLabel={t('delete.confirm')}
      told={{
        deleted: t('toasts.deleted'),
        restored: t('toasts.restored'),
        deleteFailed: t('toasts.deleteFailed'),
        restoreFailed: t('toasts.restoreFailed'),
      }}
      remove={() => remove(playbook.id)}
      restore={() => restore(playbook.id)}
      pending={isLoading}
      close={close}
    />
  );
}
