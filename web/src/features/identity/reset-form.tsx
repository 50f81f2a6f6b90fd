import { useTranslation } from 'react-i18next';
import { useContractForm, useFieldMessage, useSubmit } from '../../app/form.ts';
import { Button } from '../../ui/button.tsx';
import { Field } from '../../ui/field.tsx';
import { PasswordInput } from '../../ui/password-input.tsx';
import { useResetPasswordMutation } from './account.api.ts';
import { NewPasswords } from './passwords-form.ts';
import { usePasswordHelp } from './use-password-help.tsx';

/** Sets a new password by the token of a link; then one signs in with it. */
export function ResetForm({ token, onDone }: { token: string; onDone: () => void }) {
  const { t } = useTranslation('identity');
  const message = useFieldMessage();
  const { help, check } = usePasswordHelp();
  const form = useContractForm(NewPasswords, { newPassword: '', confirmPassword: '' });
  const { errors } = form.formState;
  const [send] = useResetPasswordMutation();
  const { submit, pending } = useSubmit(form, {
    send: ({ newPassword }) => send({ token, newPassword }),
    done: { title: t('reset.done'), description: t('reset.doneDescription') },
    failed: t('reset.failed'),
    onDone,
  });
  return (
    <form noValidate onSubmit={submit} className="flex flex-col gap-4">
      <p className="text-muted">{t('reset.intro')}</p>
      <Field
        label={t('fields.newPassword')}
        error={message(errors.newPassword)}
        help={help}
        required
      >
        <PasswordInput
          autoComplete="new-password"
          {...form.register('newPassword', { onBlur: (event) => check(event.target.value) })}
        />
      </Field>
      <Field label={t('fields.confirmPassword')} error={message(errors.confirmPassword)} required>
        <PasswordInput autoComplete="new-password" {...form.register('confirmPassword')} />
      </Field>
      <Button
        type="submit"
        variant="primary"
        size="lg"
        className="mt-2 text-sm"
        pending={pending}
        pendingLabel={t('pending')}
      >
        {t('reset.save')}
      </Button>
    </form>
  );
}
