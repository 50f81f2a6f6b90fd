import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';
import { StatusBadge } from '../../ui/badge.tsx';
import { SourceList } from '../../ui/source-list.tsx';
import type { Execution } from './use-execution.ts';

/** Completed or Failed, with the output or the error, what it cost and how it came about. */
export function ExecutionResultCard({ result }: { result: Execution }) {
  const { t } = useTranslation('agents');
  const { success, creditCost, executionTimeMs, taskId } = result;
  return (
    <section
      aria-label={success ? t('execute.completed') : t('execute.failed')}
      className="flex flex-col gap-4 rounded-lg border border-line bg-surface p-4"
    >
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1 text-muted">
        <StatusBadge
          status={success ? 'success' : 'failed'}
          label={success ? t('execute.completed') : t('execute.failed')}
        />
        <span className="tabular">{t('execute.cost', { count: creditCost })}</span>
        {executionTimeMs !== null && (
          <span className="tabular">{t('execute.time', { ms: executionTimeMs })}</span>
        )}
        {taskId && (
          <Link
            to={`/tasks?task=${taskId}`}
            className="ml-auto rounded-sm text-accent underline-offset-4 hover:underline"
          >
            {t('execute.viewTask')}
          </Link>
        )}
      </div>
      <p className="break-words whitespace-pre-wrap">
        {success ? result.output || t('execute.noOutput') : result.error}
      </p>
      {result.sources.length > 0 && (
        <SourceList title={t('execute.sources')} sources={result.sources} />
      )}
      {result.reasoning && (
        <div>
          <h3 className="font-medium">{t('execute.reasoning')}</h3>
          <p className="break-words whitespace-pre-wrap text-muted">{result.reasoning}</p>
        </div>
      )}
    </section>
  );
}
