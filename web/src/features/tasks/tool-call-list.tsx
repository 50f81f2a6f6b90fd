import type { TaskDetail, ToolCall } from '@tallyhand/contracts/features/tasks/tasks.endpoints';
import { useTranslation } from 'react-i18next';
import { StatusBadge } from '../../ui/badge.tsx';
import { Markdown } from '../../ui/markdown.tsx';

/** The tools that were called: what each was asked, and what it said. */
export function ToolCallList({
  calls,
  level: Heading = 'h3',
}: {
  calls: readonly ToolCall[];
  level?: 'h2' | 'h3';
}) {
  const { t } = useTranslation('tasks');
  if (calls.length === 0) return null;
  return (
    <section className="flex flex-col gap-2">
      <Heading className="font-medium">{t('toolCalls.title')}</Heading>
      <ol className="flex flex-col gap-2">
        {calls.map(({ ordinal, toolName, step, input, output, success, executionTimeMs }) => (
          <li key={ordinal}>
            <details className="rounded-md bg-sunken px-3 py-2">
              <summary className="cursor-pointer rounded-sm">
                <span className="inline-flex max-w-[calc(100%-1.5rem)] flex-wrap items-center gap-x-3 gap-y-1 align-top">
                  <span className="font-medium break-words">{toolName}</span>
                  <StatusBadge
                    status={success ? 'success' : 'failed'}
                    label={success ? t('toolCalls.worked') : t('toolCalls.failed')}
                  />
                  {step !== null && (
                    <span className="text-xs text-muted">{t('toolCalls.step', { step })}</span>
                  )}
                  <span className="tabular text-xs text-muted">
                    {t('detail.ms', { ms: executionTimeMs })}
                  </span>
                </span>
              </summary>
              <Text title={t('toolCalls.input')} text={input} />
              <Text title={t('toolCalls.output')} text={output} />
            </details>
          </li>
        ))}
      </ol>
    </section>
  );
}

function Text({ title, text }: { title: string; text: string }) {
  return (
    <div className="mt-3">
      <h4 className="text-xs text-muted">{title}</h4>
      <pre className="mt-1 font-mono text-xs break-words whitespace-pre-wrap">{text}</pre>
    </div>
  );
}

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
