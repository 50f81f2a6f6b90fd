import type { Member } from '@tallyhand/contracts/features/team/team.endpoints';
import { History, UserCheck, UserMinus, UserPen } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { useAnnounce } from '../../app/announce.ts';
import { MoreMenu } from '../../app/resource-list.tsx';
import { MenuItem } from '../../ui/dropdown-menu.tsx';
import { useCurrentUser } from '../identity/identity.api.ts';
import { useRestoreMemberMutation } from './team.api.ts';

/** What an Admin wants to see or change of a member. */
export type AskedMember = { what: 'history' | 'role' | 'remove'; member: Member };

export function MemberMenu({ member, ask }: { member: Member; ask: (asked: AskedMember) => void }) {
  const { t } = useTranslation('team');
  const { id } = useCurrentUser();
  const restore = useRestore(member);
  const isOther = member.id !== id;
  return (
    <MoreMenu name={member.username}>
      {member.status === 'active' && (
        <MenuItem icon={UserPen} disabled={!isOther} onSelect={() => ask({ what: 'role', member })}>
          {t('members.editRole')}
        </MenuItem>
      )}
      <MenuItem icon={History} onSelect={() => ask({ what: 'history', member })}>
        {t('history.action')}
      </MenuItem>
      {member.status === 'deactivated' && (
        <MenuItem icon={UserCheck} onSelect={restore}>
          {t('members.reactivate')}
        </MenuItem>
      )}
      {member.status === 'active' && isOther && (
        <MenuItem icon={UserMinus} danger onSelect={() => ask({ what: 'remove', member })}>
          {t('members.remove')}
        </MenuItem>
      )}
    </MoreMenu>
  );
}

function useRestore({ id, username: name }: Member) {
  const { t } = useTranslation('team');
  const announce = useAnnounce();
  const [restore, { isLoading }] = useRestoreMemberMutation();
  return async () => {
    if (isLoading) return;
    await announce(restore(id), {
      done: t('toasts.reactivated', { name }),
      failed: t('toasts.reactivateFailed'),
    });
  };
}
