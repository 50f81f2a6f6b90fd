import type { Health } from '@tallyhand/contracts/features/status/status.endpoints';
import { CircleCheck, CircleX, TriangleAlert } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { LoadFailed } from '../../app/loaded.tsx';
import { cx } from '../../ui/cx.ts';
import { Loading, Skeletons } from '../../ui/loading.tsx';
import { PublicTitle } from './public-title.tsx';
import { useGetStatusQuery } from './support.api.ts';

const EVERY_MS = 10_000;

const badgeStatus = {
  ok: { icon: CircleCheck, tone: 'text-success' },
  degraded: { icon: TriangleAlert, tone: 'text-warning' },
  failing: { icon: CircleX, tone: 'text-danger' },
} as const;

/** What the product checks of itself, asked again as long as the page is open. */
export function StatusPage() {
  const { t } = useTranslation('support');
  return (
    <>
      <PublicTitle title={t('status.title')} description={t('status.description')} />
      <div className="mx-auto max-w-[1200px] px-6 py-12">
        <Checks />
      </div>
    </>
  );
}

function Checks() {
  const { t } = useTranslation('support');
  const { data, error, refetch } = useGetStatusQuery(undefined, {
    pollingInterval: EVERY_MS,
    refetchOnMountOrArgChange: true,
  });
  if (error) return <LoadFailed error={error} onRetry={refetch} />;
  if (!data) {
    return (
      <Loading label={t('status.loading')} className="flex flex-col gap-2">
        <Skeletons count={6} className="h-12" />
      </Loading>
    );
  }
  return (
    <>
      <div role="status">
        <h2 className="text-lg font-semibold">
          <HealthWord health={data.status} words={t(`status.whole.${data.status}`)} />
        </h2>
      </div>
      <dl className="mt-6 max-w-[720px] divide-y divide-line rounded-lg border border-line bg-surface">
        {data.checks.map(({ name, status }) => (
          <div key={name} className="flex items-start justify-between gap-4 p-4">
            <dt className="min-w-0">
              <span className="font-medium">{t(`status.checks.${name}.title`)}</span>
              <span className="block text-sm text-muted">{t(`status.checks.${name}.text`)}</span>
            </dt>
            <dd className="shrink-0">
              <HealthWord health={status} words={t(`status.health.${status}`)} />
            </dd>
          </div>
        ))}
      </dl>
      <p className="mt-4 text-sm text-muted">{t('status.again')}</p>
    </>
  );
}

function HealthWord({ health, words }: { health: Health; words: string }) {
  const { icon: Icon, tone } = badgeStatus[health];
  return (
    <span className={cx('inline-flex items-center gap-2', tone)}>
      <Icon aria-hidden className="size-5 shrink-0" />
      {words}
    </span>
  );
}
