import {
  ANY_EVENT,
  type NewWebhookEndpoint,
  type WebhookEndpoint,
  WebhookInput,
} from '@tallyhand/contracts/features/webhooks/webhooks.endpoints';
import { Controller } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { useContractForm, useFieldMessage, useSubmit } from '../../app/form.ts';
import { Field } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { Input } from '../../ui/input.tsx';
import { EventPicker } from './event-picker.tsx';
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
    change: webhook && ((changed) => change({ id: webhook.id, change: changed })),
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
