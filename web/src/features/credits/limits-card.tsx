import type { SpendLimit } from '@tallyhand/contracts/features/credits/credits.endpoints';
import { Gauge, Plus } from 'lucide-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { ResourceTable } from '../../app/resource-list.tsx';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { CardSection } from '../../ui/card.tsx';
import { EmptyState } from '../../ui/states.tsx';
import type { Column } from '../../ui/table.tsx';
import { useListLimitsQuery } from './credits.api.ts';
import { AddLimitDialog, EditLimitDialog } from './limit-dialog.tsx';
import { useFormats } from './use-formats.ts';
import { useLimitName } from './use-limit-name.ts';

type Overlay = { kind: 'add' } | { kind: 'edit'; limit: SpendLimit };

/** What agents and members may spend in a month. */
export function LimitsCard() {
  const { t } = useTranslation('credits');
  const { data: limits } = useListLimitsQuery();
  const [overlay, setOverlay] = useState<Overlay>();
  const close = () => setOverlay(undefined);
  return (
    <CardSection
      title={t('limits.title')}
      actions={
        limits && (
          <Button size="sm" variant="primary" onClick={() => setOverlay({ kind: 'add' })}>
            <Plus aria-hidden />
            {t('limits.add')}
          </Button>
        )
      }
    >
      <p className="-mt-2 mb-3 max-w-[68ch] text-muted">{t('limits.description')}</p>
      <Limits edit={(limit) => setOverlay({ kind: 'edit', limit })} />
      {overlay?.kind === 'add' && <AddLimitDialog limits={limits ?? []} close={close} />}
      {overlay?.kind === 'edit' && <EditLimitDialog limit={overlay.limit} close={close} />}
    </CardSection>
  );
}

function Limits({ edit }: { edit: (limit: SpendLimit) => void }) {
  const { t } = useTranslation('credits');
  const nameOf = useLimitName();
  return (
    <ResourceTable
      query={useListLimitsQuery()}
      loading={{
        label: t('limits.loading'),
        count: 2,
        skeleton: 'h-8',
        className: 'flex flex-col gap-3',
      }}
      empty={
        <EmptyState
          icon={Gauge}
          title={t('limits.empty')}
          description={t('limits.emptyDescription')}
        />
      }
      sortName="limits-sort"
      label={t('limits.title')}
      columns={useColumns()}
      rowKey={({ scope }) => `${scope.kind}.${scope.id}`}
      actionsLabel={t('limits.actions')}
      actions={(limit) => (
        <Button size="sm" variant="ghost" className="-mr-3" onClick={() => edit(limit)}>
          {t('limits.edit')}
          <span className="sr-only"> {t('limits.of', { name: nameOf(limit) })}</span>
        </Button>
      )}
    />
  );
}

function useColumns(): Column<SpendLimit>[] {
  const { t } = useTranslation('credits');
  const { number } = useFormats();
  const nameOf = useLimitName();
  return [
    {
      key: 'name',
      header: t('limits.who'),
      className: 'w-full max-w-0',
      sortBy: { text: nameOf },
      cell: (limit) => (
        <span className="block truncate font-medium" title={nameOf(limit)}>
          {nameOf(limit)}
        </span>
      ),
    },
    {
      key: 'kind',
      header: t('limits.kind'),
      sortBy: { text: ({ scope }) => t(`limits.kinds.${scope.kind}`) },
      cell: ({ scope }) => t(`limits.kinds.${scope.kind}`),
    },
    {
      key: 'limit',
      header: t('limits.monthly'),
      numeric: true,
      sortBy: { number: ({ monthlyCredits }) => monthlyCredits },
      cell: ({ monthlyCredits }) => number(monthlyCredits),
    },
    {
      key: 'used',
      header: t('limits.used'),
      numeric: true,
      sortBy: { number: ({ usedThisMonth }) => usedThisMonth },
      cell: ({ usedThisMonth }) => number(usedThisMonth),
    },
    {
      key: 'standing',
      header: t('limits.standing'),
      numeric: true,
      sortBy: { number: leftOf },
      cell: (limit) => <Standing limit={limit} />,
    },
  ];
}

const leftOf = ({ usedThisMonth, monthlyCredits }: SpendLimit) =>
  Math.max(0, monthlyCredits - usedThisMonth);

function Standing({ limit }: { limit: SpendLimit }) {
  const { t } = useTranslation('credits');
  const { number } = useFormats();
  const left = leftOf(limit);
  if (left === 0) return <Badge tone="warning">{t('limits.reached')}</Badge>;
  return number(left);
}
