import type { LiveInput } from '@tallyhand/contracts/features/sessions/live.messages';
import { type KeyboardEvent, useEffect, useId, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { batchedScroll, inputOfKey, placeIn, TEXT_MAX } from './browser-input.ts';
import type { LiveView } from './live-view.ts';
import { PICTURE_HEIGHT, PICTURE_WIDTH } from './session-steps.tsx';

type Send = (input: LiveInput) => boolean;

const TURNS_EVERY_MS = 100;
/** Escape pressed twice within this time leaves the picture. */
const TWICE_MS = 1_000;

/** An application takes all keys, so it must be able to have the focus. */
const focusable = { tabIndex: 0 };

/** The picture of the page. With `send` what is done in it happens in the session's browser. */
export function BrowserRegion({ view, send }: { view: LiveView; send: Send | undefined }) {
  const { t } = useTranslation('sessions');
  const { screenshot } = view;
  if (screenshot === null) {
    return (
      <p className="flex aspect-video items-center justify-center bg-sunken px-4 text-center text-muted">
        {view.connection === 'live' ? t('live.nothing') : t('activity.waiting')}
      </p>
    );
  }
  const picture = (
    <img
      src={`data:image/png;base64,${screenshot}`}
      alt={t('live.alt')}
      width={PICTURE_WIDTH}
      height={PICTURE_HEIGHT}
      draggable={false}
      className="h-auto w-full bg-sunken select-none"
    />
  );
  return send ? <Steered send={send}>{picture}</Steered> : picture;
}

function Steered({ send, children }: { send: Send; children: React.ReactNode }) {
  const { t } = useTranslation('sessions');
  const helpId = useId();
  const region = useRef<HTMLDivElement>(null);
  const after = useRef<HTMLParagraphElement>(null);
  const escapedAt = useRef(-TWICE_MS);
  useWheel(region, send);
  const onKeyDown = (event: KeyboardEvent) => {
    const input = inputOfKey(event);
    if (!input || event.nativeEvent.isComposing) return;
    event.preventDefault();
    if (event.key === 'Escape') {
      const isSecond = event.timeStamp - escapedAt.current <= TWICE_MS;
      escapedAt.current = event.timeStamp;
      if (isSecond) {
        after.current?.focus();
        return;
      }
    }
    send(input);
  };
  return (
    <>
      {/* All keys belong to the page in it, which is what an application is. */}
      <div
        ref={region}
        role="application"
        {...focusable}
        aria-label={t('steer.region')}
        aria-describedby={helpId}
        data-keeps-escape
        onKeyDown={onKeyDown}
        onClick={(event) => {
          const place = placeIn(event.currentTarget.getBoundingClientRect(), event);
          send({ type: 'input', kind: 'click', ...place });
        }}
        onPaste={(event) => {
          const text = event.clipboardData.getData('text').slice(0, TEXT_MAX);
          if (text !== '') send({ type: 'input', kind: 'text', text });
        }}
        className="cursor-crosshair touch-manipulation focus-visible:outline-2 focus-visible:-outline-offset-2"
      >
        {children}
      </div>
      <p
        ref={after}
        id={helpId}
        tabIndex={-1}
        className="border-t border-line wash-info px-3 py-2 text-xs outline-none"
      >
        {t('steer.help')}
      </p>
    </>
  );
}

/** Only the remote page scrolls: React's own wheel listener is passive and can't prevent it. */
function useWheel(region: React.RefObject<HTMLDivElement | null>, send: Send) {
  useEffect(() => {
    const element = region.current;
    if (!element) return;
    let place = { x: 0, y: 0 };
    const turns = batchedScroll(
      (deltaY) => send({ type: 'input', kind: 'scroll', ...place, deltaY }),
      TURNS_EVERY_MS,
    );
    const onWheel = (event: WheelEvent) => {
      event.preventDefault();
      place = placeIn(element.getBoundingClientRect(), event);
      turns.add(event.deltaY);
    };
    element.addEventListener('wheel', onWheel, { passive: false });
    return () => {
      turns.end();
      element.removeEventListener('wheel', onWheel);
    };
  }, [region, send]);
}
