import type { SessionStep } from '@tallyhand/contracts/features/sessions/sessions.endpoints';
import { Link2, Pause, Play, SkipBack, SkipForward } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { Button } from '../../ui/button.tsx';
import { numberFormat } from '../../ui/formats.ts';
import { IconButton } from '../../ui/icon-button.tsx';
import { Select } from '../../ui/select.tsx';
import { Slider } from '../../ui/slider.tsx';
import { showToast } from '../../ui/toast.ts';
import { SPEEDS } from './playback.ts';
import { ExportLink } from './session-detail.tsx';
import type { Playback } from './use-playback.ts';

/** The timeline and what moves along it; a link to this place, and all of it as a file. */
export function ReplayControls({
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
    navigator.clipboard.writeText(link).then(
      () => showToast({ title: t('toasts.linkCopied') }),
      () => showToast({ variant: 'destructive', title: t('toasts.copyFailed') }),
    );
  };
  return (
    <Button size="sm" onClick={copy}>
      <Link2 aria-hidden />
      {t('replay.copyLink')}
    </Button>
  );
}
