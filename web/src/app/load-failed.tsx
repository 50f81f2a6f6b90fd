import { useTranslation } from 'react-i18next';
import { ErrorState } from '../ui/states.tsx';
import { asProblem, describeProblem } from './problem.ts';

/** Where a list or page could not be loaded: why, and the way to try again. */
export function LoadFailed({ error, onRetry }: { error: unknown; onRetry: () => void }) {
  const { t } = useTranslation();
  return (
    <ErrorState
      title={t('error.loadFailed')}
      description={describeProblem(t, error)}
      correlationId={asProblem(error).correlationId}
      onRetry={onRetry}
    />
  );
}
