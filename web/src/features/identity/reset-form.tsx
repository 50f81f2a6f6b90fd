import { useTranslation } from 'react-i18next';
import { showFieldErrors, useContractForm, useFieldMessage } from '../../app/form.ts';
import { describeProblem } from '../../app/problem.ts';
import { Button } from '../../ui/button.tsx';
import { Field } from '../../ui/field.tsx';
import { PasswordInput } from '../../ui/password-input.tsx';
import { showToast } from '../../ui/toast.ts';
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
  const [send, { isLoading }] = useResetPasswordMutation();
  const submit = form.handleSubmit(async ({ newPassword }) => {
    if (isLoading) return;
    const { error } = await send({ token, newPassword });
    if (!error) {
      showToast({ title: t('reset.done'), description: t('reset.doneDescription') });
      onDone();
      return;
    }
    showFieldErrors(form, error);
    const description = describeProblem(t, error);
    showToast({ variant: 'destructive', title: t('reset.failed'), description });
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
        pending={isLoading}
        pendingLabel={t('pending')}
      >
        {t('reset.save')}
      </Button>
    </form>
  );
}
