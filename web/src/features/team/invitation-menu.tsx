import type {
  Invitation,
  IssuedInvitation,
} from '@tallyhand/contracts/features/team/team.endpoints';
import { MailX, Send } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { useAnnounce } from '../../app/announce.ts';
import { MoreMenu } from '../../app/resource-list.tsx';
import { MenuItem } from '../../ui/dropdown-menu.tsx';
import { useResendInvitationMutation } from './team.api.ts';

export type InvitationActs = {
  revoke: (invitation: Invitation) => void;
  /** It was sent again where no mail server is: its link is to be handed over. */
  onReady: (invitation: IssuedInvitation) => void;
};

export function InvitationMenu({
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
