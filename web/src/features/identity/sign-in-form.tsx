import {
  EmailAddress,
  GivenPassword,
} from '@tallyhand/contracts/features/identity/identity.fields';
import { useTranslation } from 'react-i18next';
import { z } from 'zod';
import { showFieldErrors, useContractForm, useFieldMessage } from '../../app/form.ts';
import { describeProblem } from '../../app/problem.ts';
import { Button } from '../../ui/button.tsx';
import { Field } from '../../ui/field.tsx';
import { Input } from '../../ui/input.tsx';
import { PasswordInput } from '../../ui/password-input.tsx';
import { showToast, showToastOnNextPage } from '../../ui/toast.ts';
import { useSignInMutation } from './identity.api.ts';

const Credentials = z.object({ email: EmailAddress, password: GivenPassword });

export function SignInForm() {
  const { t } = useTranslation('identity');
  const message = useFieldMessage();
  const form = useContractForm(Credentials, { email: '', password: '' });
  const { errors } = form.formState;
  const [signIn, { isLoading, isSuccess }] = useSignInMutation();
  const submit = form.handleSubmit(async (credentials) => {
    if (isLoading || isSuccess) return;
    const { error } = await signIn(credentials);
    if (!error) {
      showToastOnNextPage({
        title: t('toasts.welcomeBack'),
        description: t('toasts.loggedIn'),
      });
      window.location.assign('/dashboard');
      return;
    }
    showFieldErrors(form, error);
    showToast({
      variant: 'destructive',
      title: t('toasts.loginFailed'),
      description: describeProblem(t, error),
    });
  });
  return (
    <form noValidate onSubmit={submit} className="flex flex-col gap-4">
      <p className="text-muted">{t('intro.signIn')}</p>
      <Field label={t('fields.email')} error={message(errors.email)} required>
        <Input type="email" autoComplete="username" {...form.register('email')} />
      </Field>
      <Field label={t('fields.password')} error={message(errors.password)} required>
        <PasswordInput autoComplete="current-password" {...form.register('password')} />
      </Field>
      <Button
        type="submit"
        variant="primary"
        size="lg"
        className="mt-2 text-sm"
        pending={isLoading || isSuccess}
        pendingLabel={t('pending')}
      >
        {t('signIn')}
      </Button>
    </form>
  );
}
