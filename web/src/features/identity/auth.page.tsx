import { ArrowLeft } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { Link, Navigate, useSearchParams } from 'react-router-dom';
import { PageSpinner } from '../../app/page-spinner.tsx';
import { Switchers } from '../../app/switchers.tsx';
import { useTitle } from '../../app/use-title.ts';
import { Logo } from '../../ui/logo.tsx';
import { TabPanel, Tabs } from '../../ui/tabs.tsx';
import { useGetCurrentUserQuery } from './identity.api.ts';
import { SignInForm } from './sign-in-form.tsx';
import { SignUpForm } from './sign-up-form.tsx';

/** `?invite=TOKEN` joins an organization, `?tab=register` opens at sign-up. */
export function AuthPage() {
  const { t } = useTranslation('identity');
  const [search, setSearch] = useSearchParams();
  const { data: user, isLoading } = useGetCurrentUserQuery();
  const invite = search.get('invite') ?? undefined;
  const tab = search.get('tab') ?? (invite ? 'register' : 'login');
  const shown = tab === 'register' ? 'register' : 'login';
  useTitle(shown === 'register' ? t('signUp') : t('signIn'));

  if (isLoading) return <PageSpinner />;
  if (user) return <Navigate to="/dashboard" replace />;

  const show = (next: 'login' | 'register') => {
    const params = new URLSearchParams(search);
    params.set('tab', next);
    setSearch(params, { replace: true });
  };
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
          <h1 className="mb-4 text-lg font-semibold">
            {shown === 'register' ? t('heading.signUp') : t('heading.signIn')}
          </h1>
          <Tabs
            value={shown}
            onChange={show}
            label={t('tabs')}
            tabs={[
              { value: 'login', label: t('signIn') },
              { value: 'register', label: t('signUp') },
            ]}
          >
            <TabPanel value="login" keep>
              <SignInForm />
              <OtherTab question={t('noAccount')} label={t('signUp')} to={() => show('register')} />
            </TabPanel>
            <TabPanel value="register" keep>
              <SignUpForm invite={invite} />
              <OtherTab question={t('haveAccount')} label={t('signIn')} to={() => show('login')} />
            </TabPanel>
          </Tabs>
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
