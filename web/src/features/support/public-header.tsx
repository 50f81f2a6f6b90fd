import { type ReactNode, Suspense } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';
import { part } from '../../app/part.ts';
import { ButtonLink } from '../../ui/button.tsx';
import { Logo } from '../../ui/logo.tsx';

// Their menus weigh more than a page: it is read meanwhile.
const Switchers = part([], [], async () => (await import('../../app/switchers.tsx')).Switchers);

export const headerLinkClass = 'rounded-sm text-sm text-muted hover:text-text';

/** The head of every public page. `children`: its links. */
export function PublicHeader({ children }: { children: ReactNode }) {
  const { t } = useTranslation('landing');
  const { t: common } = useTranslation('common');
  return (
    <header className="sticky top-0 z-30 border-b border-line bg-background">
      <a
        href="#content"
        className="sr-only focus:not-sr-only focus:fixed focus:top-2 focus:left-2 focus:z-50 focus:rounded-md focus:bg-raised focus:px-4 focus:py-2"
      >
        {common('shell.skip')}
      </a>
      <div className="mx-auto flex h-14 max-w-[1200px] items-center gap-1 px-4 sm:px-6">
        <Link to="/" className="flex rounded-sm">
          <Logo />
        </Link>
        <nav aria-label={t('nav.label')} className="ml-8 hidden gap-6 md:flex">
          {children}
        </nav>
        <div className="flex-1" />
        <span className="hidden min-w-[100px] justify-end sm:inline-flex">
          <Suspense>
            <Switchers />
          </Suspense>
        </span>
        <ButtonLink variant="ghost" className="px-3">
          <Link to="/auth">{t('nav.signIn')}</Link>
        </ButtonLink>
        <ButtonLink>
          <Link to="/auth?tab=register">{t('nav.signUp')}</Link>
        </ButtonLink>
      </div>
    </header>
  );
}
