import { Menu, X } from 'lucide-react';
import { type ReactNode, useEffect, useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Switchers } from '../../app/switchers.tsx';
import { ButtonLink, HeaderButton } from '../../ui/button.tsx';
import { Link } from '../../ui/link.tsx';
import { Logo } from '../../ui/logo.tsx';
import { remembered } from '../../ui/remembered.ts';

export const headerLinkClass = 'rounded-sm text-sm text-muted hover:text-text';

/** The head of every public page. `children`: its links, which a narrow window has in a menu. */
export function PublicHeader({ children }: { children: ReactNode }) {
  const { t } = useTranslation('landing');
  const { t: common } = useTranslation('common');
  const [isOpen, setOpen] = useState(false);
  const menu = useId();
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
          <Switchers />
        </span>
        {remembered('signedIn') ? (
          <ButtonLink className="px-2 sm:px-4" to="/dashboard">
            {t('nav.openDashboard')}
          </ButtonLink>
        ) : (
          <>
            <ButtonLink variant="ghost" className="px-2 sm:px-3" to="/auth">
              {t('nav.signIn')}
            </ButtonLink>
            <ButtonLink className="px-2 sm:px-4" to="/auth?tab=register">
              {t('nav.signUp')}
            </ButtonLink>
          </>
        )}
        <HeaderButton
          className="-mr-2 md:hidden"
          aria-label={t('nav.menu')}
          aria-expanded={isOpen}
          aria-controls={menu}
          onClick={() => setOpen(!isOpen)}
        >
          {isOpen ? <X aria-hidden /> : <Menu aria-hidden />}
        </HeaderButton>
      </div>
      {isOpen && <NarrowMenu id={menu} close={() => setOpen(false)} links={children} />}
    </header>
  );
}

function NarrowMenu({ id, close, links }: { id: string; close: () => void; links: ReactNode }) {
  const { t } = useTranslation('landing');
  useEffect(() => {
    const closeByKey = ({ key }: KeyboardEvent) => key === 'Escape' && close();
    window.addEventListener('keydown', closeByKey);
    return () => window.removeEventListener('keydown', closeByKey);
  }, [close]);
  return (
    <div id={id} className="border-t border-line px-4 py-3 sm:px-6 md:hidden">
      <nav
        aria-label={t('nav.label')}
        // After choosing a link the menu is not needed; keys trigger clicks on links too.
        onClickCapture={close}
        className="flex flex-col gap-1 [&>a]:py-2 [&>a]:text-base"
      >
        {links}
      </nav>
      <span className="mt-2 inline-flex border-t border-line pt-3 sm:hidden">
        <Switchers />
      </span>
    </div>
  );
}

const groups = {
  product: ['features', 'pricing', 'documentation', 'api'],
  company: ['about', 'blog', 'careers', 'contact'],
  support: ['help', 'status', 'security', 'privacy'],
} as const;

export function PublicFooter() {
  const { t } = useTranslation('landing');
  return (
    <footer className="border-t border-line">
      <div className="mx-auto grid max-w-[1200px] grid-cols-2 gap-8 px-6 py-12 text-sm md:grid-cols-4">
        <div className="max-md:col-span-2">
          <Logo />
          <p className="mt-3 text-muted">{t('footer.text')}</p>
        </div>
        {(Object.keys(groups) as (keyof typeof groups)[]).map((group) => (
          <nav key={group} aria-label={t(`footer.groups.${group}`)}>
            <h2 className="font-semibold">{t(`footer.groups.${group}`)}</h2>
            <ul className="mt-1 flex flex-col">
              {groups[group].map((page) => (
                <li key={page}>
                  <Link
                    to={`/${page}`}
                    className="inline-block rounded-sm py-1 text-muted hover:text-text"
                  >
                    {t(`footer.pages.${page}`)}
                  </Link>
                </li>
              ))}
            </ul>
          </nav>
        ))}
      </div>
    </footer>
  );
}
