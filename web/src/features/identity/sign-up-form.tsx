import {
  EmailAddress,
  NewPassword,
  OrganizationName,
  Username,
} from '@tallyhand/contracts/features/identity/identity.fields';
import type { Role } from '@tallyhand/contracts/kernel/role';
import { TriangleAlert } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { z } from 'zod';
import { useContractForm, useFieldMessage, useSubmit } from '../../app/form.ts';
import { FormFailure } from '../../app/form-failure.tsx';
import { asProblem, describeProblem } from '../../app/problem.ts';
import { Banner } from '../../ui/banner.tsx';
import { Button } from '../../ui/button.tsx';
import { Field, Input, PasswordInput } from '../../ui/field.tsx';
import { Skeleton } from '../../ui/loading.tsx';
import { remember } from '../../ui/remembered.ts';
import { showToastOnNextPage } from '../../ui/toast.ts';
import { useDayText } from '../team/last-day.ts';
import { useCheckInvitationQuery, useGetInvitationByTokenQuery } from '../team/team.api.ts';
import { useCheckPasswordMutation } from './account.api.ts';
import { useRegisterUserMutation } from './identity.api.ts';
import { SubmitButton } from './sign-in-form.tsx';

const EMPTY = { username: '', email: '', password: '', confirmPassword: '', organizationName: '' };

type SignUpFormProps = {
  invite?: string;
  onSignIn: () => void;
  /** Below the form, where there is one. */
  children: ReactNode;
};

/** A valid invitation joins its organization; without one the form founds a new one. */
export function SignUpForm({ invite, onSignIn, children }: SignUpFormProps) {
  const { t } = useTranslation('identity');
  const {
    data: invitation,
    error,
    isLoading,
  } = useGetInvitationByTokenQuery(invite ?? '', { skip: invite === undefined });
  const isInvited = invitation !== undefined;
  const check = useCheckInvitationQuery({ token: invite ?? '' }, { skip: !isInvited });
  if (isLoading || check.isLoading) return <Skeleton className="h-80" />;
  if (asProblem(check.error).code === 'email-has-account') {
    return (
      <div className="flex flex-col items-start gap-4">
        <Banner tone="warning" title={t('invitation.notValid')}>
          {describeProblem(t, check.error)}
        </Banner>
        <Button variant="primary" onClick={onSignIn}>
          {t('signIn')}
        </Button>
      </div>
    );
  }
  return (
    <>
      {error && (
        <div className="mb-4">
          <Banner tone="warning" title={t('invitation.notValid')}>
            {describeProblem(t, error)} {t('invitation.withoutIt')}
          </Banner>
        </div>
      )}
      <Registration invite={invitation && invite} invitation={invitation} />
      {children}
    </>
  );
}

type Invitation = {
  organizationName: string;
  role: Role;
  email: string | null;
  lastDay: string | null;
};

function useRegistration(invite: string | undefined, invitation: Invitation | undefined) {
  const { t } = useTranslation('identity');
  const form = useContractForm(invitation ? InvitedRegistrationForm : RegistrationForm, {
    ...EMPTY,
    email: invitation?.email ?? '',
    organizationName: invitation?.organizationName ?? '',
  });
  const [register, { isLoading, isSuccess }] = useRegisterUserMutation();
  const pending = isLoading || isSuccess;
  const { submit } = useSubmit(form, {
    send: ({ email, username, password, organizationName }) =>
      register({ email, username, password, ...(invite ? { invite } : { organizationName }) }),
    failed: t('toasts.registrationFailed'),
    onDone: () => {
      showToastOnNextPage({
        title: t('toasts.created'),
        description: invitation
          ? t('toasts.joinedDescription', { organization: invitation.organizationName })
          : t('toasts.createdDescription'),
      });
      // The dashboard welcomes them as new.
      remember('registered', 'yes');
      window.location.assign('/dashboard');
    },
  });
  return { form, submit, pending };
}

function Registration({ invite, invitation }: { invite?: string; invitation?: Invitation }) {
  const { t } = useTranslation('identity');
  const { t: common } = useTranslation('common');
  const message = useFieldMessage();
  const dayText = useDayText();
  const { form, submit, pending } = useRegistration(invite, invitation);
  const { help, check } = usePasswordHelp();
  const { errors } = form.formState;
  return (
    <form noValidate onSubmit={submit} className="flex flex-col gap-4">
      <p className="text-muted">
        {invitation
          ? t('intro.invited', {
              organization: invitation.organizationName,
              role: common(`roles.${invitation.role}`),
            })
          : t('intro.signUp')}
        {invitation?.lastDay && ` ${t('intro.until', { day: dayText(invitation.lastDay) })}`}
      </p>
      <Field
        label={t('fields.organizationName')}
        error={message(errors.organizationName)}
        help={invitation && t('help.invitedOrganization')}
        required
      >
        <Input
          autoComplete="organization"
          readOnly={invitation !== undefined}
          {...form.register('organizationName')}
        />
      </Field>
      <Field label={t('fields.username')} error={message(errors.username)} required>
        <Input autoComplete="nickname" {...form.register('username')} />
      </Field>
      <Field
        label={t('fields.email')}
        error={message(errors.email)}
        help={invitation?.email && t('help.invitedEmail')}
        required
      >
        <Input
          type="email"
          autoComplete="username"
          readOnly={invitation?.email != null}
          {...form.register('email')}
        />
      </Field>
      <Field label={t('fields.password')} error={message(errors.password)} help={help} required>
        <PasswordInput
          autoComplete="new-password"
          {...form.register('password', { onBlur: (event) => check(event.target.value) })}
        />
      </Field>
      <Field label={t('fields.confirmPassword')} error={message(errors.confirmPassword)} required>
        <PasswordInput autoComplete="new-password" {...form.register('confirmPassword')} />
      </Field>
      <FormFailure form={form} />
      <SubmitButton pending={pending}>{t('createAccount')}</SubmitButton>
    </form>
  );
}

const base = {
  username: Username,
  email: EmailAddress,
  password: NewPassword,
  confirmPassword: z.string(),
};

type Passwords = { password: string; confirmPassword: string };
const equal = ({ password, confirmPassword }: Passwords) => password === confirmPassword;
const mismatch = {
  path: ['confirmPassword'],
  message: "Passwords don't match",
  // Shown beside the other faults of the form, not only after they are mended.
  when: () => true,
};

/** What the sign-up form asks for. */
const RegistrationForm = z
  .object({ ...base, organizationName: OrganizationName })
  .refine(equal, mismatch);

/** With an invitation the organization is given, and not checked. */
const InvitedRegistrationForm = z
  .object({ ...base, organizationName: z.string() })
  .refine(equal, mismatch);

const CHECKED_FROM = 8;

/** What stands below a new password; `check` looks whether it was stolen before, and warns. */
export function usePasswordHelp(): { help: ReactNode; check: (password: string) => void } {
  const { t } = useTranslation('identity');
  const [send] = useCheckPasswordMutation();
  const [isCommon, setCommon] = useState(false);
  const check = async (password: string) => {
    if (password.length < CHECKED_FROM) {
      setCommon(false);
      return;
    }
    // Without an answer nothing is warned of: it is no condition.
    const { data } = await send({ password });
    setCommon(data?.warning === 'common-password');
  };
  const help = isCommon ? (
    <span role="status" className="flex items-start gap-1 text-warning">
      <TriangleAlert aria-hidden className="mt-0.5 size-3 shrink-0" />
      {t('help.commonPassword')}
    </span>
  ) : (
    t('help.newPassword')
  );
  return { help, check };
}
