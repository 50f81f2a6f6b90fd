import type { Member } from '@tallyhand/contracts/features/team/team.endpoints';
import { EllipsisVertical, History, Users } from 'lucide-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { LoadFailed } from '../../app/load-failed.tsx';
import { Avatar } from '../../ui/avatar.tsx';
import { Badge, StatusBadge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { CardSection } from '../../ui/card.tsx';
import { DropdownMenu, MenuItem } from '../../ui/dropdown-menu.tsx';
import { HeaderButton } from '../../ui/header-button.tsx';
import { Loading, Skeletons } from '../../ui/skeleton.tsx';
import { EmptyState } from '../../ui/states.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { DateText, RelativeTime } from '../../ui/time.tsx';
import { EventHistoryDialog } from '../audit/event-history-dialog.tsx';
import { useCurrentUser } from '../identity/identity.api.ts';
import { useListMembersQuery } from './team.api.ts';

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
  const { data: members, error, refetch } = useListMembersQuery();
  const columns = useColumns();
  const [historyOf, setHistoryOf] = useState<Member>();
  if (!members && error) return <LoadFailed error={error} onRetry={refetch} />;
  if (!members) {
    return (
      <Loading label={t('members.loading')} className="flex flex-col gap-3">
        <Skeletons count={3} className="h-10" />
      </Loading>
    );
  }
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
      <Table
        label={t('members.title')}
        columns={columns}
        rows={members}
        rowKey={({ id }) => id}
        actionsLabel={t('members.actions')}
        actions={(member) => <MemberMenu member={member} showHistory={setHistoryOf} />}
      />
      {historyOf && (
        <EventHistoryDialog
          title={t('history.ofMember', { name: historyOf.username })}
          description={t('history.memberDescription')}
          subject={{ kind: 'member', id: historyOf.id }}
          close={() => setHistoryOf(undefined)}
        />
      )}
    </>
  );
}

function MemberMenu({
  member,
  showHistory,
}: {
  member: Member;
  showHistory: (member: Member) => void;
}) {
  const { t } = useTranslation('team');
  const { t: common } = useTranslation('common');
  return (
    <DropdownMenu
      trigger={
        <HeaderButton aria-label={common('actions.more', { name: member.username })}>
          <EllipsisVertical aria-hidden />
        </HeaderButton>
      }
    >
      <MenuItem icon={History} onSelect={() => showHistory(member)}>
        {t('history.action')}
      </MenuItem>
    </DropdownMenu>
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
      cell: (member) => <Person member={member} />,
    },
    {
      key: 'role',
      header: t('members.role'),
      cell: ({ role }) => <Badge>{common(`roles.${role}`)}</Badge>,
    },
    {
      key: 'status',
      header: t('members.status'),
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
      cell: (member) => <LastActive member={member} />,
    },
    {
      key: 'joined',
      header: t('members.joined'),
      cell: ({ createdAt }) => <DateText at={createdAt} />,
    },
  ];
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

/** Whoever looks at this page is active now. */
function LastActive({ member }: { member: Member }) {
  const { t } = useTranslation('team');
  const { id } = useCurrentUser();
  if (member.id === id) return t('members.now');
  if (!member.lastActive) return t('members.never');
  return (
    <span className="inline-block first-letter:uppercase">
      <RelativeTime at={member.lastActive} />
    </span>
  );
}
