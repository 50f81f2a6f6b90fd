import {
  authorizeViewer,
  handBackIdle,
} from '@tallyhand/contracts/features/sessions/runner.endpoints';
import {
  handBackSession,
  takeOverSession,
  terminateSession,
} from '@tallyhand/contracts/features/sessions/sessions.endpoints';
import { newId } from '@tallyhand/service-kit/crypto/ids';
import { cookieOf } from '@tallyhand/test-kit/api-client';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { membersOfEachRole } from '../testing/members.ts';
import { PIXEL, report, type ScriptedRunner } from '../testing/scripted-runner.ts';
import { change, type SessionsProduct, startSessionsProduct } from '../testing/sessions-product.ts';

/** How long a runner's call waits for something new. */
const POLL_MS_MAX = 10_000;

let at: SessionsProduct;

beforeAll(async () => {
  at = await startSessionsProduct();
});
afterEach(() => at.clear());
afterAll(() => at[Symbol.asyncDispose]());

describe('terminating', () => {
  it('ends a queued session, which no runner gets then', async () => {
    const party = await at.newParty();
    const { id } = await at.started(party);
    const answer = await change(party.client, terminateSession, id);
    expect(answer).toMatchObject({
      status: 200,
      body: { status: 'terminated', endReason: 'by-person', browserSessionId: null },
    });
    expect((await at.runner().poll({ free: 1 })).assigned).toEqual([]);
    expect((await change(party.client, terminateSession, id)).status).toBe(200);
  });

  it('stops the runner, which does not wait any longer, and releases the credit of its step', async () => {
    const party = await at.newParty();
    const { id, by } = await at.running(party);
    await by.begin(id, 1);
    expect(await at.credits(party)).toBe(99);
    const held = [{ sessionId: id, control: 'agent' as const }];
    const answer = by.poll({ held, waitMs: POLL_MS_MAX });
    const sentAt = Date.now();
    expect((await change(party.client, terminateSession, id)).status).toBe(200);
    expect((await answer).changed).toEqual([{ sessionId: id, control: 'ended', personId: null }]);
    expect(Date.now() - sentAt).toBeLessThan(POLL_MS_MAX);
    expect((await by.complete(id, 1)).body.code).toBe('session-ended');
    expect(await by.begin(id, 1)).toBe('ended');
    expect(await at.credits(party)).toBe(100);
    expect(await at.entries(party)).toEqual(['granted', 'reserved', 'released']);
  });

  it('is refused of a session that came to its own end', async () => {
    const party = await at.newParty();
    const { id, by } = await at.running(party);
    await by.end(id);
    const answer = await change(party.client, terminateSession, id);
    expect(answer).toMatchObject({ status: 409, body: { code: 'session-ended' } });
  });

  it('is for the member who started it and for Admins', async () => {
    const party = await at.newParty();
    const members = await membersOfEachRole(party.client, at.product.url);
    const client = members.get('Viewer') ?? party.client;
    const { id } = await at.started({ ...party, client });
    const other = members.get('Editor') ?? party.client;
    for (const endpoint of [terminateSession, takeOverSession, handBackSession]) {
      const answer = await change(other, endpoint, id);
      expect(answer).toMatchObject({ status: 403, body: { code: 'not-your-session' } });
      const foreign = await at.newParty();
      expect((await change(foreign.client, endpoint, id)).status).toBe(404);
    }
    expect((await change(party.client, terminateSession, id)).status).toBe(200);
  });
});

describe('taking over', () => {
  const held = (sessionId: string, control: 'agent' | 'person') => [{ sessionId, control }];

  it('pauses the agent until the browser is handed back', async () => {
    const party = await at.newParty();
    const { id, by } = await at.running(party);
    await by.step(id, 1);
    const answer = by.poll({ held: held(id, 'agent'), waitMs: 10_000 });
    const taken = await change(party.client, takeOverSession, id);
    expect(taken.body.takenOverBy).toMatchObject({ id: party.userId });
    expect((await answer).changed).toEqual([
      { sessionId: id, control: 'person', personId: party.userId },
    ]);
    expect(await by.begin(id, 2)).toBe('wait');
    const stepId = newId();
    expect((await by.act(id, party.userId, stepId)).status).toBe(200);
    expect((await by.act(id, party.userId, stepId)).status).toBe(200);
    const back = await change(party.client, handBackSession, id);
    expect([back.status, back.body.takenOverBy]).toEqual([200, null]);
    await by.step(id, 3);
    await by.end(id);
    const { session, steps } = await at.read(party, id);
    expect(session).toMatchObject({
      currentStep: 2,
      freeSteps: 1,
      totalCreditsUsed: 2,
      workspaceData: { finalOutcome: { totalSteps: 3 } },
    });
    expect(steps.map((step) => [step.stepNumber, step.takenBy?.id ?? null])).toEqual([
      [1, null],
      [2, party.userId],
      [3, null],
    ]);
  });

  it('accepts a step that was in progress', async () => {
    const party = await at.newParty();
    const { id, by } = await at.running(party);
    await by.begin(id, 1);
    await change(party.client, takeOverSession, id);
    await by.act(id, party.userId);
    expect((await by.complete(id, 1)).status).toBe(200);
    await change(party.client, handBackSession, id);
    await by.step(id, 3);
    await by.end(id);
    expect((await at.read(party, id)).steps.map(({ stepNumber }) => stepNumber)).toEqual([1, 2, 3]);
    const charged = (await at.entries(party)).filter((kind) => kind === 'charged');
    expect(charged).toHaveLength(2);
  });

  it('releases the credit of an interrupted step, which is not counted', async () => {
    const party = await at.newParty();
    const { id, by } = await at.running(party);
    expect(await by.begin(id, 1)).toBe('go');
    await change(party.client, takeOverSession, id);
    const cut = { success: false, interrupted: true };
    expect((await by.complete(id, 1, cut)).status).toBe(200);
    expect(await at.entries(party)).toEqual(['granted', 'reserved', 'released']);
    await change(party.client, handBackSession, id);
    await by.step(id, 2);
    await by.end(id);
    const { session, steps } = await at.read(party, id);
    expect(session).toMatchObject({ currentStep: 1, freeSteps: 1, totalCreditsUsed: 1 });
    expect(steps.map((step) => [step.success, step.interrupted, step.creditsUsed])).toEqual([
      [false, true, 0],
      [true, false, 1],
    ]);
  });

  it('keeps the number and the credit of a step that the member preceded', async () => {
    const party = await at.newParty();
    const { id, by } = await at.running(party);
    expect(await by.begin(id, 1)).toBe('go');
    await change(party.client, takeOverSession, id);
    expect(await by.begin(id, 1)).toBe('wait');
    await by.act(id, party.userId);
    await change(party.client, handBackSession, id);
    await by.step(id, 1);
    await by.end(id);
    const { session, steps } = await at.read(party, id);
    expect(session).toMatchObject({ currentStep: 1, freeSteps: 1, totalCreditsUsed: 1 });
    expect(steps.map((step) => step.takenBy?.id ?? null)).toEqual([party.userId, null]);
    expect((await at.entries(party)).slice(-2)).toEqual(['reserved', 'charged']);
  });

  it('is for one member at a time, and refuses a runner with a stale count', async () => {
    const party = await at.newParty();
    const { id, by } = await at.running(party);
    expect((await change(party.client, handBackSession, id)).body.code).toBe(
      'session-not-taken-over',
    );
    const members = await membersOfEachRole(party.client, at.product.url);
    await at.internal.opened.kit.pool.query(
      `update operational.access set role = 'Admin' where organization_id = $1`,
      [party.organizationId],
    );
    const other = members.get('Editor') ?? party.client;
    expect((await change(other, takeOverSession, id)).status).toBe(200);
    expect((await change(other, takeOverSession, id)).status).toBe(200);
    expect((await change(party.client, takeOverSession, id)).body.code).toBe('session-taken-over');
    expect((await by.act(id, party.userId)).body.code).toBe('session-not-taken-over');
    expect((await change(party.client, handBackSession, id)).status).toBe(200);
    expect((await by.call(handBackIdle, { id }, { runnerId: by.runnerId })).status).toBe(200);
    await by.step(id, 1);
    await change(party.client, terminateSession, id);
    expect((await change(party.client, takeOverSession, id)).body.code).toBe('session-ended');
  });

  it('needs a browser', async () => {
    const party = await at.newParty();
    const { id } = await at.started(party);
    const answer = await change(party.client, takeOverSession, id);
    expect(answer).toMatchObject({ status: 409, body: { code: 'session-not-running' } });
  });

  it('ends when the member is inactive', async () => {
    const party = await at.newParty();
    const { id, by } = await at.running(party);
    await change(party.client, takeOverSession, id);
    expect((await by.call(handBackIdle, { id }, { runnerId: by.runnerId })).status).toBe(200);
    expect((await at.read(party, id)).session.takenOverBy).toBeNull();
  });
});

describe('a viewer', () => {
  const watch = (by: ScriptedRunner, cookie: string, sessionId: string, withState = false) =>
    by.call(authorizeViewer, {}, { cookie, sessionId, withState });

  it('is a member of the organization, and gets the current state', async () => {
    const party = await at.newParty();
    const { id, by, browserSessionId } = await at.running(party);
    await by.step(id, 1);
    await by.step(id, 2, { success: false, output: 'No such link', screenshots: [] });
    const expected = {
      personId: party.userId,
      organizationId: party.organizationId,
      sessionId: id,
      status: 'running',
      control: { by: 'agent', personId: null },
      runnerAddress: 'http://127.0.0.1:1',
    };
    expect(await watch(by, cookieOf(party.client), id)).toMatchObject({
      status: 200,
      body: { ...expected, state: null },
    });
    const answer = await watch(by, cookieOf(party.client), browserSessionId, true);
    expect(answer.body).toMatchObject({
      ...expected,
      state: {
        screenshot: PIXEL,
        url: report.url,
        title: report.title,
        actions: [
          { action: 'open', details: report.input },
          { action: 'open', details: 'No such link' },
        ],
      },
    });
    await by.end(id);
    expect((await watch(by, cookieOf(party.client), browserSessionId)).body).toMatchObject({
      status: 'completed',
      runnerAddress: null,
    });
  });

  it('is refused without a sign-in, to another organization, or without a session', async () => {
    const party = await at.newParty();
    const other = await at.newParty();
    const { id, by } = await at.running(party);
    expect((await watch(by, '', id)).status).toBe(401);
    expect((await watch(by, 'tallyhand=forged; %%%', id)).status).toBe(401);
    expect((await watch(by, cookieOf(other.client), id)).status).toBe(404);
    expect((await watch(by, cookieOf(party.client), newId())).status).toBe(404);
  });
});
