import {
  CATEGORIES,
  type Category,
  PRIORITIES,
  TicketInput,
} from '@tallyhand/contracts/features/support/support.fields';
import { useTranslation } from 'react-i18next';
import { useContractForm, useFieldMessage, useSubmit } from '../../app/form.ts';
import { Button } from '../../ui/button.tsx';
import { Field } from '../../ui/field.tsx';
import { Input } from '../../ui/input.tsx';
import { Select } from '../../ui/select.tsx';
import { Textarea } from '../../ui/textarea.tsx';
import { SenderFields } from './sender-fields.tsx';
import { useOpenTicketMutation } from './support.api.ts';
import { TrapField } from './trap-field.tsx';

type TicketFormProps = {
  /** Who is signed in, if anybody is. */
  sender: { name: string; email: string; company: string };
  category: Category;
  onSent: (ticketNumber: string) => void;
};

function useTicketForm({ sender, category, onSent }: TicketFormProps) {
  const { t } = useTranslation('support');
  const form = useContractForm(TicketInput, {
    ...sender,
    subject: '',
    message: '',
    priority: 'medium',
    category,
    fax: '',
  });
  const [open] = useOpenTicketMutation();
  const { submit, pending } = useSubmit(form, {
    send: open,
    done: { title: t('toasts.sent'), description: t('toasts.sentDescription') },
    failed: t('toasts.failed'),
    onDone: ({ ticketNumber }) => onSent(ticketNumber),
  });
  return { form, submit, pending };
}

export function TicketForm(props: TicketFormProps) {
  const { t } = useTranslation('support');
  const message = useFieldMessage();
  const { form, submit, pending } = useTicketForm(props);
  const { errors } = form.formState;
  return (
    <form noValidate onSubmit={submit} className="relative flex flex-col gap-4">
      <SenderFields register={form.register} errors={errors} />
      <div className="grid gap-4 sm:grid-cols-2">
        <Field label={t('form.category')} error={message(errors.category)}>
          <Select
            options={CATEGORIES.map((value) => ({ value, label: t(`categories.${value}`) }))}
            {...form.register('category')}
          />
        </Field>
        <Field label={t('form.priority')} error={message(errors.priority)}>
          <Select
            options={PRIORITIES.map((value) => ({ value, label: t(`priorities.${value}`) }))}
            {...form.register('priority')}
          />
        </Field>
      </div>
      <Field label={t('form.subject')} error={message(errors.subject)} required>
        <Input autoComplete="off" {...form.register('subject')} />
      </Field>
      <Field label={t('form.message')} error={message(errors.message)} required>
        <Textarea rows={6} {...form.register('message')} />
      </Field>
      <TrapField {...form.register('fax')} />
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
