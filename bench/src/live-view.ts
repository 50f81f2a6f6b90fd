import { launchChromium } from '@tallyhand/browser-runner/chromium';
import { createAgent } from '@tallyhand/contracts/features/agents/agents.endpoints';
import { LIVE_PATH, type LiveMessage } from '@tallyhand/contracts/features/sessions/live.messages';
import {
  getSession,
  type Session,
  type SessionDetail,
  startSession,
  takeOverSession,
} from '@tallyhand/contracts/features/sessions/sessions.endpoints';
import { startSite } from '../../stack/src/testing/site/site.ts';
import { type ApiClient, agentInput, registerOrganization } from '../../test-kit/src/api-client.ts';
import { percentile } from './load.ts';
import { productFolder } from './product.ts';
import { ms, type Row, ratio, row } from './table.ts';

const SESSIONS = 4;
const VIEWERS_EACH = 2;
const MEASURED_MS = 10_000;
const START_MS_MAX = 60_000;
const VIEWPORT = { width: 1_280, height: 800 };

/** Viewers of pages that move all the time, against what the browser alone draws of them. */
export async function measureLiveView(): Promise<Row[]> {
  await using site = await startSite();
  const page = `${site.origin}/moving`;
  await using folder = await productFolder({ ALLOW_PRIVATE_HOSTS: new URL(page).host });
  const { product } = await folder.start();
  try {
    const views = await watchSessions(product.url, page);
    const { perSecond, agesMs } = await framesOf(views);
    const bare = await bareScreencast(page);
    const slowest = Math.min(...perSecond);
    const oldest = percentile(agesMs, 0.99);
    const who = `${SESSIONS * VIEWERS_EACH} viewers on ${SESSIONS} sessions`;
    return [
      row(`P8 live view, ${who}: frames/s of the slowest`, slowest.toFixed(1), '2; 10'),
      row('P8 age of a frame when it arrives: p99', ms(oldest), '1 s; 250 ms'),
      row(`the browser's own screencast of ${SESSIONS} such pages: frames/s`, bare.toFixed(1)),
      row('live view against it', ratio(slowest, bare)),
    ];
  } finally {
    await product.stop();
  }
}

type View = { readonly socket: WebSocket; readonly frames: { at: number; ageMs: number }[] };

/** Each session's page is opened by the person who took over: nothing else happens there. */
async function watchSessions(url: string, page: string): Promise<View[]> {
  const { client } = await registerOrganization(url);
  const agent = await client.call<{ id: string }>(createAgent, { body: agentInput });
  const views: View[] = [];
  for (let at = 0; at < SESSIONS; at += 1) {
    const { body } = await client.call<Session>(startSession, {
      params: { id: agent.body.id },
      body: { goal: `Compare all the prices of ${new URL('/', page)}`, maxSteps: 50 },
    });
    const params = { id: body.id };
    await until(async () => {
      const { session } = (await client.call<SessionDetail>(getSession, { params })).body;
      return session.status === 'running';
    });
    const taken = await client.call(takeOverSession, { params });
    if (taken.status !== 200) throw new Error(`Taking over answered ${taken.status}`);
    const own = Array.from({ length: VIEWERS_EACH }, () => watch(url, client, body.id));
    await until(async () => {
      own[0]?.steer(page);
      return own.every(({ isAt }) => isAt(page));
    });
    views.push(...own);
  }
  return views;
}

function watch(url: string, { cookies }: ApiClient, sessionId: string) {
  const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  const headers = { origin: url, cookie };
  const socket = new WebSocket(`${url.replace('http', 'ws')}${LIVE_PATH}`, { headers });
  const frames: View['frames'] = [];
  let place: string | null = null;
  const say = (message: object) => {
    if (socket.readyState === WebSocket.OPEN) socket.send(JSON.stringify(message));
  };
  socket.onopen = () => say({ type: 'subscribe_browser', sessionId });
  socket.onmessage = ({ data }) => {
    const message = JSON.parse(String(data)) as LiveMessage;
    if (message.type !== 'live_update') return;
    place = message.url;
    frames.push({ at: performance.now(), ageMs: Date.now() - Date.parse(message.timestamp) });
  };
  return {
    socket,
    frames,
    isAt: (page: string) => place === page,
    steer: (page: string) => {
      if (place !== page) say({ type: 'input', kind: 'open', url: page });
    },
  };
}

async function framesOf(views: readonly View[]) {
  const since = performance.now();
  await new Promise((resolve) => setTimeout(resolve, MEASURED_MS));
  const seen = views.map(({ frames }) => frames.filter(({ at }) => at >= since));
  for (const { socket } of views) socket.close();
  return {
    perSecond: seen.map(({ length }) => length / (MEASURED_MS / 1_000)),
    agesMs: seen.flatMap((frames) => frames.map(({ ageMs }) => ageMs)),
  };
}

/** Frames a second of the slowest page, each acknowledged at once. */
async function bareScreencast(address: string): Promise<number> {
  const browser = await launchChromium();
  try {
    const counts = await Promise.all(
      Array.from({ length: SESSIONS }, async () => {
        const page = await browser.newPage({ viewport: VIEWPORT });
        await page.goto(address);
        const client = await page.context().newCDPSession(page);
        let count = 0;
        client.on('Page.screencastFrame', ({ sessionId }) => {
          count += 1;
          client.send('Page.screencastFrameAck', { sessionId }).catch(() => undefined);
        });
        await client.send('Page.startScreencast', { format: 'png' });
        await new Promise((resolve) => setTimeout(resolve, MEASURED_MS));
        return count;
      }),
    );
    return Math.min(...counts) / (MEASURED_MS / 1_000);
  } finally {
    await browser.close();
  }
}

async function until(isSo: () => Promise<boolean>) {
  const deadline = performance.now() + START_MS_MAX;
  while (!(await isSo())) {
    if (performance.now() > deadline) throw new Error('The sessions did not come to their pages');
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
}
