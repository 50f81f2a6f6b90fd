import type { Invitation, OutgoingMail } from '@tallyhand/contracts/features/team/team.endpoints';
import { useTranslation } from 'react-i18next';
import { type Status, StatusBadge } from '../../ui/badge.tsx';

const badgeStatus: Record<OutgoingMail['state'], Status> = {
  waiting: 'running',
  sending: 'running',
  sent: 'success',
  failed: 'failed',
  uncertain: 'paused',
  kept: 'paused',
};

/** How far a mail has come. */
export function MailState({ state }: { state: OutgoingMail['state'] }) {
  const { t } = useTranslation('team');
  return <StatusBadge status={badgeStatus[state]} label={t(`mail.${state}`)} />;
}

/** The address of an invitation, why it was not delivered, and how often it was sent again. */
export function Invited({ invitation }: { invitation: Invitation }) {
  const { t } = useTranslation('team');
  const { email, mail, resent } = invitation;
  const again = resent > 0 && t('invitations.resent', { count: resent });
  const reason = mail?.state !== 'sent' && mail?.error;
  return (
    <>
      <span className="block truncate" title={email}>
        {email}
      </span>
      {(reason || again) && (
        <span className="block text-xs font-normal break-words whitespace-normal text-muted">
          {[reason, again].filter(Boolean).join(' · ')}
        </span>
      )}
    </>
  );
}

/** How an invitation goes to its address. */
export function InvitationDelivery({ invitation: { mail } }: { invitation: Invitation }) {
  const { t } = useTranslation('team');
  return mail ? <MailState state={mail.state} /> : t('invitations.byLink');
}
