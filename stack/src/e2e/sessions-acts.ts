import type { LiveMessage } from '@tallyhand/contracts/features/sessions/live.messages';
import type {
  Session,
  SessionStep,
} from '@tallyhand/contracts/features/sessions/sessions.endpoints';
import type { Approval } from '@tallyhand/contracts/features/tasks/approvals.fields';
import type { Page } from 'playwright';
import { refused, type Scene, sentEmpty } from './scene.ts';
import { dialog, press } from './steps.ts';

type SessionChange = Partial<Session>;

const id = (number: number) => `0198c0de-0000-7000-8000-${String(number).padStart(12, '0')}`;
const [NOON, MINUTE_MS] = [Date.UTC(2026, 10, 20, 12), 60_000];
const at = (minute: number) => new Date(NOON + minute * MINUTE_MS).toISOString();

const SCREENSHOT_HASH = 'ab'.repeat(32);
const ANNA = { id: id(1), name: 'Anna Berg' };

const outcome = {
  summary: 'Weekend is the cheapest plan at €9 a month; Youth Club and Family Small follow.',
  keyFindings: [
    'Weekend: €9 per month',
    'Youth Club: €12 per month',
    'Family Small: €14 per month',
  ],
  nextSteps: ['Ask whether Youth Club is open to adults.'],
  totalSteps: 6,
  totalCredits: 4,
};

const session = (number: number, more: SessionChange = {}): Session => ({
  id: id(100 + number),
  agentId: id(10),
  agentName: 'Research desk',
  status: 'completed',
  currentStep: 5,
  maxSteps: 15,
  freeSteps: 1,
  context: null,
  approvalId: null,
  totalCreditsUsed: 4,
  originalGoal: 'Find the three cheapest plans on https://rental.example/plans and compare them',
  createdAt: at(-60 * number),
  startedAt: at(1 - 60 * number),
  endedAt: at(3 - 60 * number),
  browserSessionId: id(200 + number),
  model: 'built-in engine',
  endReason: 'goal-reached',
  errorMessage: null,
  errorCode: null,
  errorParams: {},
  requestedBy: ANNA,
  takenOverBy: null,
  queuePosition: null,
  workspaceData: { finalOutcome: outcome },
  ...more,
});

const open = { endReason: null, endedAt: null, workspaceData: { finalOutcome: null } };
const longGoal =
  'Compare the opening hours of all our branches with those on the pages of the city, of the ' +
  'chamber of commerce and of the three directories that are named in the handbook for branches';

const running = session(0, { status: 'running', ...open });
const queued = session(1, {
  status: 'queued',
  currentStep: 0,
  freeSteps: 0,
  totalCreditsUsed: 0,
  queuePosition: 2,
  startedAt: null,
  browserSessionId: null,
  model: null,
  originalGoal: longGoal,
  ...open,
});
const completed = session(2);
const failed = session(3, {
  status: 'failed',
  endReason: 'out-of-credits',
  agentName: null,
  context: 'For a family.',
  errorCode: 'insufficient-credits',
  errorParams: { available: 0, requested: 1 },
  errorMessage: 'Not enough credits. This needs 1, and you have 0.',
});
/** It waits for a form, after calls of a tool were decided. */
const asking = session(5, { status: 'running', approvalId: id(401), ...open });
const approval = (number: number, more: Partial<Approval> = {}): Approval => ({
  id: id(400 + number),
  toolId: id(20),
  toolName: 'Orders',
  toolVersion: 2,
  operation: 'refundOrder',
  arguments: '{"orderId":"7"}',
  step: null,
  createdAt: at(2),
  expiresAt: at(32),
  decision: null,
  changedArguments: null,
  note: null,
  forRun: false,
  decidedAt: null,
  decidedBy: null,
  ...more,
});
const approvalsOfAllKinds: readonly Approval[] = [
  approval(2, { decision: 'approved', forRun: true, decidedAt: at(3), decidedBy: ANNA }),
  approval(3, {
    decision: 'refused',
    note: 'Ask the customer first.',
    decidedAt: at(4),
    decidedBy: ANNA,
  }),
  approval(4, { decision: 'refused', decidedAt: at(40) }),
  approval(5),
  approval(1, {
    toolId: null,
    toolVersion: null,
    toolName: 'rental.example',
    operation: 'submit-form',
    arguments: JSON.stringify({
      page: 'https://rental.example/contact',
      address: 'https://rental.example/contact',
      method: 'POST',
      button: 'Send message',
      fields: { name: 'Anna Berg', email: 'anna@example.com', message: 'Is Weekend free?' },
    }),
  }),
];
const terminated = session(4, { status: 'terminated', endReason: 'by-person' });

const sessionsOfAllKinds: readonly Session[] = [running, queued, completed, failed, terminated];

const step = (stepNumber: number, more: Partial<SessionStep> = {}): SessionStep => ({
  id: id(300 + stepNumber),
  stepNumber,
  action: 'click',
  toolUsed: 'browser',
  input: 'Plans for families',
  output: 'Clicked "Plans for families".',
  success: true,
  reasoning:
    'The goal asks for the cheapest plans, and families have plans of their own on a page that was not read yet.',
  interrupted: false,
  creditsUsed: 1,
  executionTimeMs: 812,
  createdAt: at(stepNumber),
  takenBy: null,
  finding: null,
  charge: null,
  usage: [],
  metadata: {
    url: 'https://rental.example/plans/families?currency=eur',
    title: 'Plans for families',
    screenshots: [],
    screenshotUrls: [`/api/blobs/${SCREENSHOT_HASH}`],
  },
  ...more,
});

const stepsOfAllKinds: readonly SessionStep[] = [
  step(1, { action: 'open', input: 'https://rental.example/plans' }),
  step(2),
  step(3, {
    action: 'type',
    input: 'Postcode of the branch that the family lives near to: 10115',
    takenBy: ANNA,
    creditsUsed: 0,
    reasoning: null,
  }),
  step(4, {
    action: 'open',
    input: 'https://rental.example/prices',
    output: 'A person took over while this was under way.',
    success: false,
    interrupted: true,
    creditsUsed: 0,
  }),
  step(5, {
    action: 'extract',
    success: false,
    creditsUsed: 0,
    output: 'The page did not answer.',
  }),
  step(6, {
    action: 'note',
    input: 'Family Small: €14 per month',
    finding: { text: 'Family Small: €14 per month', url: 'https://rental.example/plans/families' },
  }),
  step(7, { action: 'finish', input: outcome.summary }),
];

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
