import type { CurrentUser } from '@tallyhand/contracts/features/identity/identity.endpoints';
import {
  EmailAddress,
  GivenPassword,
} from '@tallyhand/contracts/features/identity/identity.fields';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { z } from 'zod';
import { showFieldErrors, useContractForm, useFieldMessage } from '../../app/form.ts';
import { asProblem, describeProblem } from '../../app/problem.ts';
import { Button } from '../../ui/button.tsx';
import { Field } from '../../ui/field.tsx';
import { Input } from '../../ui/input.tsx';
import { PasswordInput } from '../../ui/password-input.tsx';
import { showToast } from '../../ui/toast.ts';
import { DeviceLinkOffer, OperatorLinkHint } from './device-link.tsx';
import { useSignInMutation } from './identity.api.ts';

/** The code is asked for once the password was right. */
const Credentials = z.object({
  email: EmailAddress,
  password: GivenPassword,
  code: z.string(),
});

type SignInFormProps = {
  /** The account that must sign in; any account if absent. */
  email?: string;
  onForgot?: () => void;
  onSignedIn: (user: CurrentUser) => void;
};

export function SignInForm({ email = '', onForgot, onSignedIn }: SignInFormProps) {
  const { t } = useTranslation('identity');
  const message = useFieldMessage();
  const form = useContractForm(Credentials, { email, password: '', code: '' });
  const [needsCode, setNeedsCode] = useState(false);
  /** The address whose attempts have to wait, for how long, and who gives out a link that ends that. */
  const [throttled, setThrottled] = useState<{ email: string; reason: string; link: unknown }>();
  const { errors } = form.formState;
  const [signIn, { isLoading, isSuccess }] = useSignInMutation();
  const submit = form.handleSubmit(async ({ code, ...credentials }) => {
    if (isLoading || isSuccess) return;
    const { data, error } = await signIn(code.trim() ? { ...credentials, code } : credentials);
    if (data) {
      onSignedIn(data.user);
      return;
    }
    const { code: reason, params } = asProblem(error);
    if (reason === 'second-factor-required') {
      setNeedsCode(true);
      return;
    }
    const description = describeProblem(t, error);
    const { deviceLink: link } = params;
    if (link) {
      setThrottled({ email: credentials.email, reason: description, link });
      return;
    }
    setThrottled(undefined);
    showFieldErrors(form, error);
    showToast({ variant: 'destructive', title: t('toasts.loginFailed'), description });
  });
  return (
    <form noValidate onSubmit={submit} className="flex flex-col gap-4">
      {!email && <p className="text-muted">{t('intro.signIn')}</p>}
      <Field label={t('fields.email')} error={message(errors.email)} required>
        <Input
          type="email"
          autoComplete="username"
          readOnly={email !== ''}
          {...form.register('email')}
        />
      </Field>
      <Field label={t('fields.password')} error={message(errors.password)} required>
        <PasswordInput autoComplete="current-password" {...form.register('password')} />
      </Field>
      {needsCode && (
        <Field label={t('fields.code')} help={t('help.code')} error={message(errors.code)} required>
          <Input autoFocus autoComplete="one-time-code" {...form.register('code')} />
        </Field>
      )}
      {throttled?.link === 'by-mail' && <DeviceLinkOffer {...throttled} />}
      {throttled?.link === 'by-operator' && <OperatorLinkHint {...throttled} />}
      {onForgot && (
        <button
          type="button"
          onClick={onForgot}
          className="self-start rounded-sm text-accent underline-offset-4 hover:underline"
        >
          {t('forgot.link')}
        </button>
      )}
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
