import {
  ANY_EVENT,
  type NewWebhookEndpoint,
  type WebhookEndpoint,
  WebhookInput,
} from '@tallyhand/contracts/features/webhooks/webhooks.endpoints';
import { Controller } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import {
  changedFields,
  showFieldErrors,
  useContractForm,
  useFieldMessage,
} from '../../app/form.ts';
import { describeProblem } from '../../app/problem.ts';
import { Field } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { Input } from '../../ui/input.tsx';
import { showToast } from '../../ui/toast.ts';
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
  const { errors, isDirty } = form.formState;
  const [create, creating] = useCreateWebhookMutation();
  const [change, changing] = useChangeWebhookMutation();
  const pending = creating.isLoading || changing.isLoading;
  const submit = form.handleSubmit(async (input) => {
    if (pending) return;
    const changed = changedFields(form, input);
    if (webhook && Object.keys(changed).length === 0) return close();
    const { data, error } = webhook
      ? await change({ id: webhook.id, change: changed })
      : await create(input);
    if (data) {
      close();
      if (isNew(data)) onCreated(data.secret);
      else showToast({ title: t('toasts.saved') });
      return;
    }
    showFieldErrors(form, error);
    const description = describeProblem(t, error);
    showToast({ variant: 'destructive', title: t('toasts.saveFailed'), description });
  });
  return (
    <FormDialog
      title={webhook ? t('webhooks.form.editTitle') : t('webhooks.form.newTitle')}
      description={t('webhooks.form.description')}
      dirty={isDirty && !pending}
      submit={submit}
      submitLabel={webhook ? t('webhooks.form.save') : t('webhooks.form.submit')}
      pending={pending}
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
