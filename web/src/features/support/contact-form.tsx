import { ContactInput } from '@tallyhand/contracts/features/support/support.fields';
import { CircleCheck } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { useContractForm, useFieldMessage, useSubmit } from '../../app/form.ts';
import { StoreProviders } from '../../app/with-store.tsx';
import { Button } from '../../ui/button.tsx';
import { Field } from '../../ui/field.tsx';
import { Textarea } from '../../ui/textarea.tsx';
import { SenderFields } from './sender-fields.tsx';
import { useSendContactMessageMutation } from './support.api.ts';
import { TrapField } from './trap-field.tsx';

/** The landing page's form. It brings the store along, which that page does without. */
export function ContactForm() {
  return (
    <StoreProviders>
      <Form />
    </StoreProviders>
  );
}

const EMPTY = { name: '', email: '', company: '', message: '', fax: '' };

function Form() {
  const { t } = useTranslation('support');
  const message = useFieldMessage();
  const form = useContractForm(ContactInput, EMPTY);
  const { errors } = form.formState;
  const [send, { isSuccess }] = useSendContactMessageMutation();
  const { submit, pending } = useSubmit(form, {
    send,
    failed: t('toasts.failed'),
    onDone: () => form.reset(EMPTY),
  });
  return (
    <form noValidate onSubmit={submit} className="relative flex flex-col gap-4">
      <SenderFields register={form.register} errors={errors} />
      <Field label={t('form.message')} error={message(errors.message)} required>
        <Textarea rows={4} {...form.register('message')} />
      </Field>
      <TrapField {...form.register('fax')} />
      <div role="alert">{isSuccess && <Thanks />}</div>
      <Button
        type="submit"
        variant="primary"
        size="lg"
        className="self-start"
        pending={pending}
        pendingLabel={t('form.sending')}
      >
        {t('form.send')}
      </Button>
    </form>
  );
}

/** Stays until the next message is sent: it is easily missed otherwise. */
function Thanks() {
  const { t } = useTranslation('support');
  return (
    <p className="flex items-center gap-2 rounded-lg border border-success/40 p-3 wash-success">
      <CircleCheck aria-hidden className="size-5 shrink-0 text-success" />
      {t('contact.thanks')}
    </p>
  );
}
