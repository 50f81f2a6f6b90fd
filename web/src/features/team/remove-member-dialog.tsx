import type { Member } from '@tallyhand/contracts/features/team/team.endpoints';
import { useTranslation } from 'react-i18next';
import { DeleteDialog } from '../../app/confirm-action.tsx';
import { useRemoveMemberMutation, useRestoreMemberMutation } from './team.api.ts';

export function RemoveMemberDialog({ member, close }: { member: Member; close: () => void }) {
  const { t } = useTranslation('team');
  const { id, username: name } = member;
  const [remove] = useRemoveMemberMutation();
  const [restore] = useRestoreMemberMutation();
  return (
    <DeleteDialog
      title={t('members.removeTitle', { name })}
      description={t('members.removeDescription')}
      confirmLabel={t('members.remove')}
      remove={() => remove(id)}
      deleted={{ done: t('toasts.removed', { name }), failed: t('toasts.removeFailed') }}
      undo={{
        restore: () => restore(id),
        done: t('toasts.reactivated', { name }),
        failed: t('toasts.reactivateFailed'),
      }}
      close={close}
    />
  );
}
