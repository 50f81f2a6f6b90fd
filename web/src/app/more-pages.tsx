import { useTranslation } from 'react-i18next';
import { Button } from '../ui/button.tsx';
import { LoadFailed } from './load-failed.tsx';

type Pages = {
  error?: unknown;
  hasNextPage: boolean;
  isFetchingNextPage: boolean;
  fetchNextPage: () => unknown;
  refetch: () => unknown;
};

/** Below a paged list: a button for the next page, or why that failed to load. */
export function MorePages({ pages }: { pages: Pages }) {
  const { t } = useTranslation('common');
  const { error, hasNextPage, isFetchingNextPage, fetchNextPage, refetch } = pages;
  if (error) return <LoadFailed error={error} onRetry={hasNextPage ? fetchNextPage : refetch} />;
  if (!hasNextPage) return null;
  return (
    <div className="mt-3 flex justify-center">
      <Button pending={isFetchingNextPage} onClick={() => void fetchNextPage()}>
        {t('actions.showMore')}
      </Button>
    </div>
  );
}
