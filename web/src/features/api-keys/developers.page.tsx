import {
  type ApiKey,
  ApiKeyInput,
  listApiKeys,
  type NewApiKey,
} from '@tallyhand/contracts/features/api-keys/api-keys.endpoints';
import { ROLES } from '@tallyhand/contracts/kernel/role';
import { Trash2 } from 'lucide-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { DeleteDialog } from '../../app/confirm-action.tsx';
import { useContractForm, useFieldMessage, useSubmit } from '../../app/form.ts';
import { Page, RestrictedPage } from '../../app/page.tsx';
import { ResourceTable } from '../../app/resource-list.tsx';
import { type Status, StatusBadge } from '../../ui/badge.tsx';
import { Button, ButtonLink } from '../../ui/button.tsx';
import { CardSection } from '../../ui/card.tsx';
import { CodeSample, PlainCode } from '../../ui/code-sample.tsx';
import { FormDialog, SecretDialog } from '../../ui/dialog.tsx';
import { Field, Input, Select } from '../../ui/field.tsx';
import { IconButton } from '../../ui/icon-button.tsx';
import type { Column } from '../../ui/table.tsx';
import { DateText, RelativeTime } from '../../ui/time.tsx';
import { useListAgentsQuery } from '../agents/agents.api.ts';
import { McpCard } from '../mcp/connect-card.tsx';
import { baseUrlOf, modelOf, openAiSample } from '../openai/openai-samples.ts';
import { WebhooksCard } from '../webhooks/webhooks-card.tsx';
import {
  useCreateApiKeyMutation,
  useListApiKeysQuery,
  useRevokeApiKeyMutation,
} from './api-keys.api.ts';

export function DevelopersPage() {
  const { t } = useTranslation('developers');
  const instead = { title: t('restricted.title'), description: t('restricted.description') };
  return (
    <RestrictedPage needs={listApiKeys} title={t('title')} instead={instead}>
      <Page
        title={t('title')}
        description={t('description')}
        action={<ButtonLink to="/api">{t('reference')}</ButtonLink>}
      >
        <KeysCard />
        <McpCard />
        <OpenAiCard />
        <WebhooksCard />
      </Page>
    </RestrictedPage>
  );
}

const badgeStatus: Record<ApiKey['status'], Status> = {
  active: 'success',
  expired: 'paused',
  revoked: 'failed',
};

function KeysCard() {
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
        <StatusBadge status={badgeStatus[status]} label={t(`keys.statuses.${status}`)} />
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

const EXPIRIES = ['7', '30', '90', '365', 'never'] as const;
type Expiry = (typeof EXPIRIES)[number];
const DAY_MS = 86_400_000;

const endOf = (expiry: Expiry) =>
  expiry === 'never'
    ? {}
    : { expiresAt: new Date(Date.now() + Number(expiry) * DAY_MS).toISOString() };

/** Asks what the key is for, then shows it once. */
function CreateKeyDialog({ close }: { close: () => void }) {
  const { t } = useTranslation('developers');
  const [made, setMade] = useState<NewApiKey>();
  if (!made) return <KeyForm close={close} onMade={setMade} />;
  return (
    <SecretDialog
      title={t('keys.ready')}
      description={t('keys.readyDescription', { name: made.name })}
      label={t('keys.key')}
      secret={made.key}
      copyLabel={t('keys.copy')}
      doneLabel={t('keys.done')}
      close={close}
    />
  );
}

function KeyForm({ close, onMade }: { close: () => void; onMade: (key: NewApiKey) => void }) {
  const { t } = useTranslation('developers');
  const { t: common } = useTranslation('common');
  const message = useFieldMessage();
  const form = useContractForm(ApiKeyInput, { name: '', role: 'Viewer' });
  const { errors } = form.formState;
  const [expiry, setExpiry] = useState<Expiry>('90');
  const [create] = useCreateApiKeyMutation();
  // The key of an Auditor must expire.
  const isLimited = form.watch('role') === 'Auditor';
  const expiries = EXPIRIES.filter((value) => !isLimited || value !== 'never');
  const end = expiries.find((value) => value === expiry) ?? '90';
  const submitting = useSubmit(form, {
    send: ({ name, role }) => create({ name, role, ...endOf(end) }),
    failed: t('toasts.keyFailed'),
    onDone: onMade,
  });
  return (
    <FormDialog
      title={t('keys.form.title')}
      description={t('keys.form.description')}
      {...submitting}
      submitLabel={t('keys.form.submit')}
      pendingLabel={t('keys.form.pending')}
      close={close}
    >
      <Field label={t('keys.name')} help={t('keys.nameHelp')} error={message(errors.name)} required>
        <Input autoComplete="off" {...form.register('name')} />
      </Field>
      <Field label={t('keys.role')} error={message(errors.role)}>
        <Select
          options={ROLES.map((value) => ({ value, label: common(`roles.${value}`) }))}
          {...form.register('role')}
        />
      </Field>
      <Field label={t('keys.form.expiry')}>
        <Select
          options={expiries.map((value) => ({ value, label: t(`keys.form.expiries.${value}`) }))}
          value={end}
          onChange={({ target }) => setExpiry(target.value as Expiry)}
        />
      </Field>
    </FormDialog>
  );
}

/** How programs that speak OpenAI's API use agents. */
function OpenAiCard() {
  const { t } = useTranslation('developers');
  const { data: agents = [] } = useListAgentsQuery();
  const { origin } = window.location;
  return (
    <CardSection title={t('openai.title')}>
      <p className="mb-3 text-sm text-muted">{t('openai.explained')}</p>
      <div className="flex flex-col gap-3">
        <PlainCode title={t('openai.baseUrl')} text={baseUrlOf(origin)} />
        <CodeSample
          title={t('openai.title')}
          codeIn={(language) => openAiSample(language, origin, modelOf(agents))}
        />
      </div>
    </CardSection>
  );
}
