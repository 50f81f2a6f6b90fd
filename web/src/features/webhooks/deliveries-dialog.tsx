import {
  DELIVERY_STATES,
  type WebhookDelivery,
  type WebhookEndpoint,
} from '@tallyhand/contracts/features/webhooks/webhooks.endpoints';
import { RotateCw } from 'lucide-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useAnnounce } from '../../app/announce.ts';
import { MorePages, NotLoaded } from '../../app/loaded.tsx';
import { type Status, StatusBadge } from '../../ui/badge.tsx';
import { Dialog, DialogBody } from '../../ui/dialog.tsx';
import { Field, Select } from '../../ui/field.tsx';
import { IconButton } from '../../ui/icon-button.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { RelativeTime } from '../../ui/time.tsx';
import { useListDeliveriesInfiniteQuery, useRedeliverWebhookMutation } from './webhooks.api.ts';

/** Nothing announces a delivery's end: it is polled. */
const LOOK_MS = 3_000;

const badgeStatus: Record<WebhookDelivery['state'], Status> = {
  waiting: 'waiting',
  sending: 'running',
  delivered: 'success',
  failed: 'failed',
};

type State = WebhookDelivery['state'] | '';

export function DeliveriesDialog({
  webhook,
  close,
}: {
  webhook: WebhookEndpoint;
  close: () => void;
}) {
  const { t } = useTranslation('developers');
  const [state, setState] = useState<State>('');
  const states = DELIVERY_STATES.map((value) => ({
    value,
    label: t(`deliveries.states.${value}`),
  }));
  return (
    <Dialog
      close={close}
      size="wide"
      title={t('deliveries.title')}
      description={t('deliveries.description', { url: webhook.url })}
    >
      <DialogBody>
        <Field label={t('deliveries.state')}>
          <Select
            options={[{ value: '', label: t('deliveries.any') }, ...states]}
            value={state}
            onChange={({ target }) => setState(target.value as State)}
          />
        </Field>
        <Deliveries webhook={webhook} state={state} />
      </DialogBody>
    </Dialog>
  );
}

function Deliveries({ webhook, state }: { webhook: WebhookEndpoint; state: State }) {
  const { t } = useTranslation('developers');
  const asked = { id: webhook.id, ...(state !== '' && { state }) };
  const pages = useListDeliveriesInfiniteQuery(asked, { pollingInterval: LOOK_MS });
  const columns = useColumns();
  const again = useAgain();
  const deliveries = pages.data?.pages.flatMap(({ entries }) => entries);
  if (!deliveries)
    return (
      <NotLoaded query={pages} label={t('deliveries.loading')} count={3} skeleton="my-2 h-8" />
    );
  if (deliveries.length === 0) {
    return <p className="text-sm">{state ? t('deliveries.noMatch') : t('deliveries.empty')}</p>;
  }
  return (
    <>
      <Table
        label={t('deliveries.title')}
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
      />
      <MorePages pages={pages} />
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
  const { t } = useTranslation('developers');
  const last = log.at(-1);
  if (!last) return '–';
  const said = [last.status ?? t('deliveries.none'), t('deliveries.ms', { ms: last.ms })];
  const more = last.error ?? answer;
  return <span title={more ?? undefined}>{[...said, more].filter(Boolean).join(' · ')}</span>;
}

function useAgain() {
  const { t } = useTranslation('developers');
  const announce = useAnnounce();
  const [redeliver] = useRedeliverWebhookMutation();
  return (id: string) =>
    announce(redeliver(id), { done: t('toasts.sent'), failed: t('toasts.failed') });
}
