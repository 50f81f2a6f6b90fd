import { useTranslation } from 'react-i18next';
import { Spinner } from '../ui/spinner.tsx';

export function PageSpinner() {
  const { t } = useTranslation('common');
  return (
    <div role="status" className="flex min-h-[60dvh] animate-late items-center justify-center">
      <Spinner className="size-6 text-muted" />
      <span className="sr-only">{t('loading')}</span>
    </div>
  );
}
