import type { SessionStep } from '@tallyhand/contracts/features/sessions/sessions.endpoints';
import { useEffect, useState } from 'react';
import { placeOf, type Speed, shownMs } from './playback.ts';

/** Pictures that are fetched before they are shown. */
const PRELOADED = 3;
/** A place that one stays at so long gets into the address. */
const SETTLED_MS = 400;

/** A replay of steps; `at` is the number of the first one, `onPlace` reports others. */
export function usePlayback(
  steps: readonly SessionStep[],
  at: string,
  onPlace: (stepNumber: number) => void,
) {
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

export type Playback = ReturnType<typeof usePlayback>;
