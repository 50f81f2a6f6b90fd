import { randomUUID } from 'node:crypto';
import { createAgent, listAgents } from '@tallyhand/contracts/features/agents/agents.endpoints';
import {
  getOrganization,
  type Organization,
} from '@tallyhand/contracts/features/organizations/organizations.endpoints';
import {
  type ExecutionResult,
  executeTask,
} from '@tallyhand/contracts/features/tasks/tasks.endpoints';
import type { Endpoint } from '@tallyhand/contracts/kernel/endpoint';
import {
  type ApiAnswer,
  type ApiClient,
  agentInput,
  agentWithArticle,
  registerOrganization,
} from '@tallyhand/test-kit/api-client';
import { caseRuns, reportFault, sampleOf } from '@tallyhand/test-kit/cases';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Instances, startInstances } from '../testing/instances/instances.ts';
import type { Kind, ServiceProcess } from '../testing/instances/service-process.ts';
import { testConfig } from '../testing/product.ts';
import { expectVerified } from './browsing-product.ts';

const START_MS_MAX = 180_000;
const CLIENTS = 4;
const GRANTED = 100;
const RETRIES_MAX = 50;
const SETTLED = { interval: 250 };
const kills = caseRuns(5, 100).numRuns;
/** The credits of one last for more kills than these. */
const PARTIES_EACH = 1 + Math.ceil(kills / 8);

const opened = new AsyncDisposableStack();
let instances: Instances;
beforeAll(async () => {
  const started = await startInstances(opened.use(await testConfig()));
  if (!started) throw new Error('Settings can express the configuration');
  instances = opened.use(started);
}, START_MS_MAX);
afterAll(() => opened.disposeAsync());

/** A client that works through the proxy: what was acknowledged, and what must exist afterwards. */
type Party = {
  readonly client: ApiClient;
  readonly agentId: string;
  readonly agents: Set<string>;
  paid: number;
};

async function newParty(): Promise<Party> {
  const { client } = await registerOrganization(instances.url);
  const { agent } = await agentWithArticle(client);
  return { client, agentId: agent.id, agents: new Set([agent.id]), paid: 0 };
}

type Ask = <T>(client: ApiClient, endpoint: Endpoint, options: object) => Promise<ApiAnswer<T>>;

/** Makes an agent, sees it at once, and has a task done; over and over. */
async function work(party: Party, ask: Ask, isOver: () => boolean) {
  const { client, agentId, agents } = party;
  while (!isOver() && party.paid < GRANTED) {
    const made = await ask<{ id: string }>(client, createAgent, { body: agentInput });
    expect(made.status).toBe(201);
    agents.add(made.body.id);
    const listed = await ask<{ id: string }[]>(client, listAgents, {});
    expect(listed.status).toBe(200);
    expect(listed.body.map(({ id }) => id)).toContain(made.body.id);
    const done = await ask<ExecutionResult>(client, executeTask, {
      params: { id: agentId },
      body: { input: 'Within how many days can items be returned?' },
    });
    expect(done).toMatchObject({ status: 200, body: { success: true, creditCost: 1 } });
    party.paid += 1;
  }
}

/** Each call has one answer, and it is no fault. */
const once: Ask = (client, endpoint, options) => client.call(endpoint, options);

/** A careful client: an interrupted call is repeated with the same key. */
const untilAnswered: Ask = async <T>(client: ApiClient, endpoint: Endpoint, options: object) => {
  const headers = { 'idempotency-key': randomUUID() };
  for (let tries = 0; ; tries += 1) {
    const answer = await client.call<T>(endpoint, { ...options, headers });
    if (answer.status < 500 || tries === RETRIES_MAX) return answer;
  }
};

async function whileWorking(ask: Ask, disturb: () => Promise<void>) {
  const clients = await Promise.all(
    Array.from({ length: CLIENTS }, () =>
      Promise.all(Array.from({ length: PARTIES_EACH }, newParty)),
    ),
  );
  const parties = clients.flat();
  let isOver = false;
  // During the whole disturbance: a client without credits continues as another one.
  const working = Promise.all(
    clients.map(async (own) => {
      for (const party of own) {
        await work(party, ask, () => isOver);
        if (isOver) return;
      }
      throw new Error('All credits were spent before the end');
    }),
  );
  // A fault of a worker ends the disturbance too.
  await Promise.race([disturb(), working]);
  isOver = true;
  await working;
  for (const { client, agents, paid } of parties) {
    const listed = async () => {
      const { body } = await client.call<{ id: string }[]>(listAgents);
      return new Set(body.map(({ id }) => id));
    };
    await expect.poll(listed, SETTLED).toEqual(agents);
    const credits = async () => {
      const { creditBalance, reserved } = (await client.call<Organization>(getOrganization)).body;
      return { creditBalance, reserved };
    };
    await expect.poll(credits, SETTLED).toEqual({ creditBalance: GRANTED - paid, reserved: 0 });
  }
  await expectVerified(parties.map(({ client }) => client));
  expect(clients.every(([first]) => (first?.paid ?? 0) > 0)).toBe(true);
}

const KINDS: readonly Kind[] = ['command-service', 'worker', 'projector', 'query-service'];

/** Each starts all of them, so a commit tries one. */
const TRIED = sampleOf(['restarts', 'kills', 'takeovers'] as const, 3);

describe('two of each service behind a proxy', () => {
  it.runIf(TRIED.includes('restarts'))(
    'are restarted one after the other without a call that fails',
    {
      timeout: 240_000,
    },
    async () => {
      await whileWorking(once, async () => {
        for (const kind of KINDS) {
          for (const one of instances.of(kind)) {
            expect(await one.stop()).toBe(0);
            await one.start();
          }
        }
      });
    },
  );

  it.runIf(TRIED.includes('kills'))(
    'lose nothing when one of them is killed again and again',
    {
      timeout: 120_000 + kills * 30_000,
    },
    async () => {
      await whileWorking(untilAnswered, async () => {
        for (let number = 0; number < kills; number += 1) {
          const kind = KINDS[number % KINDS.length] ?? 'worker';
          const own = instances.of(kind);
          const chosen = own[Math.floor(number / KINDS.length) % own.length];
          await chosen?.kill();
          await chosen?.start();
        }
      });
      reportFault({ runs: kills });
    },
  );

  it.runIf(TRIED.includes('takeovers'))(
    'take over from the active projector and reaction runner',
    { timeout: 240_000 },
    async () => {
      const party = await newParty();
      const takeOver = async (killed: ServiceProcess) => {
        await killed.kill();
        const since = performance.now();
        let isOver = false;
        await work(party, once, () => {
          const wasOver = isOver;
          isOver = true;
          return wasOver;
        });
        reportFault({ runs: 1, recoveryMs: performance.now() - since });
        await killed.start();
      };
      for (const kind of ['projector', 'worker'] as const) {
        for (const one of instances.of(kind)) await takeOver(one);
      }
      expect(party.paid).toBe(4);
    },
  );
});
