import type { CurrentUser } from '@tallyhand/contracts/features/identity/identity.endpoints';
import { useTranslation } from 'react-i18next';
import { Navigate, useNavigate } from 'react-router-dom';
import { PageSpinner } from '../../app/page-spinner.tsx';
import { Button } from '../../ui/button.tsx';
import { useGetInvitationByTokenQuery } from '../team/team.api.ts';
import { useSignOut } from './use-sign-out.ts';

/** For a signed-in person who opens an invitation: an account belongs to one organization. */
export function SignedInPanel({ invite, user }: { invite: string; user: CurrentUser }) {
  const { t } = useTranslation('identity');
  const navigate = useNavigate();
  const { data: invitation, isLoading } = useGetInvitationByTokenQuery(invite);
  const { signOut, pending } = useSignOut(`/auth?invite=${encodeURIComponent(invite)}`);
  if (isLoading) return <PageSpinner />;
  if (!invitation) return <Navigate to="/dashboard" replace />;
  return (
    <div className="flex flex-col gap-4">
      <p>
        {t('invitation.signedIn', {
          email: user.email,
          organization: user.organization.name,
          invited: invitation.organizationName,
        })}
      </p>
      <p className="text-muted">{t('invitation.options')}</p>
      <div className="flex flex-wrap gap-2">
        <Button variant="primary" onClick={() => navigate('/dashboard')}>
          {t('invitation.toDashboard')}
        </Button>
        <Button pending={pending} pendingLabel={t('pending')} onClick={signOut}>
          {t('invitation.signOut')}
        </Button>
      </div>
    </div>
  );
}
