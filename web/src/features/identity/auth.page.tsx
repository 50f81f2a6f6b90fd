import type { CurrentUser } from '@tallyhand/contracts/features/identity/identity.endpoints';
import { EmailAddress, NewPassword } from '@tallyhand/contracts/features/identity/identity.fields';
import { ArrowLeft } from 'lucide-react';
import { type ReactNode, useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Navigate, useNavigate, useSearchParams } from 'react-router-dom';
import { z } from 'zod';
import { useContractForm, useFieldMessage, useSubmit } from '../../app/form.ts';
import { FormFailure } from '../../app/form-failure.tsx';
import { PageSpinner } from '../../app/page-boundary.tsx';
import { Switchers } from '../../app/switchers.tsx';
import { useTitle } from '../../app/use-title.ts';
import { Banner } from '../../ui/banner.tsx';
import { Button } from '../../ui/button.tsx';
import { Field, Input, PasswordInput } from '../../ui/field.tsx';
import { Link } from '../../ui/link.tsx';
import { Logo } from '../../ui/logo.tsx';
import { remember } from '../../ui/remembered.ts';
import { TabPanel, Tabs } from '../../ui/tabs.tsx';
import { showToastOnNextPage } from '../../ui/toast.ts';
import { useGetInvitationByTokenQuery } from '../team/team.api.ts';
import {
  useRequestPasswordResetMutation,
  useResetPasswordMutation,
  useUndoEmailChangeMutation,
} from './account.api.ts';
import { DevicePanel, LinkPanel } from './device-link.tsx';
import { useGetCurrentUserQuery } from './identity.api.ts';
import { SignInForm, SubmitButton } from './sign-in-form.tsx';
import { SignUpForm, usePasswordHelp } from './sign-up-form.tsx';
import { useSignOut } from './use-sign-out.ts';

/** Those in mails, by the parameter that holds their token. */
const LINKS = ['reset', 'undo', 'device'] as const;
type MailedLink = (typeof LINKS)[number];
type Way = 'login' | 'register' | 'forgot' | MailedLink;

/**
 * The token of a link in a mail: it leaves the address at once, so that neither the history of the
 * browser nor a link from here keeps it.
 */
function useLinkToken(name: MailedLink): string | undefined {
  const [search, setSearch] = useSearchParams();
  const [token] = useState(() => search.get(name) ?? undefined);
  const isShown = search.has(name);
  useEffect(() => {
    if (isShown) setSearch({}, { replace: true });
  }, [isShown, setSearch]);
  return token;
}

/**
 * `?invite=TOKEN` joins an organization, `?tab=register` opens at sign-up, `?tab=forgot` asks for a
 * new password; `?reset=TOKEN`, `?undo=TOKEN` and `?device=TOKEN` are links in mails.
 */
export function AuthPage() {
  const { t } = useTranslation('identity');
  const [search, setSearch] = useSearchParams();
  const { data: user, isLoading } = useGetCurrentUserQuery();
  const invite = search.get('invite') ?? undefined;
  const tokens = {
    reset: useLinkToken('reset'),
    undo: useLinkToken('undo'),
    device: useLinkToken('device'),
  };
  const [isDone, setDone] = useState(false);
  const link = isDone ? undefined : LINKS.find((name) => tokens[name]);
  const tab = search.get('tab') ?? (invite ? 'register' : 'login');
  const chosen = tab === 'register' || tab === 'forgot' ? tab : 'login';
  const way: Way = link ?? chosen;
  useTitle(t(`title.${way}`));

  if (isLoading) return <PageSpinner />;
  if (user && !link && !(invite && tab === 'register')) return <Navigate to="/dashboard" replace />;
  if (user && !link && invite) {
    return (
      <Frame title={t('invitation.notValid')}>
        <SignedInPanel invite={invite} user={user} />
      </Frame>
    );
  }

  const show = (next: 'login' | 'register' | 'forgot') => {
    setDone(true);
    const params = new URLSearchParams(search);
    params.set('tab', next);
    setSearch(params, { replace: true });
  };
  const enter = () => {
    remember('registered', null);
    showToastOnNextPage({ title: t('toasts.welcomeBack'), description: t('toasts.loggedIn') });
    window.location.assign('/dashboard');
  };
  const token = link && tokens[link];
  return (
    <Frame title={t(`heading.${way}`)}>
      {way === 'reset' && token && <ResetForm token={token} onDone={() => show('login')} />}
      {way === 'undo' && token && <UndoPanel token={token} onReset={() => show('forgot')} />}
      {way === 'device' && token && <DevicePanel token={token} onDone={() => show('login')} />}
      {way === 'forgot' && <ForgotForm />}
      {way !== 'login' && way !== 'register' && (
        <OtherTab question={t('haveAccount')} label={t('signIn')} to={() => show('login')} />
      )}
      {(way === 'login' || way === 'register') && (
        <Tabs
          value={way}
          onChange={show}
          label={t('tabs')}
          tabs={[
            { value: 'login', label: t('signIn') },
            { value: 'register', label: t('signUp') },
          ]}
        >
          <TabPanel value="login" keep>
            <SignInForm onForgot={() => show('forgot')} onSignedIn={enter} />
            <OtherTab question={t('noAccount')} label={t('signUp')} to={() => show('register')} />
          </TabPanel>
          <TabPanel value="register" keep>
            <SignUpForm invite={invite} onSignIn={() => show('login')}>
              <OtherTab question={t('haveAccount')} label={t('signIn')} to={() => show('login')} />
            </SignUpForm>
          </TabPanel>
        </Tabs>
      )}
    </Frame>
  );
}

function Frame({ title, children }: { title: string; children: ReactNode }) {
  const { t } = useTranslation('identity');
  return (
    <div className="flex min-h-dvh flex-col text-sm">
      <header className="flex h-14 items-center justify-between px-4 sm:px-6">
        <Link
          to="/"
          className="inline-flex items-center gap-2 rounded-sm text-muted hover:text-text"
        >
          <ArrowLeft aria-hidden className="size-4" />
          {t('back')}
        </Link>
        <span className="flex">
          <Switchers />
        </span>
      </header>
      <main className="mx-auto flex w-full max-w-[432px] flex-1 flex-col px-4 pt-6 pb-12 sm:pt-12">
        <div className="mb-8 flex justify-center">
          <Logo />
        </div>
        <div className="rounded-lg border border-line bg-surface p-6">
          <h1 className="mb-4 text-lg font-semibold">{title}</h1>
          {children}
        </div>
      </main>
    </div>
  );
}

function OtherTab({ question, label, to }: { question: string; label: string; to: () => void }) {
  return (
    <p className="mt-6 text-center text-muted">
      {question}{' '}
      <button
        type="button"
        onClick={to}
        className="rounded-sm font-medium text-accent underline-offset-4 hover:underline"
      >
        {label}
      </button>
    </p>
  );
}

const Address = z.object({ email: EmailAddress });

/** Says the same whether there is such an account. */
function ForgotForm() {
  const { t } = useTranslation('identity');
  const message = useFieldMessage();
  const form = useContractForm(Address, { email: '' });
  const [send, { isSuccess }] = useRequestPasswordResetMutation();
  const { submit, pending } = useSubmit(form, {
    send,
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
      <FormFailure form={form} />
      <SubmitButton pending={pending}>{t('forgot.send')}</SubmitButton>
    </form>
  );
}

/** Sets a new password by the token of a link; then one signs in with it. */
function ResetForm({ token, onDone }: { token: string; onDone: () => void }) {
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
      <FormFailure form={form} />
      <SubmitButton pending={pending}>{t('reset.save')}</SubmitButton>
    </form>
  );
}

/** A new password, typed twice. */
const NewPasswords = z
  .object({ newPassword: NewPassword, confirmPassword: z.string() })
  .refine(({ newPassword, confirmPassword }) => newPassword === confirmPassword, {
    path: ['confirmPassword'],
    message: "Passwords don't match",
    when: () => true,
  });

/** For a signed-in person who opens an invitation: an account belongs to one organization. */
function SignedInPanel({ invite, user }: { invite: string; user: CurrentUser }) {
  const { t } = useTranslation('identity');
  const navigate = useNavigate();
  const { data: invitation, isLoading } = useGetInvitationByTokenQuery(invite);
  const { signOut, pending } = useSignOut(`/auth?invite=${encodeURIComponent(invite)}`);
  if (isLoading) return <PageSpinner />;
  if (!invitation) return <Navigate to="/dashboard" replace />;
  return (
    <div className="flex flex-col gap-4">
      <p>
        {t('invitation.signedIn', {
          email: user.email,
          organization: user.organization.name,
          invited: invitation.organizationName,
        })}
      </p>
      <p className="text-muted">{t('invitation.options')}</p>
      <div className="flex flex-wrap gap-2">
        <Button variant="primary" onClick={() => navigate('/dashboard')}>
          {t('invitation.toDashboard')}
        </Button>
        <Button pending={pending} pendingLabel={t('pending')} onClick={signOut}>
          {t('invitation.signOut')}
        </Button>
      </div>
    </div>
  );
}

/** Takes a change of address back. */
function UndoPanel({ token, onReset }: { token: string; onReset: () => void }) {
  const { t } = useTranslation('identity');
  const [undo, { isLoading, isSuccess, error }] = useUndoEmailChangeMutation();
  if (isSuccess) {
    return (
      <Banner
        tone="info"
        title={t('undo.done')}
        action={
          <Button size="sm" onClick={onReset}>
            {t('undo.reset')}
          </Button>
        }
      >
        {t('undo.doneDescription')}
      </Banner>
    );
  }
  return (
    <LinkPanel
      failed={t('undo.failed')}
      error={error}
      intro={t('undo.intro')}
      label={t('undo.confirm')}
      pending={isLoading}
      onConfirm={() => undo({ token })}
    />
  );
}
