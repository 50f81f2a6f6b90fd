import {
  MODEL_PROVIDER_IDS,
  MODEL_PROVIDERS,
  type ModelProviderId,
} from '@tallyhand/contracts/features/models/model-providers';
import type { Connection } from '@tallyhand/contracts/features/models/models.endpoints';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { EditDialog } from '../../app/edit-dialog.tsx';
import { useBase, useEditor } from '../../app/editor.ts';
import { useContractForm, useFieldMessage } from '../../app/form.ts';
import { describeProblem } from '../../app/problem.ts';
import { describeSentence } from '../../app/sentence.ts';
import { Banner } from '../../ui/banner.tsx';
import { Button } from '../../ui/button.tsx';
import { Field, Input, PasswordInput, Select, Textarea } from '../../ui/field.tsx';
import { type ConnectionForm, ConnectionTexts, linesOf, textsOf } from './connection-texts.ts';
import {
  useChangeConnectionMutation,
  useCreateConnectionMutation,
  useDiscoverModelsMutation,
  useListConnectionsQuery,
  useListEndpointModelsMutation,
} from './models.api.ts';
import { PricesField } from './prices-field.tsx';

const presetOf = (provider: ModelProviderId) => {
  const { name, baseUrl, models, embeddingModel } = MODEL_PROVIDERS[provider];
  return { name, baseUrl, models: models.join('\n'), embeddingModel: embeddingModel ?? '' };
};

const NEW_CONNECTION: ConnectionTexts = {
  ...presetOf('openai'),
  provider: 'openai',
  prices: [],
  apiKey: '',
};

type PartProps = { form: ConnectionForm; connection: Connection | undefined };

/** Adds a connection, or changes the given one, starting with its present values. */
export function ConnectionDialog({
  connection,
  close,
}: {
  connection: Connection | undefined;
  close: () => void;
}) {
  const { t } = useTranslation('models');
  const form = useContractForm(ConnectionTexts, connection ? textsOf(connection) : NEW_CONNECTION);
  const base = useBase(connection);
  const { seen } = base;
  const [create] = useCreateConnectionMutation();
  const [change] = useChangeConnectionMutation();
  const { data: connections } = useListConnectionsQuery();
  const editor = useEditor(form, base, {
    kind: 'models',
    valuesOf: textsOf,
    isPrivate: (name) => name === 'apiKey',
    send: create,
    change: seen && ((body) => change({ seen, body })),
    done: connection ? t('toasts.changed') : t('toasts.created'),
    failed: connection ? t('toasts.changeFailed') : t('toasts.createFailed'),
    close,
  });
  return (
    <EditDialog
      editor={editor}
      now={connections?.find(({ id }) => id === connection?.id)}
      title={connection ? t('form.editTitle') : t('form.createTitle')}
      description={connection ? t('form.editDescription') : t('form.createDescription')}
      submitLabel={connection ? t('form.submitEdit') : t('form.submitCreate')}
      pendingLabel={t('form.saving')}
      close={close}
    >
      <ProviderFields form={form} isNew={!connection} />
      <KeyField form={form} connection={seen} />
      <ModelsField form={form} connection={connection} />
      <EmbeddingField form={form} />
      <PricesField form={form} />
    </EditDialog>
  );
}

function ProviderFields({ form, isNew }: { form: ConnectionForm; isNew: boolean }) {
  const { t } = useTranslation('models');
  const message = useFieldMessage();
  const { errors } = form.formState;
  const provider = form.watch('provider');
  const options = MODEL_PROVIDER_IDS.map((value) => ({
    value,
    label: value === 'other' ? t('form.otherProvider') : MODEL_PROVIDERS[value].name,
  }));
  /** Fields of a new connection that still hold the former provider's proposal get the new one. */
  const choose = (chosen: ModelProviderId) => {
    const [before, now] = [presetOf(provider), presetOf(chosen)];
    form.setValue('provider', chosen, { shouldDirty: true });
    if (!isNew) return;
    for (const name of ['name', 'baseUrl', 'models', 'embeddingModel'] as const) {
      const value = form.getValues(name);
      if (value === before[name]) form.setValue(name, now[name], { shouldDirty: true });
    }
  };
  return (
    <>
      <Field label={t('form.provider')} error={message(errors.provider)}>
        <Select
          options={options}
          {...form.register('provider')}
          onChange={(event) => choose(event.target.value as ModelProviderId)}
        />
      </Field>
      <Field label={t('form.name')} error={message(errors.name)} required>
        <Input autoComplete="off" {...form.register('name')} />
      </Field>
      <Field
        label={t('form.baseUrl')}
        help={provider === 'azure' ? t('form.azureHelp') : t('form.baseUrlHelp')}
        error={message(errors.baseUrl)}
        required
      >
        <Input type="url" inputMode="url" autoComplete="off" {...form.register('baseUrl')} />
      </Field>
    </>
  );
}

const isElsewhere = (connection: Connection, provider: string, baseUrl: string) =>
  provider !== connection.provider || baseUrl.trim().replace(/\/+$/, '') !== connection.baseUrl;

function KeyField({ form, connection }: PartProps) {
  const { t } = useTranslation('models');
  const { t: common } = useTranslation('common');
  const message = useFieldMessage();
  const [provider, baseUrl] = form.watch(['provider', 'baseUrl']);
  const isMoved = connection?.apiKey === 'stored' && isElsewhere(connection, provider, baseUrl);
  const isRequired = isMoved || connection?.apiKey === 'required';
  return (
    <>
      {isRequired && <Banner tone="warning">{t('form.keyRequired')}</Banner>}
      <Field
        label={t('form.apiKey')}
        hint={MODEL_PROVIDERS[provider].needsKey ? undefined : common('optional')}
        help={connection?.apiKey === 'stored' && !isMoved ? t('form.keyStored') : t('form.keyHelp')}
        error={message(form.formState.errors.apiKey)}
      >
        <PasswordInput autoComplete="off" {...form.register('apiKey')} />
      </Field>
    </>
  );
}

function EmbeddingField({ form }: { form: ConnectionForm }) {
  const { t } = useTranslation('models');
  const { t: common } = useTranslation('common');
  const message = useFieldMessage();
  return (
    <Field
      label={t('form.embeddingModel')}
      hint={common('optional')}
      help={t('form.embeddingHelp')}
      error={message(form.formState.errors.embeddingModel)}
    >
      <Input
        autoComplete="off"
        autoCapitalize="off"
        spellCheck={false}
        className="font-mono"
        {...form.register('embeddingModel')}
      />
    </Field>
  );
}

function ModelsField({ form, connection }: PartProps) {
  const { t } = useTranslation('models');
  const message = useFieldMessage();
  const [discover] = useDiscoverModelsMutation();
  const [listModels] = useListEndpointModelsMutation();
  const [found, setFound] = useState<{ address: string; message: string }>();
  const [isLoading, setLoading] = useState(false);
  const address = form.watch(['provider', 'baseUrl']).join(' ');
  const load = async () => {
    if (!(await form.trigger(['baseUrl', 'apiKey']))) return;
    const { provider, baseUrl, apiKey } = form.getValues();
    const typed = apiKey.trim();
    setLoading(true);
    // A stored key is used at its own address alone, and never leaves the server.
    const { data, error } =
      connection && typed === '' && !isElsewhere(connection, provider, baseUrl)
        ? await discover(connection.id)
        : await listModels({ provider, baseUrl, ...(typed && { apiKey: typed }) });
    setLoading(false);
    const names = data?.models ?? [];
    const failure = data ? data.failure : null;
    const said = failure && describeSentence(t, failure, failure.text);
    const done = said ?? t('form.discovered', { count: names.length });
    setFound({ address, message: data ? done : describeProblem(t, error) });
    if (names.length === 0) return;
    // The chosen models stay first: the first one is the default.
    const kept = linesOf(form.getValues('models'));
    const all = [...new Set([...kept, ...names])];
    form.setValue('models', all.join('\n'), { shouldDirty: true });
  };
  return (
    <>
      <Field
        label={t('form.models')}
        help={t('form.modelsHelp')}
        error={message(form.formState.errors.models)}
        required
      >
        <Textarea
          rows={4}
          spellCheck={false}
          autoCapitalize="off"
          autoCorrect="off"
          className="max-h-60 font-mono"
          {...form.register('models')}
        />
      </Field>
      <div className="flex flex-wrap items-center gap-3" aria-live="polite">
        <Button size="sm" pending={isLoading} pendingLabel={t('form.discovering')} onClick={load}>
          {t('form.discover')}
        </Button>
        {found?.address === address && !isLoading && (
          <p className="text-xs text-muted">{found.message}</p>
        )}
      </div>
    </>
  );
}
