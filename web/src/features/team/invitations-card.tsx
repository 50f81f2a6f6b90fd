import type { Invitation } from '@tallyhand/contracts/features/team/team.endpoints';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { LoadFailed } from '../../app/load-failed.tsx';
import { describeProblem } from '../../app/problem.ts';
import { type Status, StatusBadge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { CardSection } from '../../ui/card.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { Loading, Skeletons } from '../../ui/skeleton.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { RelativeTime } from '../../ui/time.tsx';
import { showToast } from '../../ui/toast.ts';
import { useListInvitationsQuery, useRevokeInvitationMutation } from './team.api.ts';

const looks: Record<Invitation['status'], Status> = {
  pending: 'waiting',
  accepted: 'success',
  revoked: 'failed',
  expired: 'paused',
};

export function InvitationsCard() {
  const { t } = useTranslation('team');
  const [revoking, setRevoking] = useState<Invitation>();
  return (
    <CardSection title={t('invitations.title')}>
      <Invitations revoke={setRevoking} />
      {revoking && <RevokeDialog invitation={revoking} close={() => setRevoking(undefined)} />}
    </CardSection>
  );
}

function Invitations({ revoke }: { revoke: (invitation: Invitation) => void }) {
  const { t } = useTranslation('team');
  const { data: invitations, error, refetch } = useListInvitationsQuery();
  const columns = useColumns();
  if (!invitations && error) return <LoadFailed error={error} onRetry={refetch} />;
  if (!invitations) {
    return (
      <Loading label={t('invitations.loading')}>
        <Skeletons count={2} className="my-2 h-8" />
      </Loading>
    );
  }
  if (invitations.length === 0) return <p className="text-muted">{t('invitations.empty')}</p>;
  return (
    <Table
      label={t('invitations.title')}
      columns={columns}
      rows={invitations}
      rowKey={({ id }) => id}
      actionsLabel={t('invitations.actions')}
      actions={(invitation) =>
        invitation.status === 'pending' && (
          <Button
            size="sm"
            variant="ghost"
            aria-label={t('invitations.revokeFor', { email: invitation.email })}
            onClick={() => revoke(invitation)}
          >
            {t('invitations.revoke')}
          </Button>
        )
      }
    />
  );
}

function useColumns(): Column<Invitation>[] {
  const { t } = useTranslation('team');
  const { t: common } = useTranslation('common');
  return [
    {
      key: 'email',
      header: t('invitations.email'),
      className: 'w-full max-w-0',
      cell: ({ email }) => (
        <span className="block truncate" title={email}>
          {email}
        </span>
      ),
    },
    {
      key: 'role',
      header: t('invitations.role'),
      cell: ({ role }) => common(`roles.${role}`),
    },
    {
      key: 'status',
      header: t('invitations.status'),
      cell: ({ status }) => (
        <StatusBadge status={looks[status]} label={t(`invitations.statuses.${status}`)} />
      ),
    },
    {
      key: 'expires',
      header: t('invitations.expires'),
      cell: ({ status, expiresAt }) =>
        status === 'pending' || status === 'expired' ? <RelativeTime at={expiresAt} /> : '–',
    },
  ];
}

function RevokeDialog({ invitation, close }: { invitation: Invitation; close: () => void }) {
  const { t } = useTranslation('team');
  const [revoke, { isLoading }] = useRevokeInvitationMutation();
  const confirm = async () => {
    const { error } = await revoke(invitation.id);
    if (!error) {
      close();
      showToast({ title: t('toasts.revoked') });
      return;
    }
    showToast({
      variant: 'destructive',
      title: t('toasts.revokeFailed'),
      description: describeProblem(t, error),
    });
  };
  return (
    <ConfirmDialog
      open
      onOpenChange={close}
      title={t('invitations.revokeTitle')}
      description={t('invitations.revokeDescription', { email: invitation.email })}
      confirmLabel={t('invitations.revokeConfirm')}
      onConfirm={confirm}
      pending={isLoading}
    />
  );
}
