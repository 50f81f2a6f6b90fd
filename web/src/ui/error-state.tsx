import { CircleAlert } from 'lucide-react';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { Button } from './button.tsx';

/** What happened, what to do, and below it what else helps. */
export function ErrorState({
  title,
  description,
  level: Heading = 'h2',
  onRetry,
  children,
}: {
  title: string;
  description: string;
  /** Among what else is there of the page. */
  level?: 'h1' | 'h2' | 'h3';
  onRetry?: () => void;
  children?: ReactNode;
}) {
  const { t } = useTranslation('common');
  return (
    <div role="alert" className="flex flex-col items-center gap-1 px-4 py-12 text-center">
      <CircleAlert aria-hidden className="mb-2 size-6 text-danger" />
      <Heading className="text-base font-semibold">{title}</Heading>
      <p className="max-w-[68ch] text-sm text-balance text-muted">{description}</p>
      {onRetry && (
        <Button className="mt-4" onClick={onRetry}>
          {t('actions.retry')}
        </Button>
      )}
      {children}
    </div>
  );
}
