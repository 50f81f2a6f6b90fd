import { CHANGES_REACH_BACK_MS } from '@tallyhand/contracts/kernel/live-changes';
import { useEffect } from 'react';
import { useDispatch } from 'react-redux';
import { api, TAGS, type Tag } from './api.ts';
import { userRead } from './base-query.ts';
import { connection } from './connection.ts';
import { endedSignIn } from './ended-sign-in.ts';

const EVENTS_PATH = '/api/events';
const CHANNEL = 'tallyhand-events';
/** Of what the server names when it opens a stream, some time goes by on the way. */
const REACH_BACK_MS = CHANGES_REACH_BACK_MS / 2;
const RECONNECT_MS_MIN = 1_000;
const RECONNECT_MS_MAX = 30_000;
/** Between reads of everything while the server has no room for another stream. */
const POLL_MS = 30_000;

type Changed = readonly Tag[];
/** The messages between tabs: what has changed, or whether the connection is lost. */
type Message = Changed | { readonly lost: boolean };

/** The tags that a message of the server names; unknown names and unreadable messages are none. */
export function changedTags(message: string): Changed {
  try {
    const { changed } = JSON.parse(message) as { changed?: unknown };
    if (!Array.isArray(changed)) return [];
    // `all`: more has changed than a message holds, or the server missed some of it.
    return changed.includes('all') ? TAGS : TAGS.filter((tag) => changed.includes(tag));
  } catch {
    return [];
  }
}

/** How the server answers a request for a stream; 0 without an answer. */
async function answerNow(): Promise<number> {
  try {
    return (await fetch(EVENTS_PATH, { method: 'HEAD', credentials: 'same-origin' })).status;
  } catch {
    return 0;
  }
}

/**
 * Listens to the server until aborted. After a lost connection everything may have changed; so it may
 * where the first one took longer than the server reaches back.
 */
export function listen(onMessage: (message: Message) => void, signal: AbortSignal) {
  const startedAt = performance.now();
  let waitMs = RECONNECT_MS_MIN;
  let lost = false;
  let isLossReported = false;
  const reportLoss = (isLost: boolean) => {
    if (isLost !== isLossReported) onMessage({ lost: isLost });
    isLossReported = isLost;
  };
  const connect = () => {
    if (signal.aborted) return;
    const isFirst = !lost && userRead.position !== undefined;
    const source = new EventSource(
      isFirst ? `${EVENTS_PATH}?since=${userRead.position}` : EVENTS_PATH,
    );
    const close = () => source.close();
    signal.addEventListener('abort', close, { once: true });
    source.onopen = () => {
      waitMs = RECONNECT_MS_MIN;
      if (lost || performance.now() - startedAt > REACH_BACK_MS) onMessage(TAGS);
      lost = false;
      reportLoss(false);
    };
    source.onmessage = ({ data }) => onMessage(changedTags(String(data)));
    source.onerror = async () => {
      source.close();
      signal.removeEventListener('abort', close);
      const status = await answerNow();
      if (status === 429) {
        reportLoss(false);
        onMessage(TAGS);
        lost = true;
        setTimeout(connect, POLL_MS);
        return;
      }
      // The browser's own retry gives up on some answers and has no backoff. A connection that is
      // back at once is not worth a word; whether the sign-in has ended shows by asking who is here.
      const hasEnded = status === 401;
      if (lost) reportLoss(!hasEnded);
      // A user who declined is asked by the next call only.
      if (!lost || (hasEnded && !endedSignIn.isDeclined())) onMessage(['identity']);
      lost = true;
      // Without a sign-in it would be refused.
      setTimeout(() => void endedSignIn.whenSettled().then(connect), waitMs);
      waitMs = Math.min(waitMs * 2, RECONNECT_MS_MAX);
    };
  };
  connect();
}

/** One of a browser's tabs holds the connection and passes messages on to the others. */
function listenForAllTabs(onMessage: (message: Message) => void, signal: AbortSignal) {
  const channel = new BroadcastChannel(CHANNEL);
  channel.onmessage = ({ data }: MessageEvent<Message>) => onMessage(data);
  signal.addEventListener('abort', () => channel.close(), { once: true });
  const broadcast = (message: Message) => {
    onMessage(message);
    channel.postMessage(message);
  };
  const untilAborted = () =>
    new Promise<void>((resolve) => {
      listen(broadcast, signal);
      signal.addEventListener('abort', () => resolve(), { once: true });
    });
  // Waiting for the lock ends with the tab, or by the signal, which is no fault.
  navigator.locks.request(CHANNEL, { signal }, untilAborted).catch(() => undefined);
}

/** Keeps what is shown true: reads whose data changed on the server are made again. */
export function useLiveChanges(isAllowed: boolean) {
  const dispatch = useDispatch();
  useEffect(() => {
    if (!isAllowed) return;
    const end = new AbortController();
    const onMessage = (message: Message) => {
      if ('lost' in message) connection.setLost(message.lost);
      else if (message.length > 0) dispatch(api.util.invalidateTags([...message]));
    };
    // Locks exist on https and localhost only; elsewhere each tab has its own connection.
    if ('locks' in navigator) listenForAllTabs(onMessage, end.signal);
    else listen(onMessage, end.signal);
    return () => end.abort();
  }, [dispatch, isAllowed]);
}
