import { LIVE_PATH, type LiveRequest } from '@tallyhand/contracts/features/sessions/live.messages';
import { bearer } from '@tallyhand/service-kit/http/service-token';
import { type RawData, WebSocket } from 'ws';
import { TRY_AGAIN_LATER } from './outbox.ts';

const CONNECT_MS_MAX = 5_000;
const FRAME_BYTES_MAX = 8 * 1024 * 1024;

export type Relayed = {
  /** Forwards the viewer's messages. */
  send(message: LiveRequest): void;
  close(): void;
};

export type RelayOptions = {
  /** Of the runner that holds the session. */
  readonly address: string;
  readonly internalToken: string;
  readonly cookie: string;
  readonly origin: string;
  readonly request: LiveRequest;
};

/** Lets a viewer watch at another runner; when that one goes, the viewer has to come back. */
export function relay(viewer: WebSocket, options: RelayOptions): Relayed {
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

/** Codes that we gave a meaning, and not those of a broken connection. */
const isOurs = (code: number) => code >= 4_000 && code < 5_000;
