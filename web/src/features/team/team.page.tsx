import { listInvitations } from '@tallyhand/contracts/features/team/team.endpoints';
import { mayCall } from '@tallyhand/contracts/kernel/access';
import { ROLES } from '@tallyhand/contracts/kernel/role';
import { History, UserPlus } from 'lucide-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useTitle } from '../../app/use-title.ts';
import { Button } from '../../ui/button.tsx';
import { CardSection } from '../../ui/card.tsx';
import { Page, PageHeader } from '../../ui/page-header.tsx';
import { RestrictedState } from '../../ui/states.tsx';
import { EventHistoryDialog } from '../audit/event-history-dialog.tsx';
import { useCurrentUser } from '../identity/identity.api.ts';
import { InvitationLinkCard } from './invitation-link-card.tsx';
import { InvitationsCard } from './invitations-card.tsx';
import { InviteDialog } from './invite-dialog.tsx';
import { MembersCard } from './members-card.tsx';
import { TeamStats } from './team-stats.tsx';
import { useCopyInvitationLink } from './use-copy-invitation-link.ts';

export function TeamPage() {
  const { t } = useTranslation('team');
  const { role } = useCurrentUser();
  useTitle(t('title'));
  if (!mayCall(role, listInvitations)) {
    return (
      <RestrictedState title={t('restricted.title')} description={t('restricted.description')} />
    );
  }
  return <Team />;
}

function Team() {
  const { t } = useTranslation('team');
  const [inviting, setInviting] = useState(false);
  const [showingHistory, setShowingHistory] = useState(false);
  const { copy, pending } = useCopyInvitationLink();
  const invite = () => setInviting(true);
  return (
    <Page>
      <PageHeader
        title={t('title')}
        description={t('description')}
        action={
          <>
            <Button onClick={() => setShowingHistory(true)}>
              <History aria-hidden />
              {t('history.ofOrganization')}
            </Button>
            <Button pending={pending} onClick={copy}>
              {t('copyLink')}
            </Button>
            <Button variant="primary" onClick={invite}>
              <UserPlus aria-hidden />
              {t('invite')}
            </Button>
          </>
        }
      />
      <TeamStats />
      <MembersCard invite={invite} />
      <InvitationsCard />
      <div className="grid items-start gap-6 md:grid-cols-2">
        <InvitationLinkCard />
        <RolePermissions />
      </div>
      {showingHistory && (
        <EventHistoryDialog
          title={t('history.ofOrganization')}
          description={t('history.organizationDescription')}
          subject={{ kind: 'organization' }}
          close={() => setShowingHistory(false)}
        />
      )}
      {inviting && <InviteDialog close={() => setInviting(false)} />}
    </Page>
  );
}

function RolePermissions() {
  const { t } = useTranslation('team');
  const { t: common } = useTranslation('common');
  return (
    <CardSection title={t('roles.title')}>
      <dl className="flex flex-col gap-3">
        {ROLES.map((role) => (
          <div key={role}>
            <dt className="font-medium">{common(`roles.${role}`)}</dt>
            <dd className="text-muted">{t(`roles.${role}`)}</dd>
          </div>
        ))}
      </dl>
    </CardSection>
  );
}
