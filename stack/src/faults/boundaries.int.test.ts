import { openKit } from '@tallyhand/command-service/app/open-kit';
import { verifyLedger } from '@tallyhand/command-service/features/credits/verify-ledger';
import {
  type LedgerEntry,
  listLedgerEntries,
} from '@tallyhand/contracts/features/credits/credits.endpoints';
import type { CurrentUser } from '@tallyhand/contracts/features/identity/identity.endpoints';
import {
  getOrganization,
  type Organization,
} from '@tallyhand/contracts/features/organizations/organizations.endpoints';
import {
  type ExecutionResult,
  executeTask,
  listTasks,
  type Task,
} from '@tallyhand/contracts/features/tasks/tasks.endpoints';
import { type EventLog, openEventLog } from '@tallyhand/service-kit/event-store/event-log';
import { jsonLog } from '@tallyhand/service-kit/log';
import {
  type ApiClient,
  agentWithArticle,
  registerOrganization,
} from '@tallyhand/test-kit/api-client';
import { testDatabase, testEventStore } from '@tallyhand/test-kit/backends';
import { caseRuns, reportFault } from '@tallyhand/test-kit/cases';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ApplicationProcess, applicationProcess } from './application-process.ts';
import { type Boundary, type Gate, startGate } from './event-store-gate.ts';

const CREDITS = 100;
const SETTLED = { interval: 200 };
const ALL_MS_MAX = 600_000;
const USUAL: Readonly<Record<string, string>> = {};
/** Nothing listens there: the model can't be reached, and the task fails. */
const NO_MODEL: Readonly<Record<string, string>> = {
  OPENAI_API_KEY: 'none',
  OPENAI_BASE_URL: 'http://127.0.0.1:9/v1',
};

/** The writes of one execute, in order; a process may die before and after each. */
const boundariesOf = (types: readonly string[]): Boundary[] =>
  types.flatMap((type) => [
    { side: 'before', type },
    { side: 'after', type },
  ]);
const reserving: Boundary = { side: 'after', type: 'CreditsReserved' };
const requested = boundariesOf(['TaskRequested']);
const started = boundariesOf(['TaskStarted', 'TaskSucceeded', 'CreditsCharged']);
const failing = boundariesOf(['TaskFailed', 'ReservationReleased']);

/**
 * The last ones, which run soonest; all on demand. A test without its own sample is one of which
 * another tries more: the repeated call reaches the same end.
 */
function chosen(boundaries: readonly Boundary[], sample: number): readonly Boundary[] {
  const { numRuns } = caseRuns(sample, boundaries.length);
  return numRuns === 0 ? [] : boundaries.slice(-numRuns);
}

const stack = new AsyncDisposableStack();
let gate: Gate;
let application: ApplicationProcess;
let eventLog: EventLog;
let client: ApiClient;
let user: CurrentUser;
let agentId = '';
/** The settings of the application. */
let environment = USUAL;

beforeAll(async () => {
  const database = stack.use(await testDatabase());
  const eventStore = stack.use(await testEventStore());
  eventLog = stack.adopt(openEventLog(eventStore.url), (log) => log.close());
  gate = stack.use(await startGate(eventStore));
  application = stack.use(await applicationProcess(database.url, gate.url));
  await application.start(environment);
  ({ client, user } = await registerOrganization(application.url));
  agentId = (await agentWithArticle(client)).agent.id;
});
afterAll(() => stack.disposeAsync());

const execute = (key: string) =>
  client.call<ExecutionResult>(executeTask, {
    params: { id: agentId },
    body: { input: 'Within how many days?' },
    headers: { 'idempotency-key': key },
  });

/** The newest stored reservation of the ledger: that of the interrupted task. */
async function newestReservation(): Promise<string> {
  let newest = '';
  for await (const { type, data } of eventLog.read(`ledger-${user.organization.id}`, 0n)) {
    if (type === 'CreditsReserved') newest = String(data.reservationId);
  }
  return newest;
}

/** The id of the newest event of the type among the newest of all streams. */
async function newestOf(type: string): Promise<string> {
  const newest = { direction: 'backwards', fromPosition: 'end', maxCount: 64 } as const;
  let found = 'none';
  // To the end: the client can't be closed while it is in the middle of a read.
  for await (const { event } of eventLog.client.readAll(newest)) {
    if (found === 'none' && event?.type === type) found = event.id;
  }
  return found;
}

type CutOff = {
  readonly at: string;
  readonly taskId: string;
  readonly key: string;
  /** When the application was there again, by `performance.now()`. */
  readonly back: number;
};

/** Requests a task, kills the application at the boundary, and restarts it. */
async function cutOff(boundary: Boundary, env: Readonly<Record<string, string>>): Promise<CutOff> {
  if (env !== environment) {
    await application.kill();
    gate.open();
    await application.start(env);
    environment = env;
  }
  const earlier = await newestOf(boundary.type);
  const reached = gate.closeAt(boundary);
  const key = crypto.randomUUID();
  const unanswered = execute(key).then(
    ({ status }) => status,
    () => 'no answer',
  );
  await reached;
  // The event store stores in its own time what was sent before the gate closed.
  const newest = () => newestOf(boundary.type);
  if (boundary.side === 'after') await expect.poll(newest, SETTLED).not.toBe(earlier);
  const taskId = await newestReservation();
  await application.kill();
  expect(await unanswered).toBe('no answer');
  gate.open();
  await application.start(env);
  const back = performance.now();
  return { at: `${boundary.side} ${boundary.type}`, taskId, key, back };
}

/** For each task: the ledger entries of its reservation, oldest first, and its state. */
async function outcomes(cut: readonly CutOff[]) {
  const { body: newestFirst } = await client.call<LedgerEntry[]>(listLedgerEntries);
  const { body: tasks } = await client.call<Task[]>(listTasks);
  return cut.map(({ at, taskId }) => {
    const own = newestFirst.filter(({ reservationId }) => reservationId === taskId).toReversed();
    const status = tasks.find(({ id }) => id === taskId)?.status ?? 'none';
    return `${at}: ${own.map(({ kind }) => kind).join(' ')}, task ${status}`;
  });
}

/** Nothing stays reserved, and stream, read model and double entry agree. */
async function expectBalanced() {
  const { body: ledger } = await client.call<LedgerEntry[]>(listLedgerEntries);
  const charged = ledger.filter(({ kind }) => kind === 'charged').length;
  const { body: organization } = await client.call<Organization>(getOrganization);
  expect(organization).toMatchObject({ reserved: 0, creditBalance: CREDITS - charged });
  const log = jsonLog('fault', 'silent');
  const settings = { publicUrl: application.url, trustProxy: false, rateLimitScale: 1, log };
  await using opened = await openKit({ ...settings, ...application.settings });
  const available = CREDITS - charged;
  expect(await verifyLedger(opened.kit, user.organization.id)).toMatchObject({
    status: 'passed',
    brokenAt: null,
    available: { events: available, readModel: available, trialBalance: available },
  });
}

async function expectOutcome(cut: readonly CutOff[], outcome: string) {
  const expected = cut.map(({ at }) => `${at}: ${outcome}`);
  await expect.poll(() => outcomes(cut), SETTLED).toEqual(expected);
  const last = cut.at(-1);
  if (last) reportFault({ runs: cut.length, recoveryMs: performance.now() - last.back });
  await expectBalanced();
}

async function cutOffAt(boundaries: readonly Boundary[], env = USUAL) {
  const cut: CutOff[] = [];
  for (const boundary of boundaries) cut.push(await cutOff(boundary, env));
  return cut;
}

describe('kill -9 of the application at each event of an execute', () => {
  it(
    'before the task is requested releases its credit',
    async () => {
      const cut = await cutOffAt(chosen([reserving, requested[0] ?? reserving], 0));
      await expectOutcome(cut, 'reserved released, task none');
    },
    ALL_MS_MAX,
  );

  it(
    'after that brings the task to its end, charged once',
    async () => {
      const cut = await cutOffAt(chosen([...requested.slice(1), ...started], 0));
      await expectOutcome(cut, 'reserved charged, task success');
    },
    ALL_MS_MAX,
  );

  it(
    'of one that fails costs nothing',
    async () => {
      const cut = await cutOffAt(chosen(failing, 0), NO_MODEL);
      await expectOutcome(cut, 'reserved released, task failed');
    },
    ALL_MS_MAX,
  );

  it(
    'and the same call under its key again has one effect, and its answer',
    async () => {
      for (const boundary of chosen([reserving, ...requested, ...started], 1)) {
        const cut = await cutOff(boundary, USUAL);
        const answer = async () => {
          const { status, body } = await execute(cut.key);
          return { status, taskId: body.taskId, success: body.success };
        };
        const expected = { status: 200, taskId: cut.taskId, success: true };
        await expect.poll(answer, SETTLED).toEqual(expected);
        await expectOutcome([cut], 'reserved charged, task success');
      }
    },
    ALL_MS_MAX,
  );
});
