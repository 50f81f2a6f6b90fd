import {
  DELIVERY_STATES,
  type WebhookDelivery,
  type WebhookEndpoint,
} from '@tallyhand/contracts/features/webhooks/webhooks.endpoints';
import { RotateCw, X } from 'lucide-react';
import { useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { useAnnounce } from '../../app/announce.ts';
import { MorePages, NotLoaded } from '../../app/loaded.tsx';
import { useAddress } from '../../app/use-address.ts';
import { type OpenRow, useOpenRow } from '../../app/use-open-row.ts';
import { StatusBadge } from '../../ui/badge.tsx';
import { CardSection } from '../../ui/card.tsx';
import { Select } from '../../ui/field.tsx';
import { IconButton } from '../../ui/icon-button.tsx';
import { LongTable } from '../../ui/long-table.tsx';
import type { Column } from '../../ui/table.tsx';
import { RelativeTime } from '../../ui/time.tsx';
import { badgeStatus, DeliveryPanel, useAttemptWords } from './delivery-panel.tsx';
import { useListDeliveriesInfiniteQuery, useRedeliverWebhookMutation } from './webhooks.api.ts';

/** Nothing announces a delivery's end: it is polled. */
const LOOK_MS = 3_000;

/** What was sent to a webhook. `?state=` filters, `?delivery=ID` opens one. */
export function DeliveriesCard({
  webhook,
  close,
}: {
  webhook: WebhookEndpoint;
  close: () => void;
}) {
  const { t } = useTranslation('developers');
  const { search, change } = useAddress();
  const state = DELIVERY_STATES.find((it) => it === search.get('state'));
  const opened = useOpenRow('delivery');
  const card = useRef<HTMLDivElement>(null);
  const { id } = webhook;
  // It appears below the list that it was opened from.
  useEffect(() => {
    if (id) card.current?.scrollIntoView({ block: 'nearest' });
  }, [id]);
  const states = DELIVERY_STATES.map((value) => ({
    value,
    label: t(`deliveries.states.${value}`),
  }));
  return (
    <div ref={card} className="scroll-mt-20 scroll-mb-20">
      <CardSection
        title={t('deliveries.title')}
        actions={
          <div className="flex items-center gap-1">
            <Select
              aria-label={t('deliveries.state')}
              options={[{ value: '', label: t('deliveries.any') }, ...states]}
              value={state ?? ''}
              onChange={({ target }) => change({ state: target.value, delivery: '' }, 'chosen')}
            />
            <IconButton icon={X} label={t('deliveries.close')} onClick={close} />
          </div>
        }
      >
        <p className="mb-3 text-sm break-words text-muted">
          {t('deliveries.description', { url: webhook.url })}
        </p>
        <Deliveries webhook={webhook} state={state} opened={opened} />
      </CardSection>
    </div>
  );
}

type DeliveriesProps = {
  webhook: WebhookEndpoint;
  state: WebhookDelivery['state'] | undefined;
  opened: OpenRow;
};

function Deliveries({ webhook, state, opened }: DeliveriesProps) {
  const { t } = useTranslation('developers');
  const asked = { id: webhook.id, ...(state && { state }) };
  const pages = useListDeliveriesInfiniteQuery(asked, { pollingInterval: LOOK_MS });
  const columns = useColumns();
  const again = useAgain();
  const deliveries = pages.currentData?.pages.flatMap(({ entries }) => entries);
  if (!deliveries)
    return (
      <NotLoaded query={pages} label={t('deliveries.loading')} count={3} skeleton="my-2 h-8" />
    );
  const open = deliveries.find(({ id }) => id === opened.key);
  return (
    <>
      {deliveries.length === 0 && (
        <p className="text-sm">{state ? t('deliveries.noMatch') : t('deliveries.empty')}</p>
      )}
      {deliveries.length > 0 && (
        <LongTable
          label={t('deliveries.title')}
          name="deliveries"
          columns={columns}
          rows={deliveries}
          rowKey={({ id }) => id}
          actionsLabel={t('deliveries.actions')}
          actions={({ id, type }) =>
            webhook.isActive && (
              <IconButton
                icon={RotateCw}
                label={t('deliveries.againOf', { type })}
                onClick={() => again(id)}
              />
            )
          }
          opening={{
            label: ({ type }) => t('deliveries.open', { type }),
            show: ({ id }) => opened.show(id),
            current: opened.key,
          }}
        />
      )}
      <MorePages pages={pages} />
      {opened.key && (
        <DeliveryPanel
          delivery={open}
          again={webhook.isActive ? again : undefined}
          opened={opened}
          keys={deliveries.map(({ id }) => id)}
          pages={pages}
        />
      )}
    </>
  );
}

function useColumns(): Column<WebhookDelivery>[] {
  const { t } = useTranslation('developers');
  return [
    {
      key: 'event',
      header: t('deliveries.event'),
      cell: ({ type }) => <code className="font-mono text-xs">{type}</code>,
    },
    {
      key: 'state',
      header: t('deliveries.state'),
      cell: ({ state }) => (
        <StatusBadge status={badgeStatus[state]} label={t(`deliveries.states.${state}`)} />
      ),
    },
    {
      key: 'attempts',
      header: t('deliveries.attempts'),
      numeric: true,
      cell: ({ attempts }) => attempts,
    },
    {
      key: 'last',
      header: t('deliveries.last'),
      className: 'w-full max-w-0 truncate',
      cell: (delivery) => <LastAnswer delivery={delivery} />,
    },
    {
      key: 'made',
      header: t('deliveries.made'),
      cell: ({ createdAt }) => <RelativeTime at={createdAt} />,
    },
    {
      key: 'next',
      header: t('deliveries.next'),
      wideOnly: true,
      cell: ({ nextAt }) => (nextAt ? <RelativeTime at={nextAt} /> : '–'),
    },
  ];
}

function LastAnswer({ delivery: { log, answer } }: { delivery: WebhookDelivery }) {
  const wordsOf = useAttemptWords();
  const last = log.at(-1);
  if (!last) return '–';
  const more = last.error ?? answer;
  return <span title={more ?? undefined}>{[wordsOf(last), more].filter(Boolean).join(' · ')}</span>;
}

function useAgain() {
  const { t } = useTranslation('developers');
  const announce = useAnnounce();
  const [redeliver] = useRedeliverWebhookMutation();
  return (id: string) =>
    announce(redeliver(id), { done: t('toasts.sent'), failed: t('toasts.failed') });
}
