import type {
  Session,
  SessionStep,
} from '@tallyhand/contracts/features/sessions/sessions.endpoints';
import { ChevronLeft, ChevronRight, Clapperboard, Pause, Play } from 'lucide-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { type Status, StatusBadge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { CardSection } from '../../ui/card.tsx';
import { Dialog, DialogBody, DialogFooter } from '../../ui/dialog.tsx';
import { dateFormat } from '../../ui/formats.ts';
import { Spinner } from '../../ui/loading.tsx';
import { LiveViewer } from './live-viewer.tsx';
import { useKeys } from './replay-dialog.tsx';
import { isOpen, type Open } from './session-address.ts';
import {
  EndReason,
  FOLLOW_POLL_MS,
  SessionOutcome,
  SessionState,
  SessionStatus,
  useFollowedSession,
} from './session-state.tsx';
import { ActionIcon, PageAddress, StepPicture, useActionName } from './session-steps.tsx';
import { useGetSessionStepsQuery } from './sessions.api.ts';
import { cut, isFree, progressOf, type StepResult, stepResult } from './steps.ts';

/** What a session's browser shows and what was done in it, live or as it ended. */
export function ActivityDialog({ id, open }: { id: string; open: Open }) {
  const { t } = useTranslation('sessions');
  const session = useFollowedSession(id);
  return (
    <Dialog close={() => open({ session: id })} size="large" title={t('activity.title')}>
      <DialogBody>
        <SessionState of={session}>
          {(detail) => <Activity session={detail.session} open={open} />}
        </SessionState>
      </DialogBody>
    </Dialog>
  );
}

/** The steps, updated until the user pauses them. */
function useSteps({ id, status }: Session) {
  const [frozen, setFrozen] = useState<readonly SessionStep[]>();
  const isRunning = status === 'running';
  const isPaused = isRunning && frozen !== undefined;
  const { currentData } = useGetSessionStepsQuery(id, {
    pollingInterval: isRunning && !isPaused ? FOLLOW_POLL_MS : 0,
  });
  const latest = currentData?.steps ?? [];
  return {
    steps: isPaused ? frozen : latest,
    isPaused,
    toggle: () => setFrozen(isPaused ? undefined : latest),
  };
}

function Activity({ session, open }: { session: Session; open: Open }) {
  const { t } = useTranslation('sessions');
  const { steps, isPaused, toggle } = useSteps(session);
  return (
    <>
      <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
        <SessionStatus session={session} />
        <span className="tabular flex-1 whitespace-nowrap text-muted">
          {t('activity.step', progressOf(session))}
        </span>
        <Button size="sm" disabled={session.status !== 'running'} onClick={toggle}>
          {isPaused ? <Play aria-hidden /> : <Pause aria-hidden />}
          {isPaused ? t('activity.resume') : t('activity.pause')}
        </Button>
      </div>
      <p className="line-clamp-3 shrink-0 font-medium break-words" title={session.originalGoal}>
        {session.originalGoal}
      </p>
      {isPaused && <p className="text-xs text-muted">{t('activity.paused')}</p>}
      <div className="grid grid-cols-1 items-start gap-6 md:grid-cols-[minmax(0,1fr)_minmax(280px,340px)]">
        {isOpen(session) ? (
          <Browser session={session} />
        ) : (
          <Ended session={session} steps={steps} open={open} />
        )}
        <ExecutionSteps steps={steps} credits={session.totalCreditsUsed} />
      </div>
    </>
  );
}

function Browser({ session }: { session: Session }) {
  const { t } = useTranslation('sessions');
  const { browserSessionId, queuePosition } = session;
  if (session.status === 'running' && browserSessionId) {
    return <LiveViewer session={session} browserSessionId={browserSessionId} />;
  }
  const place =
    queuePosition === 0 ? t('list.next') : t('list.waiting', { count: queuePosition ?? 0 });
  return (
    <div
      role="status"
      className="flex aspect-video flex-col items-center justify-center gap-2 rounded-lg border border-line bg-sunken text-muted"
    >
      <Spinner className="size-6" />
      <p>{t('activity.waiting')}</p>
      {queuePosition !== null && <p className="text-xs">{place}</p>}
    </div>
  );
}

/** The outcome, and the last picture. */
function Ended({
  session,
  steps,
  open,
}: {
  session: Session;
  steps: readonly SessionStep[];
  open: Open;
}) {
  const { t } = useTranslation('sessions');
  const { id, status, endReason } = session;
  const last = steps.findLast(({ metadata }) => metadata.screenshotUrls.length > 0);
  return (
    <div className="flex min-w-0 flex-col gap-4">
      {session.workspaceData.finalOutcome && (
        <CardSection title={status === 'failed' ? t('outcome.failed') : t('outcome.complete')}>
          <div className="flex flex-col gap-3">
            {endReason && (
              <p className="text-muted">
                <EndReason session={session} />
              </p>
            )}
            <SessionOutcome session={session} />
            {steps.length > 0 && (
              <Button
                icon={Clapperboard}
                className="self-start"
                onClick={() => open({ session: id, replay: '1' })}
              >
                {t('detail.replay')}
              </Button>
            )}
          </div>
        </CardSection>
      )}
      {last && <StepPicture step={last} />}
    </div>
  );
}

const INPUT_MAX = 50;
const ADDRESS_MAX = 40;
const REASONING_MAX = 100;

/** The steps in short; each leads to its picture. */
function ExecutionSteps({ steps, credits }: { steps: readonly SessionStep[]; credits: number }) {
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

/** A step's picture at its full width, and the way to its neighbours. */
function StepPictureDialog({
  steps,
  index,
  show,
  close,
}: {
  steps: readonly SessionStep[];
  index: number;
  show: (index: number) => void;
  close: () => void;
}) {
  const { t } = useTranslation('sessions');
  const nameOf = useActionName();
  const step = steps[index];
  const [isFirst, isLast] = [index === 0, index === steps.length - 1];
  useKeys(({ key }) => {
    if (key === 'ArrowLeft' && !isFirst) show(index - 1);
    if (key === 'ArrowRight' && !isLast) show(index + 1);
  });
  if (!step) return null;
  const title = t('picture.title', {
    number: step.stepNumber,
    count: steps.length,
    action: nameOf(step.action),
  });
  return (
    <Dialog close={close} size="large" title={title}>
      <DialogBody>
        <StepPicture step={step} />
        {step.metadata.url && <PageAddress label={t('steps.page')} url={step.metadata.url} />}
      </DialogBody>
      <DialogFooter>
        {/* They keep the focus at either end: a disabled button would lose it. */}
        <Button
          icon={ChevronLeft}
          aria-disabled={isFirst}
          onClick={() => !isFirst && show(index - 1)}
        >
          {t('picture.previous')}
        </Button>
        <Button aria-disabled={isLast} onClick={() => !isLast && show(index + 1)}>
          {t('picture.next')}
          <ChevronRight aria-hidden />
        </Button>
      </DialogFooter>
    </Dialog>
  );
}
