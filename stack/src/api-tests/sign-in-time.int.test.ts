import {
  type CurrentUser,
  signIn,
} from '@tallyhand/contracts/features/identity/identity.endpoints';
import { apiClient, registerOrganization } from '@tallyhand/test-kit/api-client';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { isManyProcesses, type OwnProduct, startTestProduct } from '../testing/product.ts';

const ACCOUNTS = 9;
/** Before an account is throttled. */
const ROUNDS_MAX = 4;

let product: OwnProduct;
beforeAll(async () => {
  // With the production cost of password hashing.
  product = await startTestProduct({ passwordCost: undefined });
});
afterAll(() => product[Symbol.asyncDispose]());

/** Processor time of an attempt with a wrong password, in ms. A busy machine hardly changes it. */
async function costOf(email: string): Promise<number> {
  const before = process.cpuUsage();
  const body = { email, password: 'not the password' };
  const { status } = await apiClient(product.url).call(signIn, { body });
  expect(status).toBe(401);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}

/** The cheapest shows the cost of the work; others have done something else as well. */
const cheapest = (costs: readonly number[]) => Math.min(...costs);

const title = 'an attempt to sign in takes the same time whether or not the account exists';
it.skipIf(isManyProcesses)(title, async () => {
  const users: CurrentUser[] = [];
  for (let i = 0; i < ACCOUNTS; i += 1) users.push((await registerOrganization(product.url)).user);
  const known: number[] = [];
  const unknown: number[] = [];
  const ratio = () => cheapest(unknown) / cheapest(known);
  const isAlike = () => ratio() > 0.6 && ratio() < 1.6;
  // More attempts find the cheapest of each; where one does less work they never meet.
  for (let round = 0; round < ROUNDS_MAX && !isAlike(); round += 1) {
    for (const { email } of users) {
      known.push(await costOf(email));
      unknown.push(await costOf(`${crypto.randomUUID()}@example.com`));
    }
  }
  expect(ratio()).toBeGreaterThan(0.6);
  expect(ratio()).toBeLessThan(1.6);
});
