import { useTranslation } from 'react-i18next';
import { ButtonLink } from '../ui/button.tsx';
import { Link } from '../ui/link.tsx';
import { Logo } from '../ui/logo.tsx';
import { useTitle } from './use-title.ts';

export function NotFoundPage() {
  const { t } = useTranslation('common');
  useTitle(t('notFound.title'));
  return (
    <main className="flex min-h-dvh flex-col items-center justify-center gap-2 p-6 text-center">
      <Link to="/" className="mb-6 rounded-sm">
        <Logo />
      </Link>
      <h1 className="text-2xl font-semibold">{t('notFound.title')}</h1>
      <p className="text-base text-muted">{t('notFound.description')}</p>
      <ButtonLink variant="primary" className="mt-6" to="/">
        {t('notFound.home')}
      </ButtonLink>
    </main>
  );
}
