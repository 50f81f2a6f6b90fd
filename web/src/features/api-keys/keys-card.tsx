import type { ApiKey } from '@tallyhand/contracts/features/api-keys/api-keys.endpoints';
import { Trash2 } from 'lucide-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { DeleteDialog } from '../../app/confirm-action.tsx';
import { ResourceTable } from '../../app/resource-list.tsx';
import { type Status, StatusBadge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { CardSection } from '../../ui/card.tsx';
import { IconButton } from '../../ui/icon-button.tsx';
import type { Column } from '../../ui/table.tsx';
import { DateText, RelativeTime } from '../../ui/time.tsx';
import { useListApiKeysQuery, useRevokeApiKeyMutation } from './api-keys.api.ts';
import { CreateKeyDialog } from './create-key-dialog.tsx';

const looks: Record<ApiKey['status'], Status> = {
  active: 'success',
  expired: 'paused',
  revoked: 'failed',
};

export function KeysCard() {
  const { t } = useTranslation('developers');
  const [creating, setCreating] = useState(false);
  const [revoking, setRevoking] = useState<ApiKey>();
  return (
    <CardSection
      title={t('keys.title')}
      actions={
        <Button variant="primary" size="sm" onClick={() => setCreating(true)}>
          {t('keys.create')}
        </Button>
      }
    >
      <p className="mb-3 text-sm text-muted">{t('keys.explained')}</p>
      <Keys revoke={setRevoking} />
      {creating && <CreateKeyDialog close={() => setCreating(false)} />}
      {revoking && <RevokeDialog apiKey={revoking} close={() => setRevoking(undefined)} />}
    </CardSection>
  );
}

function Keys({ revoke }: { revoke: (key: ApiKey) => void }) {
  const { t } = useTranslation('developers');
  return (
    <ResourceTable
      query={useListApiKeysQuery()}
      loading={{ label: t('keys.loading'), count: 2, skeleton: 'my-2 h-8' }}
      empty={<p className="text-sm">{t('keys.empty')}</p>}
      sortName="keys-sort"
      label={t('keys.title')}
      columns={useColumns()}
      rowKey={({ id }) => id}
      actionsLabel={t('keys.actions')}
      actions={(key) =>
        key.status === 'active' && (
          <IconButton
            icon={Trash2}
            label={t('keys.revoke', { name: key.name })}
            onClick={() => revoke(key)}
          />
        )
      }
    />
  );
}

function useColumns(): Column<ApiKey>[] {
  const { t } = useTranslation('developers');
  const { t: common } = useTranslation('common');
  return [
    {
      key: 'name',
      header: t('keys.name'),
      className: 'w-full max-w-0 truncate',
      sortBy: { text: ({ name }) => name },
      cell: ({ name }) => <span title={name}>{name}</span>,
    },
    {
      key: 'role',
      header: t('keys.role'),
      sortBy: { text: ({ role }) => common(`roles.${role}`) },
      cell: ({ role }) => common(`roles.${role}`),
    },
    {
      key: 'status',
      header: t('keys.status'),
      sortBy: { text: ({ status }) => t(`keys.statuses.${status}`) },
      cell: ({ status }) => (
        <StatusBadge status={looks[status]} label={t(`keys.statuses.${status}`)} />
      ),
    },
    {
      key: 'lastUsed',
      header: t('keys.lastUsed'),
      sortBy: { time: ({ lastUsedAt }) => lastUsedAt },
      cell: ({ lastUsedAt }) => (lastUsedAt ? <RelativeTime at={lastUsedAt} /> : t('keys.never')),
    },
    {
      key: 'expires',
      header: t('keys.expires'),
      sortBy: { time: ({ expiresAt }) => expiresAt },
      cell: ({ expiresAt }) => (expiresAt ? <DateText at={expiresAt} /> : t('keys.noEnd')),
    },
    {
      key: 'made',
      header: t('keys.made'),
      sortBy: { time: ({ createdAt }) => createdAt },
      wideOnly: true,
      cell: ({ createdAt, createdBy }) => (
        <>
          <RelativeTime at={createdAt} />
          {createdBy.name && ` ${t('keys.by', { name: createdBy.name })}`}
        </>
      ),
    },
  ];
}

function RevokeDialog({ apiKey, close }: { apiKey: ApiKey; close: () => void }) {
  const { t } = useTranslation('developers');
  const [revoke] = useRevokeApiKeyMutation();
  return (
    <DeleteDialog
      title={t('keys.revokeTitle', { name: apiKey.name })}
      description={t('keys.revokeDescription')}
      confirmLabel={t('keys.revokeConfirm')}
      remove={() => revoke(apiKey.id)}
      deleted={{ done: t('toasts.keyRevoked'), failed: t('toasts.failed') }}
      close={close}
    />
  );
}
