import type { SessionStep } from '@tallyhand/contracts/features/sessions/sessions.endpoints';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { type Status, StatusBadge } from '../../ui/badge.tsx';
import { dateFormat } from '../../ui/formats.ts';
import { cut } from './cut.ts';
import { ActionIcon, useActionName } from './step-action.tsx';
import { StepPictureDialog } from './step-picture-dialog.tsx';
import { isFree, type StepResult, stepResult } from './step-result.ts';

const INPUT_MAX = 50;
const ADDRESS_MAX = 40;
const REASONING_MAX = 100;

/** The steps in short; each leads to its picture. */
export function ExecutionSteps({
  steps,
  credits,
}: {
  steps: readonly SessionStep[];
  credits: number;
}) {
  const { t } = useTranslation('sessions');
  const [shown, show] = useState<number>();
  const summary = t('activity.summary', {
    steps: t('activity.count', { count: steps.length }),
    credits: t('list.credits', { count: credits }),
  });
  return (
    <section className="flex min-w-0 flex-col gap-2">
      <div className="flex flex-wrap items-baseline justify-between gap-x-3">
        <h3 className="font-medium">{t('activity.execution')}</h3>
        <p className="tabular text-xs text-muted">{summary}</p>
      </div>
      {steps.length === 0 && <p className="text-muted">{t('steps.none')}</p>}
      {steps.length > 0 && (
        <ol className="overflow-hidden rounded-lg border border-line">
          {steps.map((step, index) => (
            <li key={step.id} className="border-t border-line first:border-0">
              <ExecutionStep step={step} show={() => show(index)} />
            </li>
          ))}
        </ol>
      )}
      {shown !== undefined && (
        <StepPictureDialog steps={steps} index={shown} show={show} close={() => show(undefined)} />
      )}
    </section>
  );
}

const STATUS_OF = {
  worked: 'success',
  failed: 'failed',
  interrupted: 'paused',
} as const satisfies Record<StepResult, Status>;

function ExecutionStep({ step, show }: { step: SessionStep; show: () => void }) {
  const { t, i18n } = useTranslation('sessions');
  const nameOf = useActionName();
  const { input, reasoning, takenBy, createdAt, toolUsed, metadata } = step;
  const result = stepResult(step);
  return (
    <button
      type="button"
      onClick={show}
      className="flex w-full flex-col gap-1 px-3 py-2 text-left transition-colors duration-150 ease-out hover:bg-sunken focus-visible:-outline-offset-2"
    >
      <span className="flex w-full items-center gap-2">
        <ActionIcon action={step.action} />
        <span className="min-w-0 flex-1 truncate font-medium">
          {step.stepNumber}. {nameOf(step.action)}
        </span>
        <StatusBadge status={STATUS_OF[result]} label={t(`steps.${result}`)} />
      </span>
      {input && (
        <span className="break-words" title={input}>
          {cut(input, INPUT_MAX)}
        </span>
      )}
      {step.interrupted && <span className="text-xs text-muted">{t('steps.interruptedWhy')}</span>}
      {metadata.url && (
        <span className="font-mono text-xs break-all text-muted" title={metadata.url}>
          {cut(metadata.url, ADDRESS_MAX)}
        </span>
      )}
      {reasoning && (
        <span className="text-xs break-words text-muted" title={reasoning}>
          {cut(reasoning, REASONING_MAX)}
        </span>
      )}
      <span className="tabular flex flex-wrap gap-x-3 text-xs text-muted">
        <time dateTime={createdAt}>
          {dateFormat(i18n.language, { timeStyle: 'medium' }).format(new Date(createdAt))}
        </time>
        <span>{t('steps.ms', { ms: step.executionTimeMs })}</span>
        {toolUsed && <span>{toolUsed}</span>}
        <span>
          {isFree(step) ? t('steps.free') : t('list.credits', { count: step.creditsUsed })}
        </span>
        {takenBy && <span>{takenBy.name ?? t('formerMember')}</span>}
      </span>
    </button>
  );
}
