import type { Invitation, OutgoingMail } from '@tallyhand/contracts/features/team/team.endpoints';
import { useTranslation } from 'react-i18next';
import { type Status, StatusBadge } from '../../ui/badge.tsx';

const looks: Record<OutgoingMail['state'], Status> = {
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
  return <StatusBadge status={looks[state]} label={t(`mail.${state}`)} />;
}

/** How an invitation reaches its address, why it did not, and how often it was sent again. */
export function InvitationDelivery({ invitation }: { invitation: Invitation }) {
  const { t } = useTranslation('team');
  const { mail, resent } = invitation;
  return (
    <div className="flex flex-col items-start gap-1">
      {mail ? <MailState state={mail.state} /> : t('invitations.byLink')}
      {mail?.error && mail.state !== 'sent' && (
        <span className="max-w-64 text-xs break-words text-muted">{mail.error}</span>
      )}
      {resent > 0 && (
        <span className="text-xs text-muted">{t('invitations.resent', { count: resent })}</span>
      )}
    </div>
  );
}
