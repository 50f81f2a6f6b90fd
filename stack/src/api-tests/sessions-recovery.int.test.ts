import { stepIdOf } from '@tallyhand/command-service/features/sessions/step-credits';
import { watchSessions } from '@tallyhand/command-service/features/sessions/watch-sessions';
import { backgroundContext } from '@tallyhand/command-service/kit/context';
import type { Session } from '@tallyhand/contracts/features/sessions/sessions.endpoints';
import { newId } from '@tallyhand/service-kit/crypto/ids';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { report } from '../testing/scripted-runner.ts';
import {
  goal,
  type Party,
  type SessionsProduct,
  startSessionsProduct,
} from '../testing/sessions-product.ts';

/** Long enough for a busy machine: `unheard` makes a runner silent. */
const watchTimes = {
  everyMs: 50,
  unseenMs: 60_000,
  lostMs: 120_000,
  runnerMs: 300,
  aloneMs: 120_000,
};

let at: SessionsProduct;

beforeAll(async () => {
  at = await startSessionsProduct({ watchTimes, sweepTimes: { everyMs: 100, graceMs: 300 } });
});
afterEach(() => at.clear());
afterAll(() => at[Symbol.asyncDispose]());

const ended = async (party: Party, id: string): Promise<Session> => {
  const read = async () => (await at.read(party, id)).session;
  await expect.poll(async () => (await read()).endReason).not.toBeNull();
  return read();
};

/** The session's runner died an hour ago. */
const unheard = (id: string) =>
  at.internal.opened.kit.pool.query(
    `update operational.open_sessions set seen_at = now() - interval '1 hour'
     where session_id = $1`,
    [id],
  );

/** Gives up unclaimed sessions early, until disposed of. */
const watchLost = () => watchSessions(at.internal.opened.sessions, { ...watchTimes, lostMs: 200 });

const charges = async (party: Party) =>
  (await at.entries(party)).filter((kind) => kind !== 'granted');

/** The request of a session, `msLeft` before its deadline. */
const requestOf = ({ organizationId, agentId, userId }: Party, msLeft: number) => ({
  sessionId: newId(),
  organizationId,
  agentId,
  requestedBy: userId,
  goal,
  context: null,
  maxSteps: 5,
  price: 1,
  deadline: new Date(Date.now() + msLeft).toISOString(),
});

describe('a runner that dies', () => {
  it('loses its session to another, which continues from the last step', async () => {
    const party = await at.newParty();
    const { id, by } = await at.running(party);
    await by.step(id, 1);
    expect(await by.begin(id, 2)).toBe('go');
    await unheard(id);
    const other = at.runner();
    const assignment = await other.take();
    expect(assignment).toMatchObject({
      sessionId: id,
      steps: [{ stepNumber: 1, input: report.input }],
    });
    const browserSessionId = await other.open(id);
    await other.step(id, 2);
    expect((await by.complete(id, 2)).status).toBe(200);
    expect((await by.act(id, party.userId)).body.code).toBe('not-your-claim');
    await other.step(id, 3, { success: false });
    expect((await other.end(id)).status).toBe(200);
    const { session, steps } = await at.read(party, id);
    expect(session).toMatchObject({ status: 'completed', browserSessionId, totalCreditsUsed: 2 });
    expect(steps.map(({ stepNumber }) => stepNumber)).toEqual([1, 2, 3]);
    expect(await charges(party)).toEqual([
      'reserved',
      'charged',
      'reserved',
      'charged',
      'reserved',
      'released',
    ]);
  });

  it('learns at its next call that another has claimed it', async () => {
    const party = await at.newParty();
    const { id, by } = await at.running(party);
    expect(await by.begin(id, 1)).toBe('go');
    await unheard(id);
    const other = at.runner();
    await other.take();
    expect((await by.complete(id, 1)).body.code).toBe('not-your-claim');
    expect((await by.poll({ held: [{ sessionId: id, control: 'agent' }] })).changed).toEqual([
      { sessionId: id, control: 'ended', personId: null },
    ]);
    await other.step(id, 1);
    expect((await at.read(party, id)).steps).toHaveLength(1);
  });

  it('fails its session when no other claims it, and its credit is released', async () => {
    const party = await at.newParty();
    const { id, by } = await at.running(party);
    await by.step(id, 1, { finding: { text: 'Plan S costs 4 EUR', url: report.url } });
    await by.begin(id, 2);
    await unheard(id);
    await using _watching = watchLost();
    const session = await ended(party, id);
    expect(session).toMatchObject({
      status: 'failed',
      endReason: 'runner-lost',
      totalCreditsUsed: 1,
      workspaceData: { finalOutcome: { keyFindings: [`Plan S costs 4 EUR (${report.url})`] } },
    });
    await expect.poll(() => at.credits(party)).toBe(99);
    expect(await by.begin(id, 2)).toBe('ended');
  });
});

describe('a session that waits', () => {
  it('keeps its place while no runner is free', async () => {
    const lost = await at.newParty();
    const begun = await at.running(lost);
    const party = await at.newParty();
    const { id } = await at.started(party);
    await at.internal.opened.kit.pool.query(
      `update operational.open_sessions set added_at = now() - interval '10 minutes'
       where session_id = $1`,
      [id],
    );
    await unheard(begun.id);
    await using _watching = watchLost();
    expect((await ended(lost, begun.id)).endReason).toBe('runner-lost');
    expect((await at.read(party, id)).session.status).toBe('queued');
  });

  it('fails when no runner claims it', async () => {
    const party = await at.newParty();
    const { id } = await at.started(party);
    const times = { ...watchTimes, aloneMs: 500 };
    await using _watching = watchSessions(at.internal.opened.sessions, times);
    expect(await ended(party, id)).toMatchObject({
      status: 'failed',
      endReason: 'runner-lost',
      startedAt: null,
      totalCreditsUsed: 0,
      errorMessage: "Couldn't start a browser for this session. Try again later.",
    });
  });

  it('gives a new session its own time, however long others have waited', async () => {
    const party = await at.newParty();
    const [old, fresh] = [await at.started(party), await at.started(party)];
    const { kit, sessions } = at.internal.opened;
    await kit.pool.query(
      `update operational.open_sessions set added_at = now() - interval '1 hour'
       where session_id = $1`,
      [old.id],
    );
    const waiting = await sessions.open.waiting(600_000, 100);
    expect(waiting).toContain(old.id);
    expect(waiting).not.toContain(fresh.id);
  });

  it('is ended at its deadline', async () => {
    const party = await at.newParty();
    const { streams, open } = at.internal.opened.sessions;
    const data = requestOf(party, 500);
    const command = { type: 'RequestSession', data } as const;
    await streams.send(
      data.sessionId,
      command,
      backgroundContext('reaction', party.organizationId),
    );
    await open.add(data);
    expect(await ended(party, data.sessionId)).toMatchObject({
      status: 'failed',
      endReason: 'error',
      startedAt: null,
      errorMessage: 'The session was stopped after one hour.',
    });
  });
});

describe('a process that dies', () => {
  it('between a step and its charge leaves the charge to the reaction', async () => {
    const party = await at.newParty();
    const { id, by } = await at.running(party);
    await by.begin(id, 1);
    const { screenshots: _, ...taken } = report;
    const data = { ...taken, screenshots: [], stepId: stepIdOf(id, 1), stepNumber: 1 };
    const { streams } = at.internal.opened.sessions;
    const context = backgroundContext('reaction', party.organizationId);
    await streams.send(id, { type: 'TakeStep', data }, context);
    await expect.poll(() => charges(party)).toEqual(['reserved', 'charged']);
    expect((await by.complete(id, 1)).status).toBe(200);
    expect(await charges(party)).toEqual(['reserved', 'charged']);
  });

  it('between an end and its effects leaves those to the reaction', async () => {
    const party = await at.newParty();
    const { id, by } = await at.running(party);
    await by.begin(id, 1);
    const answer = by.poll({ held: [{ sessionId: id, control: 'agent' }], waitMs: 10_000 });
    const data = { reason: 'by-person', terminatedBy: party.userId } as const;
    const { streams, open } = at.internal.opened.sessions;
    const context = backgroundContext('reaction', party.organizationId);
    await streams.send(id, { type: 'TerminateSession', data }, context);
    expect((await answer).changed).toMatchObject([{ sessionId: id, control: 'ended' }]);
    await expect.poll(() => charges(party)).toEqual(['reserved', 'released']);
    expect(await open.find(id)).toBeNull();
  });

  it('between a request and the queue leaves that to the reaction', async () => {
    const party = await at.newParty();
    const data = requestOf(party, 60_000);
    const { streams, open } = at.internal.opened.sessions;
    expect(await open.reserve(data)).toBe(true);
    expect((await at.runner().poll({ free: 1 })).assigned).toEqual([]);
    const command = { type: 'RequestSession', data } as const;
    await streams.send(
      data.sessionId,
      command,
      backgroundContext('reaction', party.organizationId),
    );
    expect((await at.runner().take()).sessionId).toBe(data.sessionId);
  });

  it('before a request leaves no place occupied', async () => {
    const data = requestOf(await at.newParty(), 60_000);
    const { open } = at.internal.opened.sessions;
    expect(await open.reserve(data)).toBe(true);
    await using _watching = watchLost();
    await expect.poll(() => open.find(data.sessionId)).toBeNull();
  });

  it('after it set a credit aside for a session that had ended leaves it to the sweep', async () => {
    const party = await at.newParty();
    const { id, by } = await at.running(party);
    await by.step(id, 1);
    await by.end(id);
    const { sessions } = at.internal.opened;
    const session = await sessions.load(id);
    if (!session) throw new Error('The session is gone');
    const context = backgroundContext('reaction', party.organizationId);
    expect(await sessions.credits.reserve(context, session, 2)).toBeNull();
    await expect.poll(() => at.credits(party)).toBe(99);
    expect((await charges(party)).slice(2)).toEqual(['reserved', 'released']);
  });
});

describe('a step that takes longer than its reservation', () => {
  it('keeps it', async () => {
    const party = await at.newParty();
    const { id, by } = await at.running(party);
    await by.begin(id, 1);
    const { sessions } = at.internal.opened;
    const { organizationId } = party;
    const left = { organizationId, stepId: stepIdOf(id, 1), isExpired: true };
    expect(await sessions.settleLeft(left)).toBe(false);
    await by.complete(id, 1);
    expect((await charges(party)).at(-1)).toBe('charged');
    expect(await sessions.settleLeft(left)).toBe(true);
    expect(await at.credits(party)).toBe(99);
  });
});

it('requests a browser again while a session waits and no runner is known', async () => {
  const { sessions, kit } = at.internal.opened;
  await kit.pool.query(`update operational.runners set seen_at = now() - interval '1 minute'`);
  await at.started(await at.newParty());
  const before = at.internal.wanted();
  await using _ = watchSessions(sessions, watchTimes);
  await expect.poll(() => at.internal.wanted()).toBeGreaterThan(before);
});
