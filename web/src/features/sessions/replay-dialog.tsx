import type {
  SessionDetail,
  SessionStep,
} from '@tallyhand/contracts/features/sessions/sessions.endpoints';
import { Link2, Pause, Play, SkipBack, SkipForward } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { copyText } from '../../app/copy-text.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog, DialogBody } from '../../ui/dialog.tsx';
import { Select } from '../../ui/field.tsx';
import { numberFormat } from '../../ui/formats.ts';
import { IconButton } from '../../ui/icon-button.tsx';
import { Slider } from '../../ui/slider.tsx';
import { usePhone } from '../../ui/use-media-query.ts';
import type { Open } from './session-address.ts';
import { ExportLink } from './session-detail.tsx';
import { SessionState, SessionStatus, useFollowedSession } from './session-state.tsx';
import { StepDetails, StepPicture } from './session-steps.tsx';
import { placeOf, SPEEDS, type Speed, shownMs, spentUntil } from './steps.ts';

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
  const isClosing = useRef(false);
  const close = () => {
    isClosing.current = true;
    open({ session: id });
  };
  // A late change of the address would open a dialog that is being closed.
  const onPlace = (stepNumber: number) => {
    if (isClosing.current) return;
    open({ session: id, replay: String(stepNumber) }, { replace: true });
  };
  return (
    <Dialog
      close={close}
      size="large"
      title={t('replay.title')}
      description={isPhone ? undefined : t('replay.keys')}
    >
      <SessionState of={session}>
        {(detail) => <Film detail={detail} at={at} onPlace={onPlace} />}
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

type FilmProps = Pick<ReplayProps, 'at'> & {
  detail: SessionDetail;
  onPlace: (stepNumber: number) => void;
};

function Film({ detail: { session, steps }, at, onPlace }: FilmProps) {
  const { t } = useTranslation('sessions');
  const playback = usePlayback(steps, at, onPlace);
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
              <SessionStatus session={session} />
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

/** The timeline and what moves along it; a link to this place, and all of it as a file. */
function ReplayControls({
  sessionId,
  steps,
  playback,
}: {
  sessionId: string;
  steps: readonly SessionStep[];
  playback: Playback;
}) {
  const { t, i18n } = useTranslation('sessions');
  const { index, isPlaying, speed, seek } = playback;
  const number = steps[index]?.stepNumber ?? 1;
  const count = steps.length;
  return (
    <div className="flex flex-col gap-3 border-t border-line px-6 py-4">
      <Slider
        label={t('replay.timeline')}
        max={count - 1}
        value={index}
        valueText={t('replay.position', { number, count })}
        onChange={seek}
      />
      <div className="flex flex-wrap items-center gap-2">
        <IconButton icon={SkipBack} label={t('replay.back')} onClick={() => seek(index - 1)} />
        <Button variant="primary" className="min-w-28" onClick={playback.toggle}>
          {isPlaying ? <Pause aria-hidden /> : <Play aria-hidden />}
          {isPlaying ? t('replay.pause') : t('replay.play')}
        </Button>
        <IconButton
          icon={SkipForward}
          label={t('replay.forward')}
          onClick={() => seek(index + 1)}
        />
        <Select
          className="w-24"
          aria-label={t('replay.speed')}
          value={String(speed)}
          onChange={({ target }) =>
            playback.setSpeed(SPEEDS.find((it) => String(it) === target.value) ?? 1)
          }
          options={SPEEDS.map((it) => ({
            value: String(it),
            label: t('replay.times', { speed: numberFormat(i18n.language).format(it) }),
          }))}
        />
        <div className="flex flex-wrap gap-2 sm:ml-auto">
          <CopyLink sessionId={sessionId} stepNumber={number} />
          <ExportLink id={sessionId} />
        </div>
      </div>
    </div>
  );
}

function CopyLink({ sessionId, stepNumber }: { sessionId: string; stepNumber: number }) {
  const { t } = useTranslation('sessions');
  const copy = () => {
    const query = new URLSearchParams({ session: sessionId, replay: String(stepNumber) });
    const link = `${window.location.origin}/autonomous?${query}`;
    return copyText(link, { done: t('toasts.linkCopied'), failed: t('toasts.copyFailed') });
  };
  return (
    <Button icon={Link2} size="sm" onClick={copy}>
      {t('replay.copyLink')}
    </Button>
  );
}

/** How many pictures are fetched before they are shown. */
const PRELOADED = 3;
/** The address follows after this time at one step. */
const SETTLED_MS = 400;

type Playback = {
  /** The place of the step that is shown. */
  index: number;
  isPlaying: boolean;
  speed: Speed;
  setSpeed: (speed: Speed) => void;
  seek: (index: number) => void;
  toggle: () => void;
};

/** A film of steps; `at` is the number of the step that it begins with, `onPlace` reports others. */
function usePlayback(
  steps: readonly SessionStep[],
  at: string,
  onPlace: (stepNumber: number) => void,
): Playback {
  const [index, setIndex] = useState(() => placeOf(steps, at));
  const [wantsToPlay, setWantsToPlay] = useState(false);
  const [speed, setSpeed] = useState<Speed>(1);
  const last = steps.length - 1;
  const isPlaying = wantsToPlay && index < last;

  useEffect(() => {
    if (!isPlaying) return;
    const timer = setTimeout(() => setIndex(index + 1), shownMs(steps, index) / speed);
    return () => clearTimeout(timer);
  }, [isPlaying, index, speed, steps]);

  useEffect(() => {
    for (const { metadata } of steps.slice(index + 1, index + 1 + PRELOADED)) {
      const [url] = metadata.screenshotUrls;
      if (url) new Image().src = url;
    }
  }, [steps, index]);

  const stepNumber = steps[index]?.stepNumber;
  useEffect(() => {
    // While it plays the address stays: browsers refuse many changes of it in a short time.
    if (isPlaying || stepNumber === undefined || String(stepNumber) === at) return;
    const timer = setTimeout(() => onPlace(stepNumber), SETTLED_MS);
    return () => clearTimeout(timer);
  });

  const seek = (to: number) => {
    setWantsToPlay(false);
    setIndex(Math.max(0, Math.min(last, to)));
  };
  return {
    index,
    isPlaying,
    speed,
    setSpeed,
    seek,
    toggle() {
      // At its end it starts again.
      if (!isPlaying && index >= last) setIndex(0);
      setWantsToPlay(!isPlaying);
    },
  };
}

/** Handles keys while the component is shown, wherever the focus is. */
export function useKeys(onKey: (event: KeyboardEvent) => void) {
  useEffect(() => {
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  });
}
