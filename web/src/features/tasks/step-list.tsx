import type { TaskDetail } from '@tallyhand/contracts/features/tasks/tasks.endpoints';
import { useTranslation } from 'react-i18next';
import { Markdown } from '../../ui/markdown.tsx';

/** What the steps of a playbook came to so far, in their order. Nothing for other tasks. */
export function StepList({ task: { playbook, steps } }: { task: TaskDetail }) {
  const { t } = useTranslation('tasks');
  if (!playbook && steps.length === 0) return null;
  return (
    <section className="flex flex-col gap-2">
      <h3 className="font-medium">{t('steps.title')}</h3>
      {playbook && <p className="text-xs text-muted">{t('steps.playbook', { ...playbook })}</p>}
      <ol className="flex flex-col gap-3">
        {steps.map(({ ordinal, instruction, output, executionTimeMs }) => (
          <li key={ordinal} className="rounded-md bg-sunken px-3 py-2">
            <p className="flex flex-wrap justify-between gap-x-3 font-medium break-words">
              <span className="min-w-0">
                {ordinal}. {instruction}
              </span>
              <span className="tabular text-xs font-normal text-muted">
                {t('detail.ms', { ms: executionTimeMs })}
              </span>
            </p>
            <Markdown text={output} className="mt-2" />
          </li>
        ))}
      </ol>
    </section>
  );
}
