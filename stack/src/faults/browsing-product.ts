import { setTimeout as wait } from 'node:timers/promises';
import {
  calling,
  openAiPeer,
  type Received,
  sendJson,
} from '@tallyhand/agent-runtime/openai/fixtures/openai-peer';
import { createAgent } from '@tallyhand/contracts/features/agents/agents.endpoints';
import {
  getVerification,
  startVerification,
  type Verification,
} from '@tallyhand/contracts/features/credits/credits.endpoints';
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
import { type ApiClient, agentInput, registerOrganization } from '@tallyhand/test-kit/api-client';
import pg from 'pg';
import { expect, vi } from 'vitest';
import { startTestProduct } from '../testing/product.ts';
import { startSite } from '../testing/site/site.ts';
import { runnerProcess } from './runner-process.ts';

const GRANTED = 100;
/** How long the model thinks about a step. */
const THINK_MS = 200;
const ENDED = { timeout: 120_000, interval: 250 };
const PATHS = ['/moving', '/shop', '/plans', '/help'];
/** A killed runner loses its sessions soon; its heartbeat comes every 5 s. */
const watchTimes = {
  everyMs: 200,
  unseenMs: 8_000,
  lostMs: 60_000,
  runnerMs: 5_000,
  aloneMs: 120_000,
};

export type BrowsingProduct = Awaited<ReturnType<typeof startBrowsingProduct>>;

/**
 * The product, its browser runner as a separate process, and a model that opens one page after the
 * other, including a restless one, until its last step.
 */
export async function startBrowsingProduct() {
  await using opening = new AsyncDisposableStack();
  const site = opening.use(await startSite());
  let opened = 0;
  const peer = opening.use(
    await openAiPeer(async (response, { body }: Received) => {
      await wait(THINK_MS);
      peer.received.length = 0;
      const names = body.tools?.map((tool) => tool.function.name) ?? [];
      const url = `${site.origin}${PATHS[opened % PATHS.length]}`;
      opened += 1;
      const open = calling(['open_page', { reason: 'It is next.', url }]);
      sendJson(response, 200, names.includes('open_page') ? open : calling(['finish', END]));
    }),
  );
  const runner = opening.use(await runnerProcess());
  const product = opening.use(
    await startTestProduct({ watchTimes, runnerAddress: () => runner.address }),
  );
  const { config, internalUrl, url } = product;
  const startRunner = () =>
    runner.start({
      COMMAND_SERVICE_URL: internalUrl,
      INTERNAL_TOKEN: config.internalToken ?? '',
      PUBLIC_URL: config.publicUrl,
      ALLOW_PRIVATE_HOSTS: new URL(site.origin).host,
      OPENAI_API_KEY: 'none',
      OPENAI_BASE_URL: peer.baseURL,
      OPENAI_MODEL: 'peer',
    });
  await startRunner();
  const running = opening.move();
  return {
    runner,
    startRunner,
    url,
    /** So many sessions of a new organization. */
    async start(count: number, maxSteps: number) {
      const { client } = await registerOrganization(url);
      const agent = await client.call<{ id: string }>(createAgent, { body: agentInput });
      const params = { id: agent.body.id };
      const body = { goal: 'Look at all of it', maxSteps };
      const sessions: Browsing[] = [];
      for (let at = 0; at < count; at += 1) {
        const answer = await client.call<Session>(startSession, { params, body });
        expect(answer.status).toBe(201);
        sessions.push(browsingOf(client, answer.body.id));
      }
      return { client, sessions };
    },
    /** The number of open sessions, of all members. */
    async open() {
      const database = new pg.Client({ connectionString: config.databaseUrl });
      await database.connect();
      const { rows } = await database.query('select from operational.open_sessions');
      await database.end();
      return rows.length;
    },
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

const END = {
  reason: 'That was the last.',
  result: 'reached',
  summary: 'All was looked at.',
  keyFindings: [],
  nextSteps: [],
};

export type Browsing = ReturnType<typeof browsingOf>;

function browsingOf(client: ApiClient, id: string) {
  const read = async () => (await client.call<SessionDetail>(getSession, { params: { id } })).body;
  return {
    id,
    read,
    /** Resolves when this many steps were taken, or the session has ended. */
    steps: (count: number) =>
      vi.waitUntil(async () => {
        const { session, steps } = await read();
        return session.endReason !== null || steps.length >= count;
      }, ENDED),
    async ended(): Promise<SessionDetail> {
      await vi.waitUntil(async () => (await read()).session.endReason !== null, ENDED);
      return read();
    },
  };
}

/** Each successful step was paid once, and nothing is reserved. */
export async function expectPaid(client: ApiClient, ended: readonly SessionDetail[]) {
  const succeeded = ended.flatMap(({ steps }) => steps.filter(({ success }) => success)).length;
  const used = ended.reduce((sum, { session }) => sum + session.totalCreditsUsed, 0);
  expect(used).toBe(succeeded);
  const credits = async () => {
    const { reserved, creditBalance } = (await client.call<Organization>(getOrganization)).body;
    return { reserved, creditBalance };
  };
  const paid = { reserved: 0, creditBalance: GRANTED - succeeded };
  await expect.poll(credits).toEqual(paid);
}

/** The ledgers are intact, and agree with the read models. */
export async function expectVerified(clients: readonly ApiClient[]) {
  for (const client of clients) {
    expect((await client.call(startVerification)).status).toBe(202);
    const status = async () => (await client.call<Verification>(getVerification)).body.status;
    await expect.poll(status).toBe('passed');
  }
}
