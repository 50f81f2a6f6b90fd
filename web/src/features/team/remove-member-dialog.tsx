import type { Member } from '@tallyhand/contracts/features/team/team.endpoints';
import { useTranslation } from 'react-i18next';
import { DeleteDialog } from '../../app/delete-dialog.tsx';
import { useRemoveMemberMutation, useRestoreMemberMutation } from './team.api.ts';

export function RemoveMemberDialog({ member, close }: { member: Member; close: () => void }) {
  const { t } = useTranslation('team');
  const { id, username: name } = member;
  const [remove, { isLoading }] = useRemoveMemberMutation();
  const [restore] = useRestoreMemberMutation();
  return (
    <DeleteDialog
      title={t('members.removeTitle', { name })}
      description={t('members.removeDescription')}
      confirmLabel={t('members.remove')}
      told={{
        deleted: t('toasts.removed', { name }),
        restored: t('toasts.reactivated', { name }),
        deleteFailed: t('toasts.removeFailed'),
        restoreFailed: t('toasts.reactivateFailed'),
      }}
      remove={() => remove(id)}
      restore={() => restore(id)}
      pending={isLoading}
      close={close}
    />
  );
}
