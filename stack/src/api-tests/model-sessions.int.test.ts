import {
  calling,
  openAiPeer,
  type Peer,
  type Received,
  sendJson,
} from '@tallyhand/agent-runtime/openai/fixtures/openai-peer';
import { createAgent } from '@tallyhand/contracts/features/agents/agents.endpoints';
import {
  getOrganization,
  type Organization,
} from '@tallyhand/contracts/features/organizations/organizations.endpoints';
import {
  getSession,
  type Session,
  type SessionDetail,
  startSession,
} from '@tallyhand/contracts/features/sessions/sessions.endpoints';
import { agentInput, registerOrganization } from '@tallyhand/test-kit/api-client';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type OwnProduct, startTestProduct } from '../testing/product.ts';
import { startSite } from '../testing/site/site.ts';

vi.setConfig({ testTimeout: 90_000 });

const apiKey = 'sk-canary-0123456789';
const goal = 'What does the small family plan cost?';

/** The model's next decision, depending on its input. */
type Turn = (shown: string) => object;

let site: Awaited<ReturnType<typeof startSite>>;
let peer: Peer;
let product: OwnProduct;
let turns: readonly Turn[] = [];
let turn = 0;

beforeAll(async () => {
  site = await startSite();
  peer = await openAiPeer((response, received, attempt) => {
    // Every endpoint is busy at times.
    if (attempt === 1) return sendJson(response, 429, { error: {} }, { 'retry-after': '0' });
    const say = turns[Math.min(turn, turns.length - 1)];
    turn += 1;
    sendJson(response, 200, say?.(shownIn(received)));
  });
  product = await startTestProduct(
    {
      allowPrivateHosts: new URL(site.url).host,
      model: { openAiApiKey: apiKey, openAiBaseUrl: peer.baseURL, openAiModel: 'peer' },
    },
    { browser: {} },
  );
});
afterAll(async () => {
  await product[Symbol.asyncDispose]();
  await peer[Symbol.asyncDispose]();
  await site[Symbol.asyncDispose]();
});

const shownIn = ({ body }: Received) => JSON.stringify(body.messages).replaceAll('\\"', '"');
const refOf = (shown: string, name: string) =>
  new RegExp(`"${name}" \\[ref=((?:f\\d+)?e\\d+)\\]`).exec(shown)?.[1] ?? 'e0';
const says =
  (name: string, args: object): Turn =>
  () =>
    calling([name, { reason: 'It leads on.', ...args }]);

/** A session at its end, whose model makes these decisions one after the other. */
async function ended(...said: readonly Turn[]) {
  turns = said;
  turn = 0;
  const { client } = await registerOrganization(product.url);
  const agent = await client.call<{ id: string }>(createAgent, { body: agentInput });
  const started = { params: { id: agent.body.id }, body: { goal } };
  const { body } = await client.call<Session>(startSession, started);
  const read = async () =>
    (await client.call<SessionDetail>(getSession, { params: { id: body.id } })).body;
  await expect.poll(async () => (await read()).session.endReason, { interval: 200 }).not.toBeNull();
  const credits = async () => (await client.call<Organization>(getOrganization)).body;
  await expect.poll(async () => (await credits()).reserved).toBe(0);
  return { ...(await read()), creditBalance: (await credits()).creditBalance };
}

describe('a session that a model plans', () => {
  it("follows the model's decisions, which see each page, until it has finished", async () => {
    const { session, steps, creditBalance } = await ended(
      says('open_page', { url: `${site.origin}/plans` }),
      (shown) =>
        calling(['click', { reason: 'Families.', ref: refOf(shown, 'Plans for families') }]),
      says('note_finding', { finding: 'Family Small costs €14 per month' }),
      says('finish', {
        result: 'reached',
        summary: 'It costs €14 per month.',
        nextSteps: [],
        keyFindings: ['Family Small: €14 per month'],
      }),
    );
    expect(session).toMatchObject({
      status: 'completed',
      endReason: 'goal-reached',
      model: 'peer',
      totalCreditsUsed: 4,
      workspaceData: { finalOutcome: { summary: 'It costs €14 per month.', totalSteps: 4 } },
    });
    expect(steps.map(({ action, success }) => [action, success])).toEqual([
      ['open', true],
      ['click', true],
      ['note', true],
      ['finish', true],
    ]);
    expect(steps[1]?.metadata.url).toBe(`${site.origin}/plans/families`);
    expect(creditBalance).toBe(96);
    const prompts = peer.received.map(shownIn).join();
    expect(prompts).toContain('Family Small');
    expect(prompts).not.toContain(apiKey);
  });

  it('pays nothing for failed attempts of a model, and reaches no private address', async () => {
    const { session, steps, creditBalance } = await ended(
      says('open_page', { url: 'http://169.254.169.254/latest/meta-data' }),
      says('open_page', { url: product.url }),
      says('click', { ref: 'e99999' }),
      says('finish', {
        result: 'not-reached',
        summary: 'Nothing.',
        keyFindings: [],
        nextSteps: [],
      }),
    );
    expect(session).toMatchObject({ status: 'failed', endReason: 'error', totalCreditsUsed: 0 });
    expect(steps.map(({ success }) => success)).toEqual([false, false, false, false]);
    expect(creditBalance).toBe(100);
  });

  it('ends when a model decides nothing useful three times in a row', async () => {
    const { session, steps, creditBalance } = await ended(says('transfer_credits', { to: 'me' }));
    expect(session).toMatchObject({ status: 'failed', endReason: 'error', totalCreditsUsed: 0 });
    expect(steps.map(({ action, success }) => [action, success])).toEqual([
      ['plan', false],
      ['plan', false],
      ['plan', false],
    ]);
    expect(creditBalance).toBe(100);
  });
});
