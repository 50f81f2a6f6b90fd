import type { SessionDetail } from '@tallyhand/contracts/features/sessions/sessions.endpoints';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { LoadFailed } from '../../app/load-failed.tsx';
import { Banner } from '../../ui/banner.tsx';
import { Loading, Skeletons } from '../../ui/skeleton.tsx';
import type { useFollowedSession } from './use-followed-session.ts';

/** A session as soon as it is there; until then what is the matter. */
export function SessionState({
  of: { detail, error, refetch, isMissing },
  children,
}: {
  of: ReturnType<typeof useFollowedSession>;
  children: (detail: SessionDetail) => ReactNode;
}) {
  const { t } = useTranslation('sessions');
  if (detail) return children(detail);
  if (isMissing) return <Banner tone="warning">{t('detail.notFound')}</Banner>;
  if (error) return <LoadFailed error={error} onRetry={refetch} />;
  return (
    <Loading label={t('detail.loading')} className="flex flex-col gap-3">
      <Skeletons count={6} className="h-6" />
    </Loading>
  );
}
