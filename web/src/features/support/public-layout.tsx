import { Suspense } from 'react';
import { useTranslation } from 'react-i18next';
import { Outlet } from 'react-router-dom';
import { PageSpinner } from '../../app/page-boundary.tsx';
import { Link, usePlaceOfPage } from '../../ui/link.tsx';
import { headerLinkClass, PublicFooter, PublicHeader } from './public-header.tsx';

const pages = ['features', 'pricing', 'documentation', 'help', 'contact'] as const;

/** Header and footer of public pages. The landing page has its own anchors. */
export function PublicLayout() {
  const { t } = useTranslation('landing');
  const { pathname } = usePlaceOfPage();
  return (
    <div className="flex min-h-dvh flex-col text-base">
      <PublicHeader>
        {pages.map((page) => (
          <Link
            key={page}
            to={`/${page}`}
            aria-current={pathname === `/${page}` ? 'page' : undefined}
            className={`${headerLinkClass} aria-[current=page]:text-text`}
          >
            {t(`footer.pages.${page}`)}
          </Link>
        ))}
      </PublicHeader>
      <main id="content" tabIndex={-1} className="min-h-[70dvh] flex-1 outline-none">
        <Suspense fallback={<PageSpinner />}>
          <Outlet />
        </Suspense>
      </main>
      <PublicFooter />
    </div>
  );
}
