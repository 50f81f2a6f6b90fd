import type { TaskDetail } from '@tallyhand/contracts/features/tasks/tasks.endpoints';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';
import { describeSentence } from '../../app/sentence.ts';
import { StatusBadge } from '../../ui/badge.tsx';
import { Markdown } from '../../ui/markdown.tsx';
import { SourceList } from '../../ui/source-list.tsx';
import { StepList } from '../tasks/step-list.tsx';
import { isOpen } from '../tasks/task-filter.ts';
import { ToolCallList } from '../tasks/tool-call-list.tsx';
import type { Execution } from './use-execution.ts';

/** The work as it stands: its steps so far; then Completed or Failed, with all that came of it. */
export function ExecutionResultCard({ execution }: { execution: Execution }) {
  const { t } = useTranslation('agents');
  if ('refusal' in execution) {
    return (
      <Outcome success={false} cost={0}>
        <p className="break-words">{execution.refusal}</p>
      </Outcome>
    );
  }
  const { task } = execution;
  const hasDone = task.steps.length > 0 || task.toolCalls.length > 0;
  if (isOpen(task)) return hasDone ? <Progress task={task} /> : null;
  const success = task.status === 'success';
  const {
    executionTimeMs,
    output,
    errorCode: code,
    errorParams: params,
    reasoning,
    sources,
  } = task;
  return (
    <Outcome success={success} cost={task.creditCost} ms={executionTimeMs} taskId={task.id}>
      {success && output ? (
        <Markdown text={output} />
      ) : (
        <p className="break-words">
          {success
            ? t('execute.noOutput')
            : describeSentence(t, { code, params }, task.errorMessage ?? '')}
        </p>
      )}
      {!success && <StepList task={task} />}
      <ToolCallList calls={task.toolCalls} />
      {sources.length > 0 && <SourceList title={t('execute.sources')} sources={sources} />}
      {reasoning && (
        <div>
          <h3 className="font-medium">{t('execute.reasoning')}</h3>
          <p className="break-words whitespace-pre-wrap text-muted">{reasoning}</p>
        </div>
      )}
    </Outcome>
  );
}

function Progress({ task }: { task: TaskDetail }) {
  const { t } = useTranslation('agents');
  return (
    <section
      aria-label={t('execute.progress')}
      className="flex flex-col gap-4 rounded-lg border border-line bg-surface p-4"
    >
      <StepList task={task} />
      <ToolCallList calls={task.toolCalls} />
    </section>
  );
}

function Outcome({
  success,
  cost,
  ms = null,
  taskId,
  children,
}: {
  success: boolean;
  cost: number;
  ms?: number | null;
  taskId?: string;
  children: ReactNode;
}) {
  const { t } = useTranslation('agents');
  const label = success ? t('execute.completed') : t('execute.failed');
  return (
    <section
      aria-label={label}
      className="flex flex-col gap-4 rounded-lg border border-line bg-surface p-4"
    >
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1 text-muted">
        <StatusBadge status={success ? 'success' : 'failed'} label={label} />
        <span className="tabular">{t('execute.cost', { count: cost })}</span>
        {ms !== null && <span className="tabular">{t('execute.time', { ms })}</span>}
        {taskId && (
          <Link
            to={`/tasks?task=${taskId}`}
            className="ml-auto rounded-sm text-accent underline-offset-4 hover:underline"
          >
            {t('execute.viewTask')}
          </Link>
        )}
      </div>
      {children}
    </section>
  );
}
