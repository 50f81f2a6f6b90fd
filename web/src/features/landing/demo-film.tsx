import { Pause, Play } from 'lucide-react';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Button, ButtonLink } from '../../ui/button.tsx';
import { cx } from '../../ui/cx.ts';
import { Dialog, DialogBody, DialogFooter } from '../../ui/dialog.tsx';
import { Slider } from '../../ui/slider.tsx';
import { CHAPTERS, framesOf, lengthOf, placeAt } from './film.ts';

/** The film of the first hour. `npm run screenshots -- --film` makes it. */
const frames = framesOf(
  import.meta.glob<string>('../../../../docs/film/*.webp', {
    query: '?url',
    import: 'default',
    eager: true,
  }),
);
const LAST = frames.length - 1;
/** In CSS pixels. */
const SIZE = { width: 1200, height: 750 };
const SKIPPED_MS = 5_000;

/** The first hour as a film: by buttons, by keys, or by choice of its chapters. */
export function DemoFilm({ close }: { close: () => void }) {
  const { t } = useTranslation('demo');
  const { at, isPlaying, seek, toggle } = usePlayback();
  const frame = frames[at];
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const target = event.target as HTMLElement;
      const startMs = frames[at]?.startMs ?? 0;
      if (event.key === ' ' && !target.closest('button, a')) toggle();
      else if (target.closest('input')) return;
      else if (event.key === 'ArrowLeft') seek(placeAt(frames, startMs - SKIPPED_MS));
      else if (event.key === 'ArrowRight') seek(placeAt(frames, startMs + SKIPPED_MS));
      else return;
      event.preventDefault();
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  });
  if (!frame) return null;
  const time = t('time', { at: clock(frame.startMs), length: clock(lengthOf(frames)) });
  return (
    <Dialog close={close} size="large" title={t('title')} description={t('description')}>
      <DialogBody>
        <div className="mx-auto flex w-full flex-col gap-4 sm:max-w-[calc(48dvh*1.6)]">
          <img
            src={frame.url}
            alt={t(`chapters.${frame.chapter}.title`)}
            {...SIZE}
            className="h-auto w-full rounded-lg border border-line bg-sunken"
          />
          <div aria-live="polite" className="min-h-18 sm:min-h-12">
            <h3 className="font-semibold">{t(`chapters.${frame.chapter}.title`)}</h3>
            <p className="text-muted">{t(`chapters.${frame.chapter}.text`)}</p>
          </div>
          <Slider label={t('timeline')} max={LAST} value={at} valueText={time} onChange={seek} />
          <div className="flex items-center gap-4">
            <Button className="min-w-28" onClick={toggle}>
              {isPlaying ? <Pause aria-hidden /> : <Play aria-hidden />}
              {isPlaying ? t('pause') : t('play')}
            </Button>
            <Strokes chapter={frame.chapter} seek={seek} />
          </div>
        </div>
      </DialogBody>
      <DialogFooter>
        <ButtonLink variant="primary" to="/auth?tab=register">
          {t('start')}
        </ButtonLink>
      </DialogFooter>
    </Dialog>
  );
}

type StrokesProps = { chapter: (typeof CHAPTERS)[number]; seek: (place: number) => void };

/** A stroke for each chapter, as on a tally; each leads to its own. */
function Strokes({ chapter, seek }: StrokesProps) {
  const { t } = useTranslation('demo');
  return (
    <ol aria-label={t('chapters.label')} className="flex">
      {CHAPTERS.map((each) => (
        <li key={each}>
          <button
            type="button"
            onClick={() => seek(frames.findIndex((frame) => frame.chapter === each))}
            aria-label={t(`chapters.${each}.title`)}
            aria-current={each === chapter ? 'step' : undefined}
            className="group inline-flex h-9 w-7 items-center justify-center rounded-sm"
          >
            <span
              aria-hidden
              className={cx(
                'h-6 rounded-full transition-colors duration-150 group-hover:bg-accent',
                each === chapter ? 'w-1 bg-accent' : 'w-0.5 bg-border',
              )}
            />
          </button>
        </li>
      ))}
    </ol>
  );
}

const clock = (ms: number) => {
  const seconds = Math.floor(ms / 1000);
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
};

/** How many frames are fetched before they are shown. */
const PRELOADED = 8;

/** Starts at once, unless the reader wants less motion; waits for a frame that is late. */
function usePlayback() {
  const [at, setAt] = useState(0);
  const [wantsToPlay, setWantsToPlay] = useState(
    () => !window.matchMedia('(prefers-reduced-motion: reduce)').matches,
  );
  const isPlaying = wantsToPlay && at < LAST;

  useEffect(() => {
    const [next] = frames.slice(at + 1, at + 1 + PRELOADED).map(({ url }) => {
      const image = new Image();
      image.src = url;
      return image;
    });
    if (!isPlaying || !next) return;
    let isOver = false;
    const timer = setTimeout(async () => {
      // A frame that can't be loaded is passed over.
      await next.decode().catch(() => {});
      if (!isOver) setAt(at + 1);
    }, frames[at]?.ms);
    return () => {
      isOver = true;
      clearTimeout(timer);
    };
  }, [at, isPlaying]);

  return {
    at,
    isPlaying,
    seek(place: number) {
      setWantsToPlay(false);
      setAt(place);
    },
    toggle() {
      // At its end it starts again.
      if (at === LAST) setAt(0);
      setWantsToPlay(!isPlaying);
    },
  };
}
