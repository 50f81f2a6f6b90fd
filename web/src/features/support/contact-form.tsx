import { ContactInput } from '@tallyhand/contracts/features/support/support.fields';
import { useTranslation } from 'react-i18next';
import { showFieldErrors, useContractForm, useFieldMessage } from '../../app/form.ts';
import { describeProblem } from '../../app/problem.ts';
import { StoreProviders } from '../../app/with-store.tsx';
import { Button } from '../../ui/button.tsx';
import { Field } from '../../ui/field.tsx';
import { Input } from '../../ui/input.tsx';
import { Textarea } from '../../ui/textarea.tsx';
import { showToast } from '../../ui/toast.ts';
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
  const { t: common } = useTranslation('common');
  const message = useFieldMessage();
  const form = useContractForm(ContactInput, EMPTY);
  const { errors } = form.formState;
  const [send, { isLoading }] = useSendContactMessageMutation();
  const submit = form.handleSubmit(async (input) => {
    if (isLoading) return;
    const { error } = await send(input);
    if (!error) {
      form.reset(EMPTY);
      showToast({ title: t('contact.thanks') });
      return;
    }
    showFieldErrors(form, error);
    const description = describeProblem(t, error);
    showToast({ variant: 'destructive', title: t('toasts.failed'), description });
  });
  return (
    <form noValidate onSubmit={submit} className="relative flex flex-col gap-4">
      <div className="grid gap-4 sm:grid-cols-2">
        <Field label={t('form.name')} error={message(errors.name)} required>
          <Input autoComplete="name" {...form.register('name')} />
        </Field>
        <Field label={t('form.email')} error={message(errors.email)} required>
          <Input type="email" autoComplete="email" {...form.register('email')} />
        </Field>
      </div>
      <Field label={t('form.company')} hint={common('optional')} error={message(errors.company)}>
        <Input autoComplete="organization" {...form.register('company')} />
      </Field>
      <Field label={t('form.message')} error={message(errors.message)} required>
        <Textarea rows={4} {...form.register('message')} />
      </Field>
      <TrapField {...form.register('fax')} />
      <Button
        type="submit"
        variant="primary"
        size="lg"
        className="self-start"
        pending={isLoading}
        pendingLabel={t('form.sending')}
      >
        {t('form.send')}
      </Button>
    </form>
  );
}
