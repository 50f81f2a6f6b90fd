import { type Member, MemberChange } from '@tallyhand/contracts/features/team/team.endpoints';
import { History, UserCheck, UserMinus, UserPen, Users } from 'lucide-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useAnnounce } from '../../app/announce.ts';
import { DeleteDialog } from '../../app/confirm-action.tsx';
import { useContractForm, useFieldMessage, useSubmit } from '../../app/form.ts';
import { NotLoaded } from '../../app/loaded.tsx';
import { MoreMenu } from '../../app/resource-list.tsx';
import { useSort } from '../../app/use-sort.ts';
import { Avatar } from '../../ui/avatar.tsx';
import { Badge, StatusBadge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { CardSection } from '../../ui/card.tsx';
import { FormDialog } from '../../ui/dialog.tsx';
import { MenuItem } from '../../ui/dropdown-menu.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { LongTable } from '../../ui/long-table.tsx';
import type { Column } from '../../ui/table.tsx';
import { DateText, RelativeTime } from '../../ui/time.tsx';
import { EventHistoryDialog } from '../audit/event-history.tsx';
import { useCurrentUser } from '../identity/identity.api.ts';
import { inDays, useDayText } from './last-day.ts';
import { orUndefined, RoleFields, roleSent, usualLastDay } from './role-fields.tsx';
import {
  useChangeMemberMutation,
  useListMembersQuery,
  useRemoveMemberMutation,
  useRestoreMemberMutation,
} from './team.api.ts';

const LOOK_AGAIN_MS = 60_000;
const NOW_MS = 5 * 60_000;

export function MembersCard({ invite }: { invite: () => void }) {
  const { t } = useTranslation('team');
  return (
    <CardSection title={t('members.title')}>
      <Members invite={invite} />
    </CardSection>
  );
}

function Members({ invite }: { invite: () => void }) {
  const { t } = useTranslation('team');
  // Who is here now changes without an event.
  const options = { pollingInterval: LOOK_AGAIN_MS, skipPollingIfUnfocused: true };
  const { data: members, error, refetch } = useListMembersQuery(undefined, options);
  const columns = useColumns();
  const sort = useSort('members-sort', columns);
  const [asked, setAsked] = useState<AskedMember>();
  const close = () => setAsked(undefined);
  if (!members)
    return (
      <NotLoaded
        query={{ error, refetch }}
        label={t('members.loading')}
        count={3}
        skeleton="h-10"
      />
    );
  if (members.length === 0) {
    return (
      <EmptyState
        icon={Users}
        title={t('members.empty')}
        description={t('members.emptyDescription')}
        action={<Button onClick={invite}>{t('members.emptyAction')}</Button>}
      />
    );
  }
  return (
    <>
      <LongTable
        label={t('members.title')}
        columns={columns}
        rows={members}
        sort={sort}
        rowKey={({ id }) => id}
        actionsLabel={t('members.actions')}
        actions={(member) => <MemberMenu member={member} ask={setAsked} />}
      />
      {asked?.what === 'history' && (
        <EventHistoryDialog
          title={t('history.ofMember', { name: asked.member.username })}
          description={t('history.memberDescription')}
          subject={{ kind: 'member', id: asked.member.id }}
          close={close}
        />
      )}
      {asked?.what === 'role' && <EditRoleDialog member={asked.member} close={close} />}
      {asked?.what === 'remove' && <RemoveMemberDialog member={asked.member} close={close} />}
    </>
  );
}

function useColumns(): Column<Member>[] {
  const { t } = useTranslation('team');
  const { t: common } = useTranslation('common');
  return [
    {
      key: 'member',
      header: t('members.member'),
      className: 'w-full max-w-0',
      sortBy: { text: ({ username }) => username },
      cell: (member) => <Person member={member} />,
    },
    {
      key: 'role',
      header: t('members.role'),
      sortBy: { text: ({ role }) => common(`roles.${role}`) },
      cell: (member) => <RoleText {...member} />,
    },
    {
      key: 'status',
      header: t('members.status'),
      sortBy: { text: ({ status }) => t(`members.${status}`) },
      cell: ({ status }) => (
        <StatusBadge
          status={status === 'active' ? 'success' : 'paused'}
          label={t(`members.${status}`)}
        />
      ),
    },
    {
      key: 'lastActive',
      header: t('members.lastActive'),
      sortBy: { time: ({ lastActive }) => lastActive },
      cell: (member) => <LastActive member={member} />,
    },
    {
      key: 'joined',
      header: t('members.joined'),
      sortBy: { time: ({ createdAt }) => createdAt },
      cell: ({ createdAt }) => <DateText at={createdAt} />,
    },
  ];
}

function RoleText({ role, lastDay }: Pick<Member, 'role' | 'lastDay'>) {
  const { t } = useTranslation('team');
  const { t: common } = useTranslation('common');
  const dayText = useDayText();
  return (
    <div className="flex flex-col items-start gap-1">
      <Badge>{common(`roles.${role}`)}</Badge>
      {lastDay && (
        <span className="text-xs whitespace-nowrap text-muted">
          {t(lastDay < inDays(0) ? 'lastDay.ended' : 'lastDay.until', { day: dayText(lastDay) })}
        </span>
      )}
    </div>
  );
}

function Person({ member }: { member: Member }) {
  const { t } = useTranslation('team');
  const { id } = useCurrentUser();
  return (
    <div className="flex items-center gap-3">
      <Avatar name={member.username} />
      <div className="min-w-0">
        <p className="truncate font-medium" title={member.username}>
          {member.username}
          {member.id === id && (
            <span className="font-normal text-muted"> ({t('members.you')})</span>
          )}
        </p>
        <p className="truncate text-xs font-normal text-muted" title={member.email}>
          {member.email}
        </p>
      </div>
    </div>
  );
}

/** The viewer of this page is active now, and so are members seen a moment ago. */
function LastActive({ member }: { member: Member }) {
  const { t } = useTranslation('team');
  const { id } = useCurrentUser();
  if (!member.lastActive) return t('members.never');
  const isRecent = Date.now() - Date.parse(member.lastActive) < NOW_MS;
  if (member.id === id || (isRecent && member.status === 'active')) return t('members.now');
  return (
    <span className="inline-block first-letter:uppercase">
      <RelativeTime at={member.lastActive} />
    </span>
  );
}

/** What an Admin wants to see or change of a member. */
type AskedMember = { what: 'history' | 'role' | 'remove'; member: Member };

function MemberMenu({ member, ask }: { member: Member; ask: (asked: AskedMember) => void }) {
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

function EditRoleDialog({ member, close }: { member: Member; close: () => void }) {
  const { t } = useTranslation('team');
  const { id, username: name, role } = member;
  const message = useFieldMessage();
  const lastDay = member.lastDay ?? usualLastDay();
  const form = useContractForm(MemberChange, { role, lastDay });
  const [change] = useChangeMemberMutation();
  const submitting = useSubmit(form, {
    send: (input) => {
      const isSame = input.role === role && (role !== 'Auditor' || input.lastDay === lastDay);
      return isSame ? undefined : change({ id, ...roleSent(input) });
    },
    done: t('toasts.roleChanged', { name }),
    failed: t('toasts.roleFailed'),
    close,
  });
  const { errors } = form.formState;
  return (
    <FormDialog
      title={t('members.roleTitle', { name })}
      description={t('members.roleDescription')}
      {...submitting}
      submitLabel={t('members.saveRole')}
      pendingLabel={t('members.savingRole')}
      close={close}
    >
      <RoleFields
        role={form.watch('role')}
        roleProps={form.register('role')}
        lastDayProps={form.register('lastDay', { setValueAs: orUndefined })}
        errors={{ role: message(errors.role), lastDay: message(errors.lastDay) }}
      />
    </FormDialog>
  );
}

function RemoveMemberDialog({ member, close }: { member: Member; close: () => void }) {
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
