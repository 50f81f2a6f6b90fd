import { eventsByCategory } from '@tallyhand/contracts/events';
import {
  ANY_EVENT,
  type NewWebhookEndpoint,
  type WebhookEndpoint,
  WebhookInput,
} from '@tallyhand/contracts/features/webhooks/webhooks.endpoints';
import { useId, useState } from 'react';
import { Controller } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { useContractForm, useFieldMessage, useSubmit } from '../../app/form.ts';
import { FormDialog } from '../../ui/dialog.tsx';
import { Field, Input } from '../../ui/field.tsx';
import { scrollable } from '../../ui/scrollable.ts';
import { Checkbox } from '../../ui/toggles.tsx';
import { useAuditWords } from '../audit/audit-words.ts';
import { useChangeWebhookMutation, useCreateWebhookMutation } from './webhooks.api.ts';

type Props = {
  /** None yet where one is added. */
  webhook?: WebhookEndpoint;
  onCreated: (secret: string) => void;
  close: () => void;
};

const isNew = (saved: WebhookEndpoint): saved is NewWebhookEndpoint => 'secret' in saved;

export function WebhookDialog({ webhook, onCreated, close }: Props) {
  const { t } = useTranslation('developers');
  const message = useFieldMessage();
  const form = useContractForm(WebhookInput, {
    url: webhook?.url ?? '',
    events: webhook?.events ?? [ANY_EVENT],
    description: webhook?.description ?? '',
  });
  const { errors } = form.formState;
  const [create] = useCreateWebhookMutation();
  const [change] = useChangeWebhookMutation();
  const submitting = useSubmit(form, {
    send: create,
    change: webhook && ((changed) => change({ id: webhook.id, ...changed })),
    done: webhook && t('toasts.saved'),
    failed: t('toasts.saveFailed'),
    close,
    onDone: (saved: WebhookEndpoint) => isNew(saved) && onCreated(saved.secret),
  });
  return (
    <FormDialog
      title={webhook ? t('webhooks.form.editTitle') : t('webhooks.form.newTitle')}
      description={t('webhooks.form.description')}
      {...submitting}
      submitLabel={webhook ? t('webhooks.form.save') : t('webhooks.form.submit')}
      pendingLabel={t('webhooks.form.pending')}
      close={close}
    >
      <Field
        label={t('webhooks.url')}
        help={t('webhooks.urlHelp')}
        error={message(errors.url)}
        required
      >
        <Input type="url" autoComplete="off" {...form.register('url')} />
      </Field>
      <Controller
        control={form.control}
        name="events"
        render={({ field: { value, onChange } }) => (
          <EventPicker value={value} onChange={onChange} error={message(errors.events)} />
        )}
      />
      <Field label={t('webhooks.descriptionLabel')} error={message(errors.description)}>
        <Input {...form.register('description')} />
      </Field>
    </FormDialog>
  );
}

const TYPES = Object.entries(eventsByCategory).map(
  ([kind, events]) => [kind, Object.keys(events)] as const,
);

type Picker = {
  value: readonly string[];
  onChange: (types: string[]) => void;
  error?: string | undefined;
};

/** All events, or some of them by type. */
function EventPicker({ value, onChange, error }: Picker) {
  const { t } = useTranslation('developers');
  const id = useId();
  const isAll = value[0] === ANY_EVENT;
  return (
    <fieldset aria-describedby={error ? id : undefined} className="flex min-w-0 flex-col gap-3">
      <legend className="mb-1 text-sm font-medium">{t('webhooks.events')}</legend>
      <Checkbox
        label={t('webhooks.all')}
        checked={isAll}
        onCheckedChange={(checked) => onChange(checked ? [ANY_EVENT] : [])}
      />
      {!isAll && <Types value={value} onChange={onChange} />}
      {error && (
        <p id={id} className="text-xs text-danger">
          {error}
        </p>
      )}
    </fieldset>
  );
}

function Types({ value, onChange }: Picker) {
  const { t } = useTranslation('developers');
  const words = useAuditWords();
  const [text, setText] = useState('');
  const wanted = text.trim().toLowerCase();
  const matches = (type: string) =>
    type.toLowerCase().includes(wanted) || words.event(type).toLowerCase().includes(wanted);
  const found = TYPES.map(([kind, types]) => [kind, types.filter(matches)] as const).filter(
    ([, types]) => types.length > 0,
  );
  const toggle = (type: string, checked: boolean) =>
    onChange(checked ? [...value, type] : value.filter((each) => each !== type));
  return (
    <>
      <Input
        type="search"
        aria-label={t('webhooks.filter')}
        placeholder={t('webhooks.filter')}
        value={text}
        onChange={({ target }) => setText(target.value)}
      />
      <section
        aria-label={t('webhooks.events')}
        {...scrollable}
        className="flex max-h-64 flex-col gap-4 overflow-y-auto rounded-md border border-line p-3"
      >
        {found.length === 0 && <p className="text-sm text-muted">{t('webhooks.noMatch')}</p>}
        {found.map(([kind, types]) => (
          <div key={kind} className="flex flex-col gap-2">
            <p className="text-xs font-medium text-muted">{words.kind(kind)}</p>
            {types.map((type) => (
              <Checkbox
                key={type}
                label={words.event(type)}
                help={type}
                checked={value.includes(type)}
                onCheckedChange={(checked) => toggle(type, checked)}
              />
            ))}
          </div>
        ))}
      </section>
    </>
  );
}
