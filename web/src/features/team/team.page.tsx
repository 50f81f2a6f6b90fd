import { listInvitations } from '@tallyhand/contracts/features/team/team.endpoints';
import { ROLES } from '@tallyhand/contracts/kernel/role';
import { History, Link2, MailOpen, ShieldCheck, UserCheck, UserPlus, Users } from 'lucide-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useAnnounce } from '../../app/announce.ts';
import { ConfirmAction } from '../../app/confirm-action.tsx';
import { copyText } from '../../app/copy-text.ts';
import { LoadFailed } from '../../app/loaded.tsx';
import { Page, RestrictedPage } from '../../app/page.tsx';
import { PageActions } from '../../app/page-actions.tsx';
import { useSearchParam } from '../../app/use-address.ts';
import { Button } from '../../ui/button.tsx';
import { CardSection, Figures } from '../../ui/card.tsx';
import { Input } from '../../ui/field.tsx';
import { RelativeTime } from '../../ui/time.tsx';
import { EventHistoryDialog } from '../audit/event-history.tsx';
import { InvitationsCard, useInvitations } from './invitations-card.tsx';
import { InviteDialog } from './invite-dialog.tsx';
import { MembersCard } from './members-card.tsx';
import { RetentionCard } from './retention-card.tsx';
import {
  useGetInvitationLinkQuery,
  useListMembersQuery,
  useRenewInvitationLinkMutation,
  useRevokeInvitationLinkMutation,
} from './team.api.ts';

export function TeamPage() {
  const { t } = useTranslation('team');
  const instead = { title: t('restricted.title'), description: t('restricted.description') };
  return (
    <RestrictedPage needs={listInvitations} title={t('title')} instead={instead}>
      <Team />
    </RestrictedPage>
  );
}

function Team() {
  const { t } = useTranslation('team');
  const [inviting, setInviting] = useSearchParam('new');
  const [showingHistory, setShowingHistory] = useState(false);
  const { copy, pending } = useCopyInvitationLink();
  const invite = () => setInviting('invitation');
  return (
    <Page
      title={t('title')}
      description={t('description')}
      action={
        <PageActions
          actions={[
            {
              label: t('history.ofOrganization'),
              icon: History,
              onSelect: () => setShowingHistory(true),
            },
            { label: t('copyLink'), icon: Link2, pending, onSelect: copy },
          ]}
        />
      }
      primary={
        <Button icon={UserPlus} variant="primary" onClick={invite}>
          {t('invite')}
        </Button>
      }
    >
      <TeamFigures />
      <MembersCard invite={invite} />
      <InvitationsCard />
      <div className="grid items-start gap-6 md:grid-cols-2">
        <div className="flex flex-col gap-6">
          <InvitationLinkCard />
          <RetentionCard />
        </div>
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
      {inviting !== '' && <InviteDialog close={() => setInviting('')} />}
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

/** The reusable link: what it gives, how often it was used, and the ways to end it. */
function InvitationLinkCard() {
  const { t } = useTranslation('team');
  const { t: common } = useTranslation('common');
  const { data: link, error, refetch } = useGetInvitationLinkQuery();
  const [renew, renewing] = useRenewInvitationLinkMutation();
  const [revoke] = useRevokeInvitationLinkMutation();
  const announce = useAnnounce();
  const [asking, setAsking] = useState(false);
  return (
    <CardSection title={t('link.title')}>
      {link === undefined && error && <LoadFailed error={error} onRetry={refetch} />}
      {link === null && <p className="text-muted">{t('link.none')}</p>}
      {link && (
        <div className="flex flex-col gap-3">
          <p className="text-muted">
            {t('link.description', { role: common(`roles.${link.role}`) })}
          </p>
          <Input readOnly aria-label={t('link.title')} value={link.url} />
          <p className="text-xs text-muted">
            {t('link.uses', { count: link.uses })} · {t('link.expires')}{' '}
            <RelativeTime at={link.expiresAt} />
          </p>
          <div className="flex flex-wrap gap-2">
            <Button
              size="sm"
              pending={renewing.isLoading}
              onClick={() => announce(renew(), { failed: t('toasts.linkFailed') })}
            >
              {t('link.renew')}
            </Button>
            <Button size="sm" variant="ghost" onClick={() => setAsking(true)}>
              {t('link.revoke')}
            </Button>
          </div>
        </div>
      )}
      {asking && (
        <ConfirmAction
          title={t('link.revokeTitle')}
          description={t('link.revokeDescription')}
          confirmLabel={t('link.revokeConfirm')}
          run={revoke}
          announcement={{ done: t('toasts.linkRevoked'), failed: t('toasts.revokeFailed') }}
          close={() => setAsking(false)}
        />
      )}
    </CardSection>
  );
}

function TeamFigures() {
  const { t } = useTranslation('team');
  const { data: members } = useListMembersQuery();
  const { invitations } = useInvitations();
  const active = members?.filter(({ status }) => status === 'active');
  const admins = active?.filter(({ role }) => role === 'Admin');
  const pending = invitations?.filter(({ status }) => status === 'pending');
  return (
    <Figures
      figures={[
        { label: t('stats.total'), icon: <Users aria-hidden />, value: members?.length },
        { label: t('stats.admins'), icon: <ShieldCheck aria-hidden />, value: admins?.length },
        { label: t('stats.active'), icon: <UserCheck aria-hidden />, value: active?.length },
        { label: t('stats.pending'), icon: <MailOpen aria-hidden />, value: pending?.length },
      ]}
    />
  );
}

/** Copies the reusable link, and makes one first where there is none or it has expired. */
function useCopyInvitationLink() {
  const { t } = useTranslation('team');
  const { data: link, refetch } = useGetInvitationLinkQuery();
  const announce = useAnnounce();
  const [renew, { isLoading: pending }] = useRenewInvitationLinkMutation();

  const getUsable = async () => {
    const known = link === undefined ? (await refetch()).data : link;
    if (known && Date.parse(known.expiresAt) > Date.now()) return { data: known };
    return renew();
  };
  const copy = async () => {
    if (pending) return;
    const { data: usable } = await announce(getUsable(), { failed: t('toasts.linkFailed') });
    if (!usable) return;
    const { url } = usable;
    // Without permission the user copies the link by hand, from the card.
    const failed = { title: t('toasts.copyFailed'), description: url };
    await copyText(url, { done: t('toasts.linkCopied'), failed });
  };
  return { copy, pending };
}
