import { useTranslation } from 'react-i18next';
import { ErrorState } from '../ui/states.tsx';
import { asProblem, describeProblem } from './problem.ts';
import { useWhenServerIsBack } from './when-server-is-back.ts';

/** Why a list or page could not be loaded. Tries again when asked, and after an outage. */
export function LoadFailed({ error, onRetry }: { error: unknown; onRetry: () => void }) {
  const { t } = useTranslation();
  useWhenServerIsBack(onRetry);
  return (
    <ErrorState
      title={t('error.loadFailed')}
      description={describeProblem(t, error)}
      correlationId={asProblem(error).correlationId}
      onRetry={onRetry}
    />
  );
}
