import { once } from 'node:events';
import { LIVE_PATH, type LiveMessage } from '@tallyhand/contracts/features/sessions/live.messages';
import type { ApiClient } from '@tallyhand/test-kit/api-client';
import { WebSocket } from 'ws';

export type LiveViewer = {
  /** All that was told; of the frames the newest only. */
  readonly heard: readonly LiveMessage[];
  say(message: object): void;
  close(): void;
};

/** Watches a session as a page of the product does. */
export async function watchSession(
  url: string,
  { cookies }: ApiClient,
  sessionId: string,
): Promise<LiveViewer> {
  const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  const address = `${url.replace('http', 'ws')}${LIVE_PATH}`;
  const socket = new WebSocket(address, { headers: { origin: url, cookie } });
  const heard: LiveMessage[] = [];
  socket.on('message', (data) => {
    const message = JSON.parse(data.toString()) as LiveMessage;
    const isFrame = message.type === 'live_update';
    if (isFrame && heard.at(-1)?.type === 'live_update') heard.pop();
    heard.push(message);
  });
  await once(socket, 'open');
  const say = (message: object) => socket.send(JSON.stringify(message));
  say({ type: 'subscribe_browser', sessionId });
  return { heard, say, close: () => socket.terminate() };
}
