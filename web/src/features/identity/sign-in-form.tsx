import type { CurrentUser } from '@tallyhand/contracts/features/identity/identity.endpoints';
import {
  EmailAddress,
  GivenPassword,
} from '@tallyhand/contracts/features/identity/identity.fields';
import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { z } from 'zod';
import { useContractForm, useFieldMessage, useSubmit } from '../../app/form.ts';
import { FormFailure } from '../../app/form-failure.tsx';
import { asProblem, describeProblem } from '../../app/problem.ts';
import { Button } from '../../ui/button.tsx';
import { Field, Input, PasswordInput } from '../../ui/field.tsx';
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
  const { submit } = useSubmit(form, {
    send: ({ code, ...credentials }) =>
      isSuccess ? undefined : signIn(code.trim() ? { ...credentials, code } : credentials),
    failed: t('toasts.loginFailed'),
    onRefused: (error) => {
      const { code, params } = asProblem(error);
      if (code === 'second-factor-required') {
        setNeedsCode(true);
        return true;
      }
      const { deviceLink: link } = params;
      const reason = describeProblem(t, error);
      setThrottled(link ? { email: form.getValues('email').trim(), reason, link } : undefined);
      return link !== undefined;
    },
    onDone: ({ user }) => onSignedIn(user),
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
      <FormFailure form={form} />
      <SubmitButton pending={isLoading || isSuccess}>{t('signIn')}</SubmitButton>
    </form>
  );
}

/** Sends a form of the sign-in page. */
export function SubmitButton({ pending, children }: { pending: boolean; children: ReactNode }) {
  const { t } = useTranslation('identity');
  return (
    <Button
      type="submit"
      variant="primary"
      size="lg"
      className="mt-2 text-sm"
      pending={pending}
      pendingLabel={t('pending')}
    >
      {children}
    </Button>
  );
}
