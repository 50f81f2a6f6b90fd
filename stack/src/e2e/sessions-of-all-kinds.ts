import type {
  Session,
  SessionStep,
} from '@tallyhand/contracts/features/sessions/sessions.endpoints';
import type { Approval } from '@tallyhand/contracts/features/tasks/approvals.fields';

type SessionChange = Partial<Session>;

const id = (number: number) => `0198c0de-0000-7000-8000-${String(number).padStart(12, '0')}`;
const [NOON, MINUTE_MS] = [Date.UTC(2026, 10, 20, 12), 60_000];
const at = (minute: number) => new Date(NOON + minute * MINUTE_MS).toISOString();

export const SCREENSHOT_HASH = 'ab'.repeat(32);
export const ANNA = { id: id(1), name: 'Anna Berg' };

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

export const running = session(0, { status: 'running', ...open });
export const queued = session(1, {
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
export const completed = session(2);
export const failed = session(3, {
  status: 'failed',
  endReason: 'out-of-credits',
  agentName: null,
  context: 'For a family.',
  errorCode: 'insufficient-credits',
  errorParams: { available: 0, requested: 1 },
  errorMessage: 'Not enough credits. This needs 1, and you have 0.',
});
/** It waits for a form, after calls of a tool were decided. */
export const asking = session(5, { status: 'running', approvalId: id(401), ...open });
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
export const approvalsOfAllKinds: readonly Approval[] = [
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

export const sessionsOfAllKinds: readonly Session[] = [
  running,
  queued,
  completed,
  failed,
  terminated,
];

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

export const stepsOfAllKinds: readonly SessionStep[] = [
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
