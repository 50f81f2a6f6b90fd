import {
  assignResources,
  changeAgent,
  deleteAgent,
} from '@tallyhand/contracts/features/agents/agents.endpoints';
import { handBackIdle } from '@tallyhand/contracts/features/sessions/runner.endpoints';
import { createTool } from '@tallyhand/contracts/features/tools/tools.endpoints';
import { newId } from '@tallyhand/service-kit/crypto/ids';
import { agentInput, toolInput } from '@tallyhand/test-kit/api-client';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { goal, type SessionsProduct, startSessionsProduct } from '../testing/sessions-product.ts';

let at: SessionsProduct;

beforeAll(async () => {
  at = await startSessionsProduct();
});
afterEach(() => at.clear());
afterAll(() => at[Symbol.asyncDispose]());

describe('a session that runs', () => {
  it('runs from the queue to its end, each step with an event and a credit', async () => {
    const party = await at.newParty();
    const { id } = await at.started(party, { context: 'For one person' });
    const by = at.runner();
    expect(await by.take()).toMatchObject({
      sessionId: id,
      organizationId: party.organizationId,
      goal,
      maxSteps: 15,
      context: 'For one person',
      control: { by: 'agent', personId: null },
      tools: [],
      startUrls: [],
      steps: [],
      agent: { name: agentInput.name, persona: agentInput.personaConfig },
    });
    const browserSessionId = await by.open(id);
    await by.step(id, 1);
    await by.step(id, 2, { success: false, output: 'There is no such link.' });
    const finding = { text: 'Plan S costs 4 EUR', url: 'https://plans.example/s' };
    await by.step(id, 3, { action: 'note', finding, screenshots: [] });
    const outcome = { summary: 'Plan S.', keyFindings: ['4 EUR'], nextSteps: [] };
    expect((await by.end(id, { outcome })).status).toBe(200);
    const { session, steps } = await at.read(party, id);
    expect(session).toMatchObject({
      status: 'completed',
      endReason: 'goal-reached',
      browserSessionId,
      currentStep: 3,
      model: 'scripted',
      totalCreditsUsed: 2,
      errorMessage: null,
      queuePosition: null,
      workspaceData: { finalOutcome: { ...outcome, totalSteps: 3, totalCredits: 2 } },
    });
    expect(steps.map((step) => [step.stepNumber, step.creditsUsed, step.success])).toEqual([
      [1, 1, true],
      [2, 0, false],
      [3, 1, true],
    ]);
    expect(steps[0]?.metadata.screenshotUrls).toEqual([
      expect.stringMatching(/^\/api\/blobs\/[0-9a-f]{64}$/),
    ]);
    expect(await at.credits(party)).toBe(98);
    expect(await at.entries(party)).toEqual([
      'granted',
      'reserved',
      'charged',
      'reserved',
      'released',
      'reserved',
      'charged',
    ]);
  });

  it('is informed once about a repeat', async () => {
    const party = await at.newParty();
    const { id, by } = await at.running(party);
    expect([await by.begin(id, 1), await by.begin(id, 1)]).toEqual(['go', 'go']);
    const answers = await Promise.all([1, 2, 3].map(() => by.complete(id, 1)));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect((await by.end(id)).status).toBe(200);
    expect((await by.end(id, { reason: 'error' })).status).toBe(200);
    expect((await by.complete(id, 1)).status).toBe(200);
    const { session, steps } = await at.read(party, id);
    expect([session.endReason, steps.length]).toEqual(['goal-reached', 1]);
    expect(await at.entries(party)).toEqual(['granted', 'reserved', 'charged']);
  });

  it('is refused for a step that was not begun, or without a valid picture', async () => {
    const party = await at.newParty();
    const { id, by } = await at.running(party);
    expect((await by.complete(id, 1)).body.code).toBe('step-not-begun');
    await by.begin(id, 1);
    const nonsense = Buffer.from('<svg/>').toString('base64');
    expect(await by.complete(id, 1, { screenshots: [nonsense] })).toMatchObject({
      status: 422,
      body: { errors: [{ path: 'step.screenshots.0' }] },
    });
    await by.complete(id, 1);
    expect((await at.read(party, id)).steps).toHaveLength(1);
    await by.end(id);
  });

  it('belongs to one runner: every call of another is refused', async () => {
    const party = await at.newParty();
    const { id, by } = await at.running(party);
    const other = at.runner();
    await by.begin(id, 1);
    const refused = await Promise.all([
      other.complete(id, 1),
      other.end(id),
      other.act(id, party.userId),
      other.call(handBackIdle, { id }, { runnerId: other.runnerId }),
    ]);
    expect(refused.map(({ body }) => body.code)).toEqual(Array(4).fill('not-your-claim'));
    expect((await other.poll({ held: [{ sessionId: id, control: 'agent' }] })).changed).toEqual([
      { sessionId: id, control: 'ended', personId: null },
    ]);
    await by.complete(id, 1);
    await by.end(id);
    expect(await at.entries(party)).toEqual(['granted', 'reserved', 'charged']);
  });

  it('is completed when its steps are used up', async () => {
    const party = await at.newParty();
    const { id, by } = await at.running(party, { maxSteps: 1 });
    await by.step(id, 1);
    expect(await by.begin(id, 2)).toBe('out-of-steps');
    expect((await by.end(id, { reason: 'out-of-steps' })).status).toBe(200);
    const { session } = await at.read(party, id);
    expect(session).toMatchObject({ status: 'completed', endReason: 'out-of-steps' });
    expect(session.workspaceData.finalOutcome?.summary).toContain('used all of its steps');
  });

  it('fails when its credits are used up, and reports it', async () => {
    const party = await at.newParty();
    const { id, by } = await at.running(party);
    await at.leave(party, 1);
    await by.step(id, 1);
    expect(await by.begin(id, 2)).toBe('out-of-credits');
    const { session } = await at.read(party, id);
    expect(session).toMatchObject({
      status: 'failed',
      endReason: 'out-of-credits',
      totalCreditsUsed: 1,
      errorMessage: 'Not enough credits. This needs 1, and you have 0.',
    });
    expect(await by.begin(id, 2)).toBe('ended');
    expect(await at.credits(party)).toBe(0);
  });

  it('uses the tools of its agent, whose credentials stay hidden', async () => {
    const party = await at.newParty();
    const secret = 'a-canary-of-the-vault';
    const script = 'return input + " " + secrets.pin.startsWith("{{secret:pin:");';
    const config = { extras: { script }, allowedHosts: ['plans.example'] };
    const scripted = { ...toolInput, type: 'custom', config };
    const tool = await party.client.call<{ id: string }>(createTool, {
      body: {
        ...scripted,
        authCredentials: { pin: secret },
        policies: { changes: 'allow' },
      },
    });
    const browsing = { ...toolInput, type: 'browser', authCredentials: {} };
    const startUrl = 'https://plans.example/';
    const browser = await party.client.call<{ id: string }>(createTool, {
      body: { ...browsing, config: { extras: { startUrl } } },
    });
    const tools = [tool.body.id, browser.body.id];
    await party.client.call(assignResources, { params: { id: party.agentId }, body: { tools } });
    const { id } = await at.started(party);
    const by = at.runner();
    const assignment = await by.take();
    expect(assignment.tools.map((one) => one.id)).toEqual([tool.body.id]);
    expect(assignment.startUrls).toEqual([startUrl]);
    expect(JSON.stringify(assignment)).not.toContain(secret);
    await by.open(id);
    expect(await by.useTool(id, tool.body.id, 'run', { input: 'pin of' })).toEqual({
      success: true,
      output: 'pin of true',
    });
    for (const [toolId, operation] of [
      [tool.body.id, 'nothing'],
      [browser.body.id, 'open'],
      [newId(), 'run'],
    ] as const) {
      expect((await by.useTool(id, toolId, operation, {})).success).toBe(false);
    }
    await by.end(id);
  });
});

describe('a session ends at its next step', () => {
  it.each([
    ['agent-paused', changeAgent, { body: { isActive: false } }],
    ['agent-deleted', deleteAgent, {}],
  ] as const)('when it is %s', async (endReason, endpoint, options) => {
    const party = await at.newParty();
    const { id, by } = await at.running(party);
    await by.step(id, 1);
    await party.client.call(endpoint, { params: { id: party.agentId }, ...options });
    expect(await by.begin(id, 2)).toBe('ended');
    const { session } = await at.read(party, id);
    expect(session).toMatchObject({ status: 'terminated', endReason, totalCreditsUsed: 1 });
  });

  it('when the member who started it was removed', async () => {
    const party = await at.newParty();
    const { id, by } = await at.running(party);
    const { pool } = at.internal.opened.kit;
    const setActive = (isActive: boolean) =>
      pool.query('update operational.access set is_active = $2 where user_id = $1', [
        party.userId,
        isActive,
      ]);
    await setActive(false);
    expect(await by.begin(id, 1)).toBe('ended');
    await setActive(true);
    const { session } = await at.read(party, id);
    expect(session).toMatchObject({ status: 'terminated', endReason: 'member-removed' });
  });
});

describe('many steps at once', () => {
  it('charges exactly those that succeeded', async () => {
    const party = await at.newParty();
    await at.leave(party, 200);
    const steps = 10;
    const run = async ({ id, by }: Awaited<ReturnType<SessionsProduct['running']>>) => {
      for (let number = 1; number <= steps; number += 1) {
        await by.step(id, number, { success: number % 3 !== 0, screenshots: [] });
      }
      await by.end(id);
      return id;
    };
    const begun = [];
    for (let i = 0; i < 4; i += 1) begun.push(await at.running(party, { maxSteps: steps }));
    const ids = await Promise.all(begun.map(run));
    const successful = 4 * (steps - Math.floor(steps / 3));
    expect(await at.credits(party)).toBe(200 - successful);
    for (const id of ids) {
      expect((await at.read(party, id)).session.totalCreditsUsed).toBe(successful / 4);
    }
    const { rows } = await at.internal.opened.kit.pool.query(
      'select from operational.session_steps where organization_id = $1 and not is_settled',
      [party.organizationId],
    );
    expect(rows).toEqual([]);
  });
});
