import { MailOpen, ShieldCheck, UserCheck, Users } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { StatCard } from '../../ui/card.tsx';
import { numberFormat } from '../../ui/formats.ts';
import { Skeleton } from '../../ui/skeleton.tsx';
import { useListMembersQuery } from './team.api.ts';
import { useInvitations } from './use-invitations.ts';

export function TeamStats() {
  const { t, i18n } = useTranslation('team');
  const { data: members } = useListMembersQuery();
  const { invitations } = useInvitations();
  const active = members?.filter(({ status }) => status === 'active');
  const format = (value: number | undefined) =>
    value === undefined ? (
      <Skeleton className="my-1.5 w-12" />
    ) : (
      numberFormat(i18n.language).format(value)
    );
  return (
    <div className="grid grid-cols-2 gap-4 md:grid-cols-4">
      <StatCard
        label={t('stats.total')}
        icon={<Users aria-hidden />}
        value={format(members?.length)}
      />
      <StatCard
        label={t('stats.admins')}
        icon={<ShieldCheck aria-hidden />}
        value={format(active?.filter(({ role }) => role === 'Admin').length)}
      />
      <StatCard
        label={t('stats.active')}
        icon={<UserCheck aria-hidden />}
        value={format(active?.length)}
      />
      <StatCard
        label={t('stats.pending')}
        icon={<MailOpen aria-hidden />}
        value={format(invitations?.filter(({ status }) => status === 'pending').length)}
      />
    </div>
  );
}
