import { OpenSessions } from '@tallyhand/command-service/features/sessions/open-sessions';
import { changeAgent, deleteAgent } from '@tallyhand/contracts/features/agents/agents.endpoints';
import { setLimit } from '@tallyhand/contracts/features/credits/credits.endpoints';
import { handBackIdle } from '@tallyhand/contracts/features/sessions/runner.endpoints';
import {
  type Session,
  terminateSession,
} from '@tallyhand/contracts/features/sessions/sessions.endpoints';
import { OPEN_SESSIONS_MAX } from '@tallyhand/contracts/features/sessions/sessions.fields';
import { newId } from '@tallyhand/service-kit/crypto/ids';
import { agentInput, apiClient } from '@tallyhand/test-kit/api-client';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { withClient } from '../backup/manifest.ts';
import { ScriptedRunner } from '../testing/scripted-runner.ts';
import {
  change,
  goal,
  type Party,
  type SessionsProduct,
  startSessionsProduct,
} from '../testing/sessions-product.ts';

let at: SessionsProduct;

beforeAll(async () => {
  at = await startSessionsProduct();
});
afterEach(() => at.clear());
afterAll(() => at[Symbol.asyncDispose]());

describe('starting a session', () => {
  it('answers with a queued one, and costs nothing yet', async () => {
    const party = await at.newParty();
    const answer = await at.startBy(party, { context: 'For one person', maxSteps: 50 });
    expect(answer).toMatchObject({
      status: 201,
      body: {
        agentId: party.agentId,
        agentName: agentInput.name,
        status: 'queued',
        currentStep: 0,
        maxSteps: 50,
        originalGoal: goal,
        context: 'For one person',
        totalCreditsUsed: 0,
        browserSessionId: null,
        model: null,
        endReason: null,
        queuePosition: 0,
        requestedBy: { id: party.userId, name: expect.stringMatching(/^User /) },
        workspaceData: { finalOutcome: null },
      },
    });
    const { createdAt, ...view } = answer.body;
    const { session } = await at.read(party, answer.body.id);
    expect(session).toMatchObject(view);
    expect(Date.parse(session.createdAt)).toBe(Date.parse(createdAt));
    expect(await at.credits(party)).toBe(100);
    expect(await at.entries(party)).toEqual(['granted']);
  });

  it('starts one per key, however often it is repeated', async () => {
    const party = await at.newParty();
    const key = { 'idempotency-key': newId() };
    const answers = await Promise.all([1, 2, 3].map(() => at.startBy(party, {}, key)));
    const ids = new Set(answers.map(({ body }) => body.id));
    expect([ids.size, ...answers.map(({ status }) => status)]).toEqual([1, 201, 201, 201]);
  });

  it.each([
    ['a blank goal', { goal: '  ' }, 'goal'],
    ['too long a goal', { goal: 'x'.repeat(4_001) }, 'goal'],
    ['no steps', { maxSteps: 0 }, 'maxSteps'],
    ['too many steps', { maxSteps: 51 }, 'maxSteps'],
    ['half a step', { maxSteps: 1.5 }, 'maxSteps'],
    ['too long a context', { context: 'x'.repeat(16_001) }, 'context'],
    ['an unknown field', { price: 0 }, 'price'],
  ])('refuses %s', async (_, body, path) => {
    const party = await at.newParty();
    const answer = await at.startBy(party, body);
    expect(answer).toMatchObject({ status: 422, body: { errors: [{ path }] } });
  });

  it('refuses an agent that is paused, deleted, unknown, or of another organization', async () => {
    const party = await at.newParty();
    const params = { id: party.agentId };
    await party.client.call(changeAgent, { params, body: { isActive: false } });
    expect(await at.startBy(party)).toMatchObject({ status: 409, body: { code: 'agent-paused' } });
    await party.client.call(deleteAgent, { params });
    expect((await at.startBy(party)).status).toBe(404);
    expect((await at.startBy({ ...party, agentId: newId() })).status).toBe(404);
    const other = await at.newParty();
    expect((await at.startBy({ ...party, agentId: other.agentId })).status).toBe(404);
  });

  it('refuses without a credit, and above a spend limit', async () => {
    const party = await at.newParty();
    await at.leave(party, 0);
    expect(await at.startBy(party)).toMatchObject({
      status: 402,
      body: { code: 'insufficient-credits', params: { available: 0, requested: 1 } },
    });
    await at.leave(party, 1);
    const limit = { kind: 'agent', id: party.agentId };
    await party.client.call(setLimit, { body: { ...limit, monthlyCredits: 0 } });
    expect(await at.startBy(party)).toMatchObject({
      status: 402,
      body: { code: 'spend-limit-reached' },
    });
    await party.client.call(setLimit, { body: { ...limit, monthlyCredits: 1 } });
    expect((await at.startBy(party)).status).toBe(201);
  });

  it('accepts the maximum of open ones, also when all are requested at once', async () => {
    const party = await at.newParty();
    const all = Array.from({ length: OPEN_SESSIONS_MAX + 4 }, () => at.startBy(party));
    const answers = await Promise.all(all);
    const ids = answers.filter(({ status }) => status === 201).map(({ body }) => body.id);
    expect(ids).toHaveLength(OPEN_SESSIONS_MAX);
    const refused = answers.find(({ status }) => status !== 201);
    expect(refused).toMatchObject({
      status: 409,
      body: { code: 'too-many-sessions', params: { sessionsMax: OPEN_SESSIONS_MAX } },
    });
    await change(party.client, terminateSession, ids[0] ?? '');
    expect((await at.startBy(party)).status).toBe(201);
  });

  it('requests a browser when a session is requested', async () => {
    const before = at.internal.wanted();
    const party = await at.newParty();
    const client = apiClient(at.internal.url);
    for (const [name, value] of party.client.cookies) client.cookies.set(name, value);
    await at.started({ ...party, client });
    expect(at.internal.wanted()).toBe(before + 1);
  });
});

describe('calls of runners', () => {
  it('are answered with the service token only, and name their faults', async () => {
    const runner = at.runner();
    const { runnerId } = runner;
    for (const token of ['', 'wrong', `${at.internal.token}x`]) {
      const stranger = new ScriptedRunner({ ...at.internal, token });
      const answer = await stranger.call(handBackIdle, { id: newId() }, { runnerId });
      expect(answer).toMatchObject({ status: 401, body: { code: 'not-signed-in' } });
    }
    const bad = await runner.call(handBackIdle, { id: newId() }, { runnerId: 'none', more: 1 });
    expect(bad).toMatchObject({
      status: 422,
      body: { errors: [{ path: 'runnerId' }, { path: 'more' }] },
    });
    expect((await runner.call(handBackIdle, { id: newId() }, { runnerId })).status).toBe(404);
  });

  it('are not found on the public side', async () => {
    const stranger = new ScriptedRunner({ url: at.product.url, token: at.internal.token });
    const answer = await stranger.call(handBackIdle, { id: newId() }, { runnerId: newId() });
    expect(answer.status).toBe(404);
  });
});

describe('the queue', () => {
  it('serves organizations in turn, and reports the place of each session', async () => {
    const [first, second] = [await at.newParty(), await at.newParty()];
    const [a1, a2] = [await at.started(first), await at.started(first)];
    const b1 = await at.started(second);
    expect([a1.queuePosition, a2.queuePosition, b1.queuePosition]).toEqual([0, 1, 1]);
    const position = async (party: Party, { id }: Session) =>
      (await at.read(party, id)).session.queuePosition;
    expect([await position(first, a2), await position(second, b1)]).toEqual([2, 1]);
    const order: string[] = [];
    for (let i = 0; i < 3; i += 1) order.push((await at.runner().take()).sessionId);
    expect(order).toEqual([a1.id, b1.id, a2.id]);
  });

  it('gives a runner no more sessions than it has places, however the database plans it', async () => {
    await at.started(await at.newParty());
    // Planned for this one row, a subquery is read again for each row that there is by then.
    await withClient(at.product.config.databaseUrl, (admin) =>
      admin.query('analyze operational.open_sessions'),
    );
    for (let i = 0; i < 3; i += 1) await at.started(await at.newParty());
    const claimed = await new OpenSessions(at.internal.opened.kit.pool).claim(newId(), 1);
    expect(claimed).toHaveLength(1);
  });

  it('assigns each session to one of many concurrent polls', async () => {
    const party = await at.newParty();
    const all = await Promise.all(Array.from({ length: 6 }, () => at.started(party)));
    const polls = Array.from({ length: 12 }, () => at.runner().poll({ free: 1 }));
    const assigned = (await Promise.all(polls)).flatMap((answer) => answer.assigned);
    const ids = assigned.map(({ sessionId }) => sessionId);
    expect(new Set(ids).size).toBe(ids.length);
    const rest = (await at.runner().poll({ free: 6 })).assigned.map(({ sessionId }) => sessionId);
    expect([...ids, ...rest].toSorted()).toEqual(all.map(({ id }) => id).toSorted());
  });

  it('wakes a waiting runner, and gives its forgotten sessions to others', async () => {
    const party = await at.newParty();
    const by = at.runner();
    const waiting = by.poll({ free: 1, waitMs: 10_000 });
    const { id } = await at.started(party);
    expect((await waiting).assigned.map(({ sessionId }) => sessionId)).toEqual([id]);
    await by.poll();
    expect((await at.runner().take()).sessionId).toBe(id);
  });
});
