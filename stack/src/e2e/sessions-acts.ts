import type { LiveMessage } from '@tallyhand/contracts/features/sessions/live.messages';
import type { Session } from '@tallyhand/contracts/features/sessions/sessions.endpoints';
import type { Page } from 'playwright';
import { refused, type Scene, sentEmpty } from './scene.ts';
import {
  ANNA,
  approvalsOfAllKinds,
  asking,
  completed,
  failed,
  queued,
  running,
  SCREENSHOT_HASH,
  sessionsOfAllKinds,
  stepsOfAllKinds,
} from './sessions-of-all-kinds.ts';
import { dialog, press } from './steps.ts';

const PAGE = `<body style="font: 20px sans-serif; margin: 48px">
  <h1>Plans for families</h1><p>All plans can be ended each month.</p>
  <h2>Family Small</h2><p>€14 per month</p><h2>Family Large</h2><p>€29 per month</p></body>`;

/** The picture of a session's browser, as PNG. */
async function aScreenshot(page: Page): Promise<Buffer> {
  const shown = await page.context().newPage();
  await shown.setViewportSize({ width: 1_280, height: 800 });
  await shown.setContent(PAGE);
  const png = await shown.screenshot();
  await shown.close();
  return png;
}

type Steering = 'agent' | 'me' | 'other';

/** Replaces the server's sessions by some of all kinds, with the running one live. */
async function withSessions(page: Page, steering: Steering = 'agent') {
  const png = await aScreenshot(page);
  const me = await (await page.request.get('/api/user')).json();
  const personId: string | null = { agent: null, me: me.id, other: ANNA.id }[steering];
  const shown = (session: Session): Session => {
    const isSteered = session.status === 'running' && personId !== null;
    return isSteered ? { ...session, takenOverBy: { ...ANNA, id: personId } } : session;
  };
  const list = sessionsOfAllKinds.map(shown);
  await page.route('**/api/autonomous/sessions?*', (route) => route.fulfill({ json: list }));
  await page.route('**/api/autonomous/sessions/*', (route) => {
    const session = [...list, asking].find(({ id }) => route.request().url().endsWith(id));
    const approvals = session === asking ? approvalsOfAllKinds : [];
    const steps = session?.status === 'queued' ? [] : stepsOfAllKinds;
    return route.fulfill({ json: { session, approvals, steps } });
  });
  await page.route('**/api/autonomous/sessions/*/steps', (route) => {
    const isQueued = route.request().url().includes(queued.id);
    return route.fulfill({ json: { steps: isQueued ? [] : stepsOfAllKinds } });
  });
  await page.route(`**/api/blobs/${SCREENSHOT_HASH}`, (route) =>
    route.fulfill({ contentType: 'image/png', body: png }),
  );
  const initial: LiveMessage = {
    type: 'initial_state',
    sessionId: running.id,
    status: 'running',
    screenshot: png.toString('base64'),
    url: 'https://rental.example/plans/families',
    title: 'Plans for families',
    timestamp: running.createdAt,
    actions: stepsOfAllKinds.map(({ action, input, createdAt }) => {
      return { action, details: input, timestamp: createdAt };
    }),
    control: { by: personId ? 'person' : 'agent', personId },
  };
  await page.routeWebSocket('**/ws/browser', (socket) => {
    socket.onMessage(() => socket.send(JSON.stringify(initial)));
  });
}

export async function allSessions(page: Page) {
  await withSessions(page);
  await page.reload();
  await page.getByText('2 ahead in queue').waitFor();
}

const openedAt = (query: string, text: string) => async (page: Page) => {
  await withSessions(page);
  await page.goto(`/autonomous?${query}`);
  await page.getByText(text).first().waitFor();
};

export const sessionDetails = openedAt(`session=${completed.id}`, 'Key findings');
export const failedSession = openedAt(`session=${failed.id}`, 'Not enough credits');
const askingSession = openedAt(`session=${asking.id}`, 'Anna Berg');
export const waitingSession = openedAt(
  `session=${queued.id}&view=browser`,
  'Waiting for browser session...',
);
export const completedSession = openedAt(
  `session=${completed.id}&view=browser`,
  'Session Complete',
);
export const replayedSession = openedAt(
  `session=${completed.id}&replay=4`,
  `Step 4 of ${stepsOfAllKinds.length}`,
);

export function liveSession(steering: Steering) {
  return async (page: Page) => {
    await withSessions(page, steering);
    await page.goto(`/autonomous?session=${running.id}&view=browser`);
    await dialog(page).getByText('Live', { exact: true }).waitFor();
  };
}

export async function stepPicture(page: Page) {
  await completedSession(page);
  await press(dialog(page), /^2\. Click/);
  await page.getByText(`Step 2 of ${stepsOfAllKinds.length}: Click`).waitFor();
}

export async function terminateSession(page: Page) {
  await allSessions(page);
  await press(page, /^Terminate/);
}

/** The dialog of a new session, in an organization without credits. */
export async function startWithoutCredits(page: Page) {
  await page.route('**/api/organization', async (route) => {
    const answer = await route.fetch();
    await route.fulfill({ json: { ...(await answer.json()), creditBalance: 0 } });
  });
  await page.goto('/autonomous?start=new');
  await dialog(page)
    .getByText(/^Not enough credits/)
    .waitFor();
}

export const sessionScenes: readonly Scene[] = [
  { name: 'sessions', as: 'admin', path: '/autonomous', act: allSessions },
  { name: 'sessions-empty', as: 'newcomer', path: '/autonomous' },
  { name: 'sessions-no-match', as: 'admin', path: '/autonomous?status=terminated' },
  {
    name: 'sessions-error',
    as: 'admin',
    path: '/autonomous',
    act: refused('**/api/autonomous/sessions?*'),
  },
  {
    name: 'sessions-start',
    as: 'admin',
    path: '/autonomous',
    act: sentEmpty('Start New Session', 'Start Session'),
  },
  { name: 'sessions-no-credits', as: 'admin', path: '/autonomous', act: startWithoutCredits },
  { name: 'sessions-terminate', as: 'admin', path: '/autonomous', act: terminateSession },
  { name: 'session', as: 'admin', path: '/autonomous', act: sessionDetails },
  { name: 'session-failed', as: 'admin', path: '/autonomous', act: failedSession },
  { name: 'session-asking', as: 'admin', path: '/autonomous', act: askingSession },
  { name: 'session-waiting', as: 'admin', path: '/autonomous', act: waitingSession },
  { name: 'session-live', as: 'admin', path: '/autonomous', act: liveSession('agent') },
  { name: 'session-steering', as: 'admin', path: '/autonomous', act: liveSession('me') },
  { name: 'session-steered', as: 'admin', path: '/autonomous', act: liveSession('other') },
  { name: 'session-complete', as: 'admin', path: '/autonomous', act: completedSession },
  { name: 'session-picture', as: 'admin', path: '/autonomous', act: stepPicture },
  { name: 'session-replay', as: 'admin', path: '/autonomous', act: replayedSession },
];
