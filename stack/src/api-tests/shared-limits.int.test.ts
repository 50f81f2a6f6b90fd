import { createAgent, listAgents } from '@tallyhand/contracts/features/agents/agents.endpoints';
import { KEY_CALLS_PER_MINUTE } from '@tallyhand/contracts/features/api-keys/api-keys.endpoints';
import type { Endpoint } from '@tallyhand/contracts/kernel/endpoint';
import {
  type ApiClient,
  agentInput,
  keyClient,
  registerOrganization,
} from '@tallyhand/test-kit/api-client';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { newKey } from '../testing/members.ts';
import { startTestProduct, type TestProduct } from '../testing/product.ts';

const RATE_LIMIT_SCALE = 0.1;
const CALLS_MAX = KEY_CALLS_PER_MINUTE * RATE_LIMIT_SCALE;
const MINUTE_MS = 60_000;
const WORK_MS_MAX = 20_000;

const stack = new AsyncDisposableStack();
let one: TestProduct;
let other: TestProduct;
let admin: ApiClient;
beforeAll(async () => {
  one = stack.use(await startTestProduct({ rateLimitScale: RATE_LIMIT_SCALE }));
  const { databaseUrl, eventStoreUrl, ...config } = one.config;
  other = stack.use(await startTestProduct({ ...config, databaseUrl, eventStoreUrl }));
  admin = (await registerOrganization(one.url)).client;
});
afterAll(() => stack.disposeAsync());

describe('two instances', () => {
  it.each<[string, Endpoint, object]>([
    ['reads', listAgents, {}],
    ['commands', createAgent, { body: agentInput }],
  ])('count the %s of a key together', { timeout: 2 * MINUTE_MS }, async (_, call, options) => {
    const { key } = await newKey(admin, 'Admin');
    const isTaken = async ({ url }: TestProduct) =>
      (await keyClient(url, key).call(call, options)).status !== 429;
    // All of it has to be of the same minute.
    await vi.waitUntil(() => Date.now() % MINUTE_MS < MINUTE_MS - WORK_MS_MAX, {
      timeout: MINUTE_MS,
      interval: 500,
    });
    const first = await Promise.all(Array.from({ length: CALLS_MAX + 1 }, () => isTaken(one)));
    expect(first.filter((taken) => taken)).toHaveLength(CALLS_MAX);
    let taken = 0;
    const next = async () => {
      const wasTaken = await isTaken(other);
      if (wasTaken) taken += 1;
      return wasTaken;
    };
    await expect.poll(next).toBe(false);
    // By itself the other one would accept as many again.
    expect(taken).toBeLessThan(CALLS_MAX);
  });
});
