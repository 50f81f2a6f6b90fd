import type { LiveMessage } from '@tallyhand/contracts/features/sessions/live.messages';
import { counter } from '@tallyhand/service-kit/metrics/counter';
import type { WebSocket } from 'ws';
import type { LiveFrame } from './live-hub.ts';

/** Messages that wait for a slow viewer; with more it must reconnect. */
const WAITING_MAX = 100;
const WAITING_BYTES_MAX = 16 * 1024 * 1024;
export const TRY_AGAIN_LATER = 1013;
/** A viewer that does not answer to the end either is cut off. */
const CLOSE_MS_MAX = 2_000;

const framesSent = counter({
  name: 'tallyhand_live_frames_sent_total',
  help: 'Pictures of browsers that were sent to those who watch.',
  known: [{}],
});

export type Outbox = {
  /** Never left out. */
  send(message: LiveMessage): void;
  /** Only the newest is sent, and only when the one before has left. */
  offer(frame: LiveFrame): void;
  close(code: number, reason: string): void;
};

/** Messages to one viewer, as fast as the viewer reads. */
export function outbox(socket: WebSocket): Outbox {
  let waiting = 0;
  let isFrameUnderWay = false;
  let newest: LiveFrame | null = null;

  function write(text: string, onGone: () => void) {
    waiting += 1;
    socket.send(text, () => {
      waiting -= 1;
      onGone();
    });
    const isTooMuch = waiting > WAITING_MAX || socket.bufferedAmount > WAITING_BYTES_MAX;
    if (isTooMuch) close(TRY_AGAIN_LATER, 'Too slow');
  }

  function sendNewest() {
    isFrameUnderWay = false;
    if (newest === null || socket.readyState !== socket.OPEN) return;
    const message = newest.message();
    newest = null;
    isFrameUnderWay = true;
    framesSent.add({});
    write(message, sendNewest);
  }

  function close(code: number, reason: string) {
    if (socket.readyState !== socket.OPEN) return;
    socket.close(code, reason);
    setTimeout(() => socket.terminate(), CLOSE_MS_MAX).unref();
  }

  return {
    send(message) {
      if (socket.readyState === socket.OPEN) write(JSON.stringify(message), () => undefined);
    },
    offer(frame) {
      newest = frame;
      if (!isFrameUnderWay) sendNewest();
    },
    close,
  };
}
