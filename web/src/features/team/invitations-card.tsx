import type {
  Invitation,
  IssuedInvitation,
} from '@tallyhand/contracts/features/team/team.endpoints';
import { MailX, Send } from 'lucide-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useAnnounce } from '../../app/announce.ts';
import { DeleteDialog } from '../../app/confirm-action.tsx';
import { MoreMenu, ResourceTable } from '../../app/resource-list.tsx';
import { type Status, StatusBadge } from '../../ui/badge.tsx';
import { ButtonLink } from '../../ui/button.tsx';
import { CardSection } from '../../ui/card.tsx';
import { MenuItem } from '../../ui/dropdown-menu.tsx';
import type { Column } from '../../ui/table.tsx';
import { RelativeTime } from '../../ui/time.tsx';
import { InvitationDelivery, Invited } from './invitation-delivery.tsx';
import { ReadyDialog } from './invite-dialog.tsx';
import {
  useListInvitationsQuery,
  useResendInvitationMutation,
  useRevokeInvitationMutation,
} from './team.api.ts';

const badgeStatus: Record<Invitation['status'], Status> = {
  pending: 'waiting',
  accepted: 'success',
  revoked: 'failed',
  expired: 'paused',
};

export function InvitationsCard() {
  const { t } = useTranslation('team');
  const [revoking, setRevoking] = useState<Invitation>();
  const [ready, setReady] = useState<IssuedInvitation>();
  return (
    <CardSection
      title={t('invitations.title')}
      actions={
        <ButtonLink size="sm" to="/team/outbox">
          {t('outbox.open')}
        </ButtonLink>
      }
    >
      <Invitations revoke={setRevoking} onReady={setReady} />
      {revoking && <RevokeDialog invitation={revoking} close={() => setRevoking(undefined)} />}
      {ready && <ReadyDialog invitation={ready} close={() => setReady(undefined)} />}
    </CardSection>
  );
}

function Invitations(acts: InvitationActs) {
  const { t } = useTranslation('team');
  const { invitations: data, error, refetch } = useInvitations();
  return (
    <ResourceTable
      query={{ data, error, refetch }}
      loading={{ label: t('invitations.loading'), count: 2, skeleton: 'my-2 h-8' }}
      empty={<p className="text-muted">{t('invitations.empty')}</p>}
      sortName="invitations-sort"
      label={t('invitations.title')}
      columns={useColumns()}
      rowKey={({ id }) => id}
      actionsLabel={t('invitations.actions')}
      actions={(invitation) => <InvitationMenu invitation={invitation} {...acts} />}
    />
  );
}

/** When it can no longer be used, where nothing else has ended it. */
const endOf = ({ status, expiresAt }: Invitation) =>
  status === 'pending' || status === 'expired' ? expiresAt : null;

function useColumns(): Column<Invitation>[] {
  const { t } = useTranslation('team');
  const { t: common } = useTranslation('common');
  return [
    {
      key: 'email',
      header: t('invitations.email'),
      className: 'w-full max-w-0',
      sortBy: { text: ({ email }) => email },
      cell: (invitation) => <Invited invitation={invitation} />,
    },
    {
      key: 'role',
      header: t('invitations.role'),
      sortBy: { text: ({ role }) => common(`roles.${role}`) },
      cell: ({ role }) => common(`roles.${role}`),
    },
    {
      key: 'status',
      header: t('invitations.status'),
      sortBy: { text: ({ status }) => t(`invitations.statuses.${status}`) },
      cell: ({ status }) => (
        <StatusBadge status={badgeStatus[status]} label={t(`invitations.statuses.${status}`)} />
      ),
    },
    {
      key: 'delivery',
      header: t('invitations.delivery'),
      sortBy: {
        text: ({ mail }) => (mail ? t(`mail.${mail.state}`) : t('invitations.byLink')),
      },
      cell: (invitation) => <InvitationDelivery invitation={invitation} />,
    },
    {
      key: 'expires',
      header: t('invitations.expires'),
      sortBy: { time: endOf },
      cell: (invitation) => {
        const end = endOf(invitation);
        return end ? <RelativeTime at={end} /> : '–';
      },
    },
  ];
}

function RevokeDialog({ invitation, close }: { invitation: Invitation; close: () => void }) {
  const { t } = useTranslation('team');
  const [revoke] = useRevokeInvitationMutation();
  return (
    <DeleteDialog
      title={t('invitations.revokeTitle')}
      description={t('invitations.revokeDescription', { email: invitation.email })}
      confirmLabel={t('invitations.revokeConfirm')}
      remove={() => revoke(invitation.id)}
      deleted={{ done: t('toasts.revoked'), failed: t('toasts.revokeFailed') }}
      close={close}
    />
  );
}

type InvitationActs = {
  revoke: (invitation: Invitation) => void;
  /** It was sent again where no mail server is: its link is to be handed over. */
  onReady: (invitation: IssuedInvitation) => void;
};

function InvitationMenu({
  invitation,
  revoke,
  onReady,
}: InvitationActs & { invitation: Invitation }) {
  const { t } = useTranslation('team');
  const resend = useResend(invitation, onReady);
  const { status, email } = invitation;
  if (status !== 'pending' && status !== 'expired') return null;
  return (
    <MoreMenu name={email}>
      <MenuItem icon={Send} onSelect={resend}>
        {t('invitations.resend')}
      </MenuItem>
      <MenuItem icon={MailX} danger onSelect={() => revoke(invitation)}>
        {t('invitations.revoke')}
      </MenuItem>
    </MoreMenu>
  );
}

function useResend({ id }: Invitation, onReady: InvitationActs['onReady']) {
  const { t } = useTranslation('team');
  const announce = useAnnounce();
  const [resend, { isLoading }] = useResendInvitationMutation();
  return async () => {
    if (isLoading) return;
    const { data } = await announce(resend(id), {
      done: ({ delivery }) =>
        delivery === 'link'
          ? undefined
          : { title: t('toasts.sent'), description: t('toasts.sentDescription') },
      failed: t('toasts.inviteFailed'),
    });
    if (data?.delivery === 'link') onReady(data);
  };
}

const LOOK_AGAIN_MS = 2_000;

/** The invitations, polled while a mail is on its way: no event announces its delivery. */
export function useInvitations() {
  const [isUnderWay, setUnderWay] = useState(false);
  const { data, error, refetch } = useListInvitationsQuery(undefined, {
    pollingInterval: isUnderWay ? LOOK_AGAIN_MS : 0,
    skipPollingIfUnfocused: true,
  });
  const isNow = data?.some(({ mail }) => mail?.state === 'waiting' || mail?.state === 'sending');
  if (data && isNow !== isUnderWay) setUnderWay(isNow === true);
  return { invitations: data, error, refetch };
}
