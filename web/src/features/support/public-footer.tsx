import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';
import { Logo } from '../../ui/logo.tsx';

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
