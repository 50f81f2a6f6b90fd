import type { SessionDetail } from '@tallyhand/contracts/features/sessions/sessions.endpoints';
import { useTranslation } from 'react-i18next';
import { Dialog, DialogBody } from '../../ui/dialog.tsx';
import { usePhone } from '../../ui/use-media-query.ts';
import { spentUntil } from './playback.ts';
import { ReplayControls } from './replay-controls.tsx';
import { SessionState } from './session-state.tsx';
import { SessionStatus } from './session-status.tsx';
import { StepDetails } from './session-steps.tsx';
import { StepPicture } from './step-picture.tsx';
import { useFollowedSession } from './use-followed-session.ts';
import { useKeys } from './use-keys.ts';
import { type Playback, usePlayback } from './use-playback.ts';
import type { Open } from './use-session-address.ts';

type ReplayProps = {
  id: string;
  /** The number of the step to begin with. */
  at: string;
  open: Open;
};

/** A session as a film: its pictures, and what was thought and spent, step by step. */
export function ReplayDialog({ id, at, open }: ReplayProps) {
  const { t } = useTranslation('sessions');
  const session = useFollowedSession(id);
  const isPhone = usePhone();
  return (
    <Dialog
      open
      onOpenChange={() => open({ session: id })}
      size="large"
      title={t('replay.title')}
      description={isPhone ? undefined : t('replay.keys')}
    >
      <SessionState of={session}>
        {(detail) => <Film detail={detail} at={at} open={open} />}
      </SessionState>
    </Dialog>
  );
}

/** What keys do, unless the control that has the focus knows better. */
function keysOf(playback: Playback) {
  return (event: KeyboardEvent) => {
    const target = event.target as HTMLElement;
    if (event.key === ' ' && !target.closest('button, a, summary, select')) playback.toggle();
    else if (target.closest('select, input')) return;
    else if (event.key === 'ArrowLeft') playback.seek(playback.index - 1);
    else if (event.key === 'ArrowRight') playback.seek(playback.index + 1);
    else return;
    event.preventDefault();
  };
}

function Film({
  detail: { session, steps },
  at,
  open,
}: Pick<ReplayProps, 'at' | 'open'> & { detail: SessionDetail }) {
  const { t } = useTranslation('sessions');
  const playback = usePlayback(steps, at, (stepNumber) =>
    open({ session: session.id, replay: String(stepNumber) }, { replace: true }),
  );
  useKeys(keysOf(playback));
  const step = steps[playback.index];
  if (!step) {
    return (
      <DialogBody>
        <p className="py-12 text-center text-muted">{t('replay.none')}</p>
      </DialogBody>
    );
  }
  const count = spentUntil(steps, playback.index);
  return (
    <>
      <DialogBody>
        <div className="grid grid-cols-1 items-start gap-x-6 gap-y-4 md:grid-cols-[minmax(0,1fr)_minmax(280px,340px)]">
          <div className="md:sticky md:top-0">
            <StepPicture step={step} />
          </div>
          <div className="flex min-w-0 flex-col gap-3">
            <p className="line-clamp-3 font-medium break-words" title={session.originalGoal}>
              {session.originalGoal}
            </p>
            <div className="flex flex-wrap items-center gap-3">
              <SessionStatus status={session.status} />
              <span className="tabular text-xs text-muted">{t('replay.spent', { count })}</span>
            </div>
            <div className="border-t border-line pt-3">
              <StepDetails step={step} />
            </div>
          </div>
        </div>
      </DialogBody>
      <ReplayControls sessionId={session.id} steps={steps} playback={playback} />
    </>
  );
}
