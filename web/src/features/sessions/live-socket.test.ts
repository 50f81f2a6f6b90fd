import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { openLiveSocket, socketAddress, waitBefore } from './live-socket.ts';
import type { LiveView } from './live-view.ts';

const sessionId = '0198c0de-0000-7000-8000-000000000001';
const timestamp = '2026-11-21T08:00:00.000Z';
const control = { by: 'agent', personId: null };
const frame = { screenshot: null, url: null, title: null, timestamp };
const initial = { type: 'initial_state', sessionId, status: 'running', ...frame, control };
const action = (details: string) => ({ action: 'open', details, timestamp });

/** The other end of a connection, as far as a client sees it. */
class Peer {
  readyState: number = WebSocket.CONNECTING;
  readonly heard: unknown[] = [];
  onopen?: () => void;
  onmessage?: (event: { data: unknown }) => void;
  onclose?: () => void;
  send(text: string) {
    this.heard.push(JSON.parse(text));
  }
  close() {
    this.drop();
  }
  accept() {
    this.readyState = WebSocket.OPEN;
    this.onopen?.();
  }
  tell(message: unknown) {
    const data = typeof message === 'string' ? message : JSON.stringify(message);
    this.onmessage?.({ data });
  }
  drop() {
    this.readyState = WebSocket.CLOSED;
    this.onclose?.();
  }
}

function watching() {
  const peers: Peer[] = [];
  const views: LiveView[] = [];
  const socket = openLiveSocket(
    sessionId,
    (view) => views.push(view),
    () => {
      const peer = new Peer();
      peers.push(peer);
      return peer as unknown as WebSocket;
    },
  );
  const last = () => peers.at(-1) as Peer;
  const nextConnection = async () => {
    const before = peers.length;
    await vi.advanceTimersByTimeAsync(15_000);
    expect(peers.length).toBe(before + 1);
    return last();
  };
  return { socket, peers, views, last, nextConnection, view: () => views.at(-1) };
}

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

describe('openLiveSocket', () => {
  it('subscribes to the session as soon as it is connected', () => {
    const { last } = watching();
    expect(last().heard).toEqual([]);
    last().accept();
    expect(last().heard).toEqual([{ type: 'subscribe_browser', sessionId }]);
  });
  it('comes back after a lost connection, with all that was missed', async () => {
    const { last, view, nextConnection } = watching();
    last().accept();
    last().tell({ ...initial, actions: [action('a')] });
    expect(view()?.connection).toBe('live');
    last().drop();
    expect(view()?.connection).toBe('disconnected');
    const again = await nextConnection();
    again.accept();
    expect(view()?.connection).toBe('disconnected');
    again.tell({ ...initial, actions: [action('a'), action('missed')] });
    expect(view()?.connection).toBe('live');
    expect(view()?.actions.map(({ details }) => details)).toEqual(['missed', 'a']);
  });
  it('continues after messages that it does not understand', () => {
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => undefined);
    const { last, views, view } = watching();
    last().accept();
    for (const garbage of ['{', '[]', { type: 'live_update' }, { type: 'other' }]) {
      last().tell(garbage);
    }
    expect(views).toEqual([]);
    expect(warn).toHaveBeenCalledTimes(4);
    last().tell({ ...initial, actions: [] });
    expect(view()?.connection).toBe('live');
  });
  it('does not come back when the session is over', async () => {
    const { last, peers, view } = watching();
    last().accept();
    last().tell({ ...initial, actions: [] });
    last().tell({ type: 'state', status: 'completed', control });
    last().drop();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(peers.length).toBe(1);
    expect(view()?.status).toBe('completed');
  });
  it('ends with the viewer, connected or not', async () => {
    const connected = watching();
    connected.last().accept();
    connected.socket.close();
    const lost = watching();
    lost.last().drop();
    const told = lost.views.length;
    lost.socket.close();
    await vi.advanceTimersByTimeAsync(60_000);
    expect([connected.peers.length, lost.peers.length]).toEqual([1, 1]);
    expect([connected.views.length, lost.views.length]).toEqual([0, told]);
  });
  it("sends the member's input only while there is a connection", () => {
    const { last, socket } = watching();
    const back = { type: 'input', kind: 'back' } as const;
    expect(socket.send(back)).toBe(false);
    last().accept();
    expect(socket.send(back)).toBe(true);
    expect(last().heard.at(-1)).toEqual(back);
    last().drop();
    expect(socket.send(back)).toBe(false);
  });
});

describe('waitBefore', () => {
  it('doubles from half a second to 15 s, the second half of it by chance', () => {
    expect([0, 1, 2, 3].map((attempt) => waitBefore(attempt, 1))).toEqual([
      500, 1_000, 2_000, 4_000,
    ]);
    expect(waitBefore(0, 0)).toBe(250);
    expect(waitBefore(50, 1)).toBe(15_000);
  });
});

describe('socketAddress', () => {
  it('is secure where the page is', () => {
    expect(socketAddress({ protocol: 'https:', host: 'a.example' })).toBe(
      'wss://a.example/ws/browser',
    );
    expect(socketAddress({ protocol: 'http:', host: '127.0.0.1:80' })).toBe(
      'ws://127.0.0.1:80/ws/browser',
    );
  });
});
