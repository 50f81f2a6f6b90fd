import {
  ANY_EVENT,
  type WebhookEndpoint,
} from '@tallyhand/contracts/features/webhooks/webhooks.endpoints';
import { KeyRound, List, Pencil, Play, Power, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useAnnounce } from '../../app/announce.ts';
import { DeleteDialog } from '../../app/confirm-action.tsx';
import { MoreMenu, ResourceTable } from '../../app/resource-list.tsx';
import { useAddress } from '../../app/use-address.ts';
import { StatusBadge } from '../../ui/badge.tsx';
import { Banner } from '../../ui/banner.tsx';
import { Button } from '../../ui/button.tsx';
import { CardSection } from '../../ui/card.tsx';
import { SecretDialog } from '../../ui/dialog.tsx';
import { MenuItem } from '../../ui/dropdown-menu.tsx';
import type { Column } from '../../ui/table.tsx';
import { RelativeTime } from '../../ui/time.tsx';
import { DeliveriesCard } from './deliveries-card.tsx';
import { WebhookDialog } from './webhook-dialog.tsx';
import {
  useChangeWebhookMutation,
  useDeleteWebhookMutation,
  useListWebhooksQuery,
  useRotateWebhookSecretMutation,
  useTestWebhookMutation,
} from './webhooks.api.ts';

type Shown =
  | { what: 'form'; webhook?: WebhookEndpoint }
  | { what: 'remove'; webhook: WebhookEndpoint }
  | { what: 'secret'; secret: string; isNew: boolean };

/** `?webhook=ID` shows what was sent to one. */
export function WebhooksCard() {
  const { t } = useTranslation('developers');
  const [shown, setShown] = useState<Shown>();
  const { search, change } = useAddress();
  const { data: webhooks } = useListWebhooksQuery();
  const listed = webhooks?.find(({ id }) => id === search.get('webhook'));
  const showDeliveries = (webhook: string) =>
    change({ webhook, state: '', delivery: '' }, 'chosen');
  const close = () => setShown(undefined);
  const acts: WebhookActs = {
    edit: (webhook) => setShown({ what: 'form', webhook }),
    remove: (webhook) => setShown({ what: 'remove', webhook }),
    showDeliveries: ({ id }) => showDeliveries(id),
    showSecret: (secret) => setShown({ what: 'secret', secret, isNew: false }),
  };
  return (
    <>
      <CardSection
        title={t('webhooks.title')}
        actions={
          <Button size="sm" onClick={() => setShown({ what: 'form' })}>
            {t('webhooks.create')}
          </Button>
        }
      >
        <p className="mb-3 text-sm text-muted">{t('webhooks.explained')}</p>
        <Webhooks {...acts} />
        {shown?.what === 'form' && (
          <WebhookDialog
            {...(shown.webhook && { webhook: shown.webhook })}
            onCreated={(secret) => setShown({ what: 'secret', secret, isNew: true })}
            close={close}
          />
        )}
        {shown?.what === 'secret' && (
          <SecretDialog
            title={t('webhooks.ready')}
            description={
              shown.isNew ? t('webhooks.readyDescription') : t('webhooks.rotatedDescription')
            }
            label={t('webhooks.secret')}
            secret={shown.secret}
            copyLabel={t('webhooks.copy')}
            doneLabel={t('webhooks.done')}
            close={close}
          />
        )}
        {shown?.what === 'remove' && <RemoveDialog webhook={shown.webhook} close={close} />}
      </CardSection>
      {listed && <DeliveriesCard webhook={listed} close={() => showDeliveries('')} />}
    </>
  );
}

function Webhooks(acts: WebhookActs) {
  const { t } = useTranslation('developers');
  const query = useListWebhooksQuery();
  return (
    <div className="flex flex-col gap-3">
      {query.data?.map((webhook) => (
        <DisabledBanner key={webhook.id} webhook={webhook} />
      ))}
      <ResourceTable
        query={query}
        loading={{ label: t('webhooks.loading'), count: 2, skeleton: 'my-2 h-8' }}
        empty={<p className="text-sm">{t('webhooks.empty')}</p>}
        sortName="webhooks-sort"
        label={t('webhooks.title')}
        columns={useColumns()}
        rowKey={({ id }) => id}
        actionsLabel={t('webhooks.actions')}
        actions={(webhook) => <WebhookMenu webhook={webhook} {...acts} />}
      />
    </div>
  );
}

/** Where a webhook was not turned off by a person. */
function DisabledBanner({ webhook }: { webhook: WebhookEndpoint }) {
  const { t } = useTranslation('developers');
  const turn = useTurnWebhook();
  const { id, url, disabledReason } = webhook;
  if (disabledReason === null || disabledReason === 'by-person') return null;
  return (
    <Banner
      tone="warning"
      title={t('webhooks.disabledTitle', { url })}
      action={
        <Button size="sm" onClick={() => turn(id, true)}>
          {t('webhooks.enable')}
        </Button>
      }
    >
      {t(`webhooks.reasons.${disabledReason}`)}
    </Banner>
  );
}

const nameOf = ({ url, description }: WebhookEndpoint) =>
  description ? `${description} · ${url}` : url;

const badgeStatus = { disabled: 'paused', failing: 'failed', active: 'success' } as const;

function statusOf({ isActive, failingSince }: WebhookEndpoint): keyof typeof badgeStatus {
  if (!isActive) return 'disabled';
  return failingSince ? 'failing' : 'active';
}

function useColumns(): Column<WebhookEndpoint>[] {
  const { t } = useTranslation('developers');
  return [
    {
      key: 'url',
      header: t('webhooks.url'),
      className: 'w-full max-w-0 truncate',
      sortBy: { text: nameOf },
      cell: (webhook) => <span title={webhook.url}>{nameOf(webhook)}</span>,
    },
    {
      key: 'events',
      header: t('webhooks.events'),
      sortBy: {
        number: ({ events }) =>
          events[0] === ANY_EVENT ? Number.POSITIVE_INFINITY : events.length,
      },
      cell: ({ events }) =>
        events[0] === ANY_EVENT
          ? t('webhooks.all')
          : t('webhooks.chosen', { count: events.length }),
    },
    {
      key: 'status',
      header: t('webhooks.status'),
      sortBy: { text: (webhook) => t(`webhooks.statuses.${statusOf(webhook)}`) },
      cell: (webhook) => {
        const status = statusOf(webhook);
        return (
          <StatusBadge status={badgeStatus[status]} label={t(`webhooks.statuses.${status}`)} />
        );
      },
    },
    {
      key: 'since',
      header: t('webhooks.since'),
      sortBy: { time: ({ failingSince }) => failingSince },
      wideOnly: true,
      cell: ({ failingSince }) => (failingSince ? <RelativeTime at={failingSince} /> : '–'),
    },
  ];
}

function RemoveDialog({ webhook, close }: { webhook: WebhookEndpoint; close: () => void }) {
  const { t } = useTranslation('developers');
  const [remove] = useDeleteWebhookMutation();
  return (
    <DeleteDialog
      title={t('webhooks.deleteTitle')}
      description={t('webhooks.deleteDescription', { url: webhook.url })}
      confirmLabel={t('webhooks.deleteConfirm')}
      remove={() => remove(webhook.id)}
      deleted={{ done: t('toasts.deleted'), failed: t('toasts.failed') }}
      close={close}
    />
  );
}

type WebhookActs = {
  edit: (webhook: WebhookEndpoint) => void;
  remove: (webhook: WebhookEndpoint) => void;
  showDeliveries: (webhook: WebhookEndpoint) => void;
  showSecret: (secret: string) => void;
};

function WebhookMenu({ webhook, ...acts }: WebhookActs & { webhook: WebhookEndpoint }) {
  const { t } = useTranslation('developers');
  const { test, rotate, turn } = useActs(webhook, acts.showSecret);
  return (
    <MoreMenu label={t('webhooks.more', { url: webhook.url })}>
      <MenuItem icon={List} onSelect={() => acts.showDeliveries(webhook)}>
        {t('webhooks.deliveries')}
      </MenuItem>
      {webhook.isActive && (
        <MenuItem icon={Play} onSelect={test}>
          {t('webhooks.test')}
        </MenuItem>
      )}
      <MenuItem icon={Pencil} onSelect={() => acts.edit(webhook)}>
        {t('webhooks.edit')}
      </MenuItem>
      <MenuItem icon={KeyRound} onSelect={rotate}>
        {t('webhooks.rotate')}
      </MenuItem>
      <MenuItem icon={Power} onSelect={turn}>
        {webhook.isActive ? t('webhooks.disable') : t('webhooks.enable')}
      </MenuItem>
      <MenuItem icon={Trash2} danger onSelect={() => acts.remove(webhook)}>
        {t('webhooks.delete')}
      </MenuItem>
    </MoreMenu>
  );
}

function useActs({ id, isActive }: WebhookEndpoint, showSecret: WebhookActs['showSecret']) {
  const { t } = useTranslation('developers');
  const announce = useAnnounce();
  const [test] = useTestWebhookMutation();
  const [rotate] = useRotateWebhookSecretMutation();
  const turn = useTurnWebhook();
  return {
    test: () => announce(test(id), { done: t('toasts.tested'), failed: t('toasts.failed') }),
    rotate: async () => {
      const { data } = await announce(rotate(id), { failed: t('toasts.failed') });
      if (data) showSecret(data.secret);
    },
    turn: () => turn(id, !isActive),
  };
}

/** Turns a webhook on or off, and reports it in a toast. */
function useTurnWebhook() {
  const { t } = useTranslation('developers');
  const announce = useAnnounce();
  const [change] = useChangeWebhookMutation();
  return (id: string, isActive: boolean) =>
    announce(change({ id, isActive }), {
      done: isActive ? t('toasts.enabled') : t('toasts.disabled'),
      failed: t('toasts.failed'),
    });
}
