import {
  calling,
  openAiPeer,
  type Peer,
  sendJson,
} from '@tallyhand/agent-runtime/openai/fixtures/openai-peer';
import { fakeHost } from '@tallyhand/browser-runner/testing/fake-browser';
import { note, scriptedPlanner } from '@tallyhand/browser-runner/testing/scripted-planner';
import {
  type Agent,
  changeAgent,
  createAgent,
} from '@tallyhand/contracts/features/agents/agents.endpoints';
import {
  getSession,
  type Session,
  type SessionDetail,
  startSession,
} from '@tallyhand/contracts/features/sessions/sessions.endpoints';
import { OFFLINE_MODEL } from '@tallyhand/offline-engine/offline-engine';
import { type ApiClient, agentInput, registerOrganization } from '@tallyhand/test-kit/api-client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newConnection } from '../testing/connections.ts';
import { type OwnProduct, startTestProduct } from '../testing/product.ts';

const KEY = 'sk-canary-9876543210';

let product: OwnProduct;
let peer: Peer;
let admin: ApiClient;
/** Runs when a model has decided on the first step. */
let betweenSteps: () => Promise<unknown> = async () => undefined;
const runnersPlanner = scriptedPlanner(note('A tent'));

beforeAll(async () => {
  peer = await openAiPeer(async (response, { body }) => {
    if (body.model === 'down') {
      return sendJson(response, 503, { error: {} }, { 'retry-after-ms': '1' });
    }
    if (!JSON.stringify(body.messages).includes('The steps so far')) {
      await betweenSteps();
      return sendJson(
        response,
        200,
        calling(['note_finding', { reason: 'Seen.', finding: 'A tent' }]),
      );
    }
    const said = { result: 'reached', summary: `${body.model} saw ${KEY}`, nextSteps: [] };
    sendJson(response, 200, calling(['finish', { reason: 'Done.', keyFindings: [], ...said }]));
  });
  product = await startTestProduct(
    { allowPrivateHosts: '127.0.0.1' },
    { browser: { host: fakeHost(), planner: runnersPlanner } },
  );
  ({ client: admin } = await registerOrganization(product.url));
});
afterAll(async () => {
  await product?.[Symbol.asyncDispose]();
  await peer?.[Symbol.asyncDispose]();
});

const connection = () =>
  newConnection(admin, { baseUrl: peer.baseURL, models: ['large', 'down'], apiKey: KEY });

async function agentWith(model: object): Promise<Agent> {
  return (await admin.call<Agent>(createAgent, { body: { ...agentInput, model } })).body;
}

async function ended({ id }: Agent): Promise<SessionDetail> {
  const started = { params: { id }, body: { goal: 'Look at the shop' } };
  const { body } = await admin.call<Session>(startSession, started);
  const read = () => admin.call<SessionDetail>(getSession, { params: { id: body.id } });
  await expect.poll(async () => (await read()).body.session.endReason).not.toBeNull();
  return (await read()).body;
}

describe('the steps of a session', () => {
  it("are planned by the agent's model, and its key is sent to its endpoint only", async () => {
    const { id: connectionId } = await connection();
    const options = { temperature: 0.5, maxOutputTokens: 900 };
    const detail = await ended(await agentWith({ connectionId, ...options }));
    expect(detail.session).toMatchObject({ endReason: 'goal-reached', model: 'large' });
    expect(detail.steps.map(({ action }) => action)).toEqual(['note', 'finish']);
    const { authorization, body } = peer.received.at(-1) ?? expect.fail('It was not called');
    expect(authorization).toBe(`Bearer ${KEY}`);
    expect(body).toMatchObject({ model: 'large', temperature: 0.5, max_tokens: 900 });
    expect(detail.steps.map(({ usage }) => usage)).toMatchObject([
      [{ connectionId, model: 'large', calls: 1, isEstimated: true, costMicros: null }],
      [{ connectionId, model: 'large', calls: 1 }],
    ]);
    expect(JSON.stringify(detail)).not.toContain(KEY);
    expect(runnersPlanner.asked).toHaveLength(0);
  });

  it('are planned by the fallback while the model is down', async () => {
    const { id: connectionId } = await connection();
    const fallback = { connectionId, model: 'large' };
    const { session } = await ended(await agentWith({ connectionId, model: 'down', fallback }));
    expect(session).toMatchObject({ endReason: 'goal-reached', model: 'down' });
  });

  it('keep the model that the session began with', async () => {
    const { id: connectionId } = await connection();
    const agent = await agentWith({ connectionId });
    betweenSteps = () =>
      admin.call(changeAgent, {
        params: { id: agent.id },
        body: { model: { connectionId, model: 'down' } },
      });
    const { session } = await ended(agent).finally(() => {
      betweenSteps = async () => undefined;
    });
    expect(session).toMatchObject({ endReason: 'goal-reached', model: 'large' });
  });

  it('may be planned by the built-in engine', async () => {
    const before = peer.received.length;
    const { session } = await ended(await agentWith({ connectionId: null }));
    expect(session.model).toBe(OFFLINE_MODEL);
    expect([peer.received.length, runnersPlanner.asked.length]).toEqual([before, 0]);
  });
});
