import type { SessionStep } from '@tallyhand/contracts/features/sessions/sessions.endpoints';
import { CircleCheck, CirclePause, CircleX, User } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { ExactTime } from '../../ui/time.tsx';
import { PageAddress } from './page-address.tsx';
import { ActionIcon, useActionName } from './step-action.tsx';
import { isFree, type StepResult, stepResult } from './step-result.ts';

/** All that was done, in its order, with what was thought, read and paid. */
export function SessionSteps({ steps }: { steps: readonly SessionStep[] }) {
  const { t } = useTranslation('sessions');
  return (
    <section className="flex flex-col gap-3 border-t border-line pt-4">
      <h2 className="font-medium">{t('steps.title')}</h2>
      {steps.length === 0 && <p className="text-muted">{t('steps.none')}</p>}
      {steps.length > 0 && (
        <ol className="flex flex-col gap-3">
          {steps.map((step) => (
            <li key={step.id} className="rounded-md bg-sunken px-3 py-2">
              <StepDetails step={step} />
            </li>
          ))}
        </ol>
      )}
    </section>
  );
}

export function StepDetails({ step }: { step: SessionStep }) {
  const { t } = useTranslation('sessions');
  const { input, output, reasoning, finding, metadata, charge } = step;
  return (
    <div className="flex flex-col gap-2">
      <StepHead step={step} />
      {step.interrupted && <p className="text-muted">{t('steps.interruptedWhy')}</p>}
      {input && <p className="break-words">{input}</p>}
      {reasoning && (
        <p className="break-words text-muted">
          <span className="sr-only">{t('steps.reasoning')}: </span>
          {reasoning}
        </p>
      )}
      {finding && (
        <p className="border-l-2 border-accent pl-3 break-words">
          <span className="block text-xs text-muted">{t('steps.finding')}</span>
          {finding.text}
          {finding.url && <PageAddress label={t('steps.source')} url={finding.url} />}
        </p>
      )}
      {metadata.url && <PageAddress label={t('steps.page')} url={metadata.url} />}
      {output && (
        <details>
          <summary className="rounded-sm text-xs text-muted">{t('steps.output')}</summary>
          <pre className="mt-1 font-mono text-xs break-words whitespace-pre-wrap">{output}</pre>
        </details>
      )}
      {charge && (
        <p className="flex flex-wrap gap-x-2 text-xs text-muted">
          <span className="tabular">{t('steps.charge', { sequence: charge.sequence })}</span>
          <span aria-hidden>·</span>
          <ExactTime at={charge.at} />
        </p>
      )}
    </div>
  );
}

const RESULTS = {
  worked: { icon: CircleCheck, color: 'text-success' },
  failed: { icon: CircleX, color: 'text-danger' },
  interrupted: { icon: CirclePause, color: 'text-muted' },
} satisfies Record<StepResult, object>;

function StepHead({ step }: { step: SessionStep }) {
  const { t } = useTranslation('sessions');
  const nameOf = useActionName();
  const { stepNumber: number, creditsUsed: count, takenBy } = step;
  const result = stepResult(step);
  const { icon: Icon, color } = RESULTS[result];
  return (
    <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
      <Icon role="img" aria-label={t(`steps.${result}`)} className={`size-4 ${color}`} />
      <span className="tabular text-xs text-muted">{t('steps.step', { number })}</span>
      <span className="flex min-w-0 items-center gap-1.5 font-medium">
        <ActionIcon action={step.action} />
        {nameOf(step.action)}
      </span>
      {step.toolUsed && <span className="text-xs break-words text-muted">{step.toolUsed}</span>}
      {takenBy && (
        <span className="flex items-center gap-1 text-xs text-muted">
          <User aria-hidden className="size-3" />
          {t('steps.byPerson', { name: takenBy.name ?? t('formerMember') })}
        </span>
      )}
      <span className="ml-auto tabular text-xs text-muted">
        {isFree(step) ? t('steps.free') : t('list.credits', { count })}
      </span>
    </div>
  );
}
