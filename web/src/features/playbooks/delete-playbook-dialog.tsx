import type { Playbook } from '@tallyhand/contracts/features/playbooks/playbooks.endpoints';
import { useTranslation } from 'react-i18next';
import { DeleteDialog } from '../../app/confirm-action.tsx';
import { useDeletePlaybookMutation, useRestorePlaybookMutation } from './playbooks.api.ts';

export function DeletePlaybookDialog({
  playbook,
  close,
}: {
  playbook: Playbook;
  close: () => void;
}) {
  const { t } = useTranslation('playbooks');
  const [remove] = useDeletePlaybookMutation();
  const [restore] = useRestorePlaybookMutation();
  return (
    <DeleteDialog
      title={t('delete.title', { title: playbook.title })}
      description={t('delete.description')}
      confirmLabel={t('delete.confirm')}
      remove={() => remove(playbook.id)}
      deleted={{ done: t('toasts.deleted'), failed: t('toasts.deleteFailed') }}
      undo={{
        restore: () => restore(playbook.id),
        done: t('toasts.restored'),
        failed: t('toasts.restoreFailed'),
      }}
      close={close}
    />
  );
}
