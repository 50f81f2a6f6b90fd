import {
  LIVE_PATH,
  type LiveInput,
  LiveRequest,
} from '@tallyhand/contracts/features/sessions/live.messages';
import { bearer } from '@tallyhand/service-kit/http/service-token';
import { type RawData, WebSocket } from 'ws';
import type { Authorize, Authorized, Denied } from './authorize.ts';
import type { LiveHub } from './live-hub.ts';
import { inputLimit, messageLimits, type ViewerCounts } from './message-limits.ts';
import { type Outbox, outbox, TRY_AGAIN_LATER } from './outbox.ts';
import { type Subscription, subscribe } from './subscription.ts';

const NOT_SIGNED_IN = 4401;
const NOT_FOUND = 4404;
const POLICY_VIOLATION = 1008;

/** An error message on a socket. */
const ERRORS = {
  'not-understood': 'Unknown message.',
  'too-many-messages': 'Too many messages.',
  'not-signed-in': 'Sign in to watch this session.',
  'not-found': 'Session not found.',
  unavailable: 'The live view isn’t available right now. Try again in a moment.',
  'too-many-viewers': 'Too many viewers. Close another view first.',
  'not-subscribed': 'Subscribe to a session first.',
  'not-steering': 'Take over the browser first.',
  'not-ready': 'The agent is finishing its step. Try again in a moment.',
  'too-fast': 'Too fast for the browser. That action was skipped.',
} as const;
type ErrorCode = keyof typeof ERRORS;

export type ConnectionOptions = {
  readonly hub: LiveHub;
  readonly authorize: Authorize;
  readonly viewers: ViewerCounts;
  readonly internalToken: string;
  readonly ownAddress: () => string;
  readonly recheckMs: number;
  /** How long it may be open without watching anything. */
  readonly idleMsMax: number;
  /** Of the request that opened the socket. */
  readonly cookie: string;
  readonly origin: string;
  /** It comes from another runner, and goes no further. */
  readonly isRelayed: boolean;
};

type Place = { readonly subscription: Subscription } | { readonly relayed: Relayed };

/** The messages of one socket, until it is closed. */
export function serveConnection(socket: WebSocket, options: ConnectionOptions): void {
  const { hub, authorize, viewers, cookie, isRelayed, recheckMs, idleMsMax } = options;
  const out = outbox(socket);
  const mayInput = inputLimit();
  let place: Place | null = null;
  let uncount: (() => void) | null = null;
  /** The number of the latest subscription, which alone counts. */
  let latest = 0;

  const fail = (code: ErrorCode) => out.send(errorOf(code));
  // Others would find no room.
  const idle = setInterval(
    () => place ?? out.close(POLICY_VIOLATION, 'Nothing watched'),
    idleMsMax,
  );

  function leave() {
    latest += 1;
    if (place && 'relayed' in place) place.relayed.close();
    else place?.subscription[Symbol.dispose]();
    place = null;
    uncount?.();
    uncount = null;
  }

  function deny(why: Denied) {
    fail(why);
    if (why === 'not-signed-in') out.close(NOT_SIGNED_IN, why);
    else out.close(why === 'not-found' ? NOT_FOUND : TRY_AGAIN_LATER, why);
  }

  async function enter(sessionId: string) {
    leave();
    const own = latest;
    const authorized = await authorize(cookie, sessionId, true);
    if (own !== latest) return;
    // A client that was refused one session may subscribe to another.
    if (authorized === 'not-found') return fail(authorized);
    if (typeof authorized === 'string') return deny(authorized);
    uncount = viewers.begin(authorized.personId, authorized.sessionId);
    if (!uncount) return fail('too-many-viewers');
    place = placeFor(authorized);
  }

  function placeFor(authorized: Authorized): Place {
    const { sessionId, runnerAddress } = authorized;
    const ownAddress = options.ownAddress();
    const isElsewhere = runnerAddress !== null && runnerAddress !== ownAddress;
    const isOpen = authorized.status === 'queued' || authorized.status === 'running';
    if (isElsewhere && isOpen && !isRelayed) return { relayed: relayTo(runnerAddress, sessionId) };
    const subscription = subscribe({
      hub,
      authorize,
      cookie,
      authorized,
      outbox: out,
      recheckMs,
      ownAddress,
      onDenied: deny,
      // On reconnecting it finds the other runner, and receives what it missed.
      onMoved: () => out.close(TRY_AGAIN_LATER, 'Moved'),
    });
    return { subscription };
  }

  function relayTo(address: string, sessionId: string): Relayed {
    const request: LiveRequest = { type: 'subscribe_browser', sessionId };
    return relay(socket, { ...options, address, request });
  }

  function take(input: LiveInput) {
    if (!place) return fail('not-subscribed');
    if ('relayed' in place) return place.relayed.send(input);
    const answer = mayInput() ? place.subscription.input(input) : 'too-fast';
    if (answer !== 'taken') fail(answer);
  }

  listen(socket, out, (request) => {
    if (request.type === 'input') take(request);
    else void enter(request.sessionId);
  });
  socket.on('close', leave);
  socket.on('close', () => clearInterval(idle));
  // A broken or oversized message closes the socket.
  socket.on('error', () => undefined);
}

const errorOf = (code: ErrorCode) => ({ type: 'error', code, message: ERRORS[code] }) as const;

/** Forwards valid messages; invalid ones and floods end the connection. */
function listen(socket: WebSocket, out: Outbox, onRequest: (request: LiveRequest) => void) {
  const limits = messageLimits();
  socket.on('message', (data, isBinary) => {
    if (socket.readyState !== socket.OPEN) return;
    if (!limits.message()) {
      out.send(errorOf('too-many-messages'));
      return out.close(POLICY_VIOLATION, 'Too many messages');
    }
    const request = isBinary ? null : requestOf(data);
    if (request?.type === 'subscribe_browser' && !limits.subscription()) {
      out.send(errorOf('too-many-messages'));
      return out.close(POLICY_VIOLATION, 'Too many subscriptions');
    }
    if (request) return onRequest(request);
    out.send(errorOf('not-understood'));
    if (!limits.garbage()) out.close(POLICY_VIOLATION, 'Not understood');
  });
}

function requestOf(data: RawData): LiveRequest | null {
  try {
    return LiveRequest.safeParse(JSON.parse(data.toString())).data ?? null;
  } catch {
    return null;
  }
}

const CONNECT_MS_MAX = 5_000;
const FRAME_BYTES_MAX = 8 * 1024 * 1024;

type Relayed = {
  /** Forwards the viewer's messages. */
  send(message: LiveRequest): void;
  close(): void;
};

type RelayOptions = {
  /** Of the runner that holds the session. */
  readonly address: string;
  readonly internalToken: string;
  readonly cookie: string;
  readonly origin: string;
  readonly request: LiveRequest;
};

/** Lets a viewer watch at another runner; when that one goes, the viewer has to come back. */
function relay(viewer: WebSocket, options: RelayOptions): Relayed {
  const { address, internalToken, cookie, origin, request } = options;
  const url = new URL(LIVE_PATH, address);
  url.protocol = url.protocol === 'https:' ? 'wss:' : 'ws:';
  const peer = new WebSocket(url, {
    headers: { authorization: bearer(internalToken), cookie },
    origin,
    handshakeTimeout: CONNECT_MS_MAX,
    maxPayload: FRAME_BYTES_MAX,
  });
  let isClosed = false;
  peer.on('open', () => peer.send(JSON.stringify(request)));
  peer.on('message', (data: RawData) => {
    if (isClosed) return;
    // A slow viewer slows the other runner down, which then leaves frames out.
    peer.pause();
    viewer.send(data.toString(), () => peer.resume());
  });
  peer.on('error', () => undefined);
  peer.on('close', (code: number) => {
    if (!isClosed) viewer.close(isOurs(code) ? code : TRY_AGAIN_LATER);
  });
  return {
    send(message) {
      if (peer.readyState === peer.OPEN) peer.send(JSON.stringify(message));
    },
    close() {
      isClosed = true;
      peer.terminate();
    },
  };
}

/** Codes with a meaning in this protocol, not those of a broken connection. */
const isOurs = (code: number) => code >= 4_000 && code < 5_000;
