import type {
  Session,
  SessionStep,
} from '@tallyhand/contracts/features/sessions/sessions.endpoints';
import { Clapperboard, Pause, Play } from 'lucide-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Button } from '../../ui/button.tsx';
import { CardSection } from '../../ui/card.tsx';
import { Dialog, DialogBody } from '../../ui/dialog.tsx';
import { Spinner } from '../../ui/spinner.tsx';
import { ExecutionSteps } from './execution-steps.tsx';
import { FailureReason } from './failure-reason.tsx';
import { LiveViewer } from './live-viewer.tsx';
import { isOpen } from './session-filter.ts';
import { SessionOutcome } from './session-outcome.tsx';
import { SessionState } from './session-state.tsx';
import { SessionStatus } from './session-status.tsx';
import { useGetSessionStepsQuery } from './sessions.api.ts';
import { StepPicture } from './step-picture.tsx';
import { useFollowedSession } from './use-followed-session.ts';
import type { Open } from './use-session-address.ts';

/** Changes are told; looking so often is for what was not. */
const POLL_MS = 2_000;

/** What a session's browser shows and what was done in it, live or as it ended. */
export function ActivityDialog({ id, open }: { id: string; open: Open }) {
  const { t } = useTranslation('sessions');
  const session = useFollowedSession(id);
  return (
    <Dialog
      open
      onOpenChange={() => open({ session: id })}
      size="large"
      title={t('activity.title')}
    >
      <DialogBody>
        <SessionState of={session}>
          {(detail) => <Activity session={detail.session} open={open} />}
        </SessionState>
      </DialogBody>
    </Dialog>
  );
}

/** The steps as they come; while they are paused, as they stood then. */
function useSteps({ id, status }: Session) {
  const [frozen, setFrozen] = useState<readonly SessionStep[]>();
  const isRunning = status === 'running';
  const isPaused = isRunning && frozen !== undefined;
  const { currentData } = useGetSessionStepsQuery(id, {
    pollingInterval: isRunning && !isPaused ? POLL_MS : 0,
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
  const { currentStep: current, maxSteps: max } = session;
  return (
    <>
      <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
        <SessionStatus status={session.status} />
        <span className="tabular flex-1 whitespace-nowrap text-muted">
          {t('activity.step', { current, max })}
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

/** What came of it, and the last that was seen. */
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
  const { id, workspaceData, endReason } = session;
  const outcome = workspaceData.finalOutcome;
  const last = steps.findLast(({ metadata }) => metadata.screenshotUrls.length > 0);
  return (
    <div className="flex min-w-0 flex-col gap-4">
      {outcome && (
        <CardSection title={t('outcome.complete')}>
          <div className="flex flex-col gap-3">
            {endReason && (
              <p className="text-muted">
                {t(`reasons.${endReason}`)} <FailureReason session={session} />
              </p>
            )}
            <SessionOutcome outcome={outcome} />
            {steps.length > 0 && (
              <Button className="self-start" onClick={() => open({ session: id, replay: '1' })}>
                <Clapperboard aria-hidden />
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
