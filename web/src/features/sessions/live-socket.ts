import {
  LIVE_PATH,
  type LiveInput,
  type LiveRequest,
} from '@tallyhand/contracts/features/sessions/live.messages';
import { afterMessage, isOver, type LiveView, liveMessage, NOTHING_SEEN } from './live-view.ts';

const RECONNECT_MS_MIN = 500;
const RECONNECT_MS_MAX = 15_000;

export type LiveSocket = {
  /** Sends the user's input to the browser; false without a connection. */
  send(input: LiveInput): boolean;
  close(): void;
};

/** The address of the socket on the host that served the page. */
export function socketAddress({ protocol, host }: { protocol: string; host: string }): string {
  return `${protocol === 'https:' ? 'wss:' : 'ws:'}//${host}${LIVE_PATH}`;
}

/**
 * How long to wait before attempt number `attempt`, from 0: twice as long each time, and half of
 * it by chance, so that the viewers of a server that comes back don't come all at once.
 */
export function waitBefore(attempt: number, chance: number): number {
  const longest = Math.min(RECONNECT_MS_MIN * 2 ** attempt, RECONNECT_MS_MAX);
  return longest * (0.5 + chance / 2);
}

/**
 * Watches a session until it is closed or the session is over. A lost connection is made again; the
 * first message after that holds all that was missed.
 */
export function openLiveSocket(
  sessionId: string,
  onView: (view: LiveView) => void,
  connect: () => WebSocket = () => new WebSocket(socketAddress(window.location)),
): LiveSocket {
  let view = NOTHING_SEEN;
  let attempt = 0;
  let isClosed = false;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let socket: WebSocket | undefined;
  const show = (next: LiveView) => {
    view = next;
    if (!isClosed) onView(view);
  };
  const send = (request: LiveRequest): boolean => {
    if (socket?.readyState !== WebSocket.OPEN) return false;
    socket.send(JSON.stringify(request));
    return true;
  };

  function hear(data: unknown) {
    const message = liveMessage(data);
    if (!message) {
      console.warn('A message of the live view was not understood.');
      return;
    }
    if (message.type === 'initial_state') attempt = 0;
    show(afterMessage(view, message, Date.now()));
  }

  function open() {
    const own = connect();
    socket = own;
    own.onopen = () => send({ type: 'subscribe_browser', sessionId });
    own.onmessage = ({ data }) => hear(data);
    own.onclose = () => {
      show({ ...view, connection: 'disconnected' });
      if (isClosed || isOver(view)) return;
      timer = setTimeout(open, waitBefore(attempt, Math.random()));
      attempt += 1;
    };
  }

  open();
  return {
    send,
    close() {
      isClosed = true;
      clearTimeout(timer);
      socket?.close();
    },
  };
}
