import { EmailAddress } from '@tallyhand/contracts/features/identity/identity.fields';
import { useTranslation } from 'react-i18next';
import { z } from 'zod';
import { useContractForm, useFieldMessage, useSubmit } from '../../app/form.ts';
import { Banner } from '../../ui/banner.tsx';
import { Button } from '../../ui/button.tsx';
import { Field } from '../../ui/field.tsx';
import { Input } from '../../ui/input.tsx';
import { useRequestPasswordResetMutation } from './account.api.ts';

const Address = z.object({ email: EmailAddress });

/** Says the same whether there is such an account. */
export function ForgotForm() {
  const { t } = useTranslation('identity');
  const message = useFieldMessage();
  const form = useContractForm(Address, { email: '' });
  const [send, { isSuccess }] = useRequestPasswordResetMutation();
  const { submit, pending } = useSubmit(form, {
    send: ({ email }) => send(email),
    failed: t('forgot.failed'),
  });
  if (isSuccess) {
    return (
      <Banner tone="info" title={t('forgot.sent')}>
        {t('forgot.sentDescription')}
      </Banner>
    );
  }
  return (
    <form noValidate onSubmit={submit} className="flex flex-col gap-4">
      <p className="text-muted">{t('forgot.intro')}</p>
      <Field label={t('fields.email')} error={message(form.formState.errors.email)} required>
        <Input type="email" autoComplete="username" {...form.register('email')} />
      </Field>
      <Button
        type="submit"
        variant="primary"
        size="lg"
        className="mt-2 text-sm"
        pending={pending}
        pendingLabel={t('pending')}
      >
        {t('forgot.send')}
      </Button>
    </form>
  );
}
