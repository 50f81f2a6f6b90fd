import { ContactInput } from '@tallyhand/contracts/features/support/support.fields';
import { CircleCheck } from 'lucide-react';
import type { ComponentProps } from 'react';
import type { UseFormRegisterReturn } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { useContractForm, useFieldMessage, useSubmit } from '../../app/form.ts';
import { StoreProviders } from '../../app/with-store.tsx';
import { Button } from '../../ui/button.tsx';
import { Field, Input, Textarea } from '../../ui/field.tsx';
import { useSendContactMessageMutation } from './support.api.ts';

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

type Name = 'name' | 'email' | 'company';

type SenderFieldsProps = {
  register: (name: Name) => UseFormRegisterReturn;
  errors: { [N in Name]?: unknown };
};

/** Who writes; the same in every form that leads to us. */
export function SenderFields({ register, errors }: SenderFieldsProps) {
  const { t } = useTranslation('support');
  const { t: common } = useTranslation('common');
  const message = useFieldMessage();
  return (
    <>
      <div className="grid gap-4 sm:grid-cols-2">
        <Field label={t('form.name')} error={message(errors.name)} required>
          <Input autoComplete="name" {...register('name')} />
        </Field>
        <Field label={t('form.email')} error={message(errors.email)} required>
          <Input type="email" autoComplete="email" {...register('email')} />
        </Field>
      </div>
      <Field label={t('form.company')} hint={common('optional')} error={message(errors.company)}>
        <Input autoComplete="organization" {...register('company')} />
      </Field>
    </>
  );
}

/** Neither seen nor heard nor reached by people; programs fill it in. */
export function TrapField(props: ComponentProps<'input'>) {
  return (
    <div aria-hidden="true" className="absolute -left-[9999px] size-px overflow-hidden">
      <input {...props} type="text" tabIndex={-1} autoComplete="off" />
    </div>
  );
}
