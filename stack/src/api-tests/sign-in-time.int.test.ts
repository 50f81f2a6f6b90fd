import {
  type CurrentUser,
  signIn,
} from '@tallyhand/contracts/features/identity/identity.endpoints';
import { apiClient, registerOrganization } from '@tallyhand/test-kit/api-client';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type OwnProduct, startTestProduct } from '../testing/product.ts';

const ACCOUNTS = 9;
/** Before an account is throttled. */
const ROUNDS_MAX = 4;

let product: OwnProduct;
beforeAll(async () => {
  // With the production cost of password hashing.
  product = await startTestProduct({ passwordCost: undefined });
});
afterAll(() => product[Symbol.asyncDispose]());

/** How long an attempt with a wrong password takes. */
async function msOf(email: string): Promise<number> {
  const started = performance.now();
  const body = { email, password: 'not the password' };
  const { status } = await apiClient(product.url).call(signIn, { body });
  expect(status).toBe(401);
  return performance.now() - started;
}

/** The fastest shows the cost of the work; all others waited for the machine. */
const quickest = (times: readonly number[]) => Math.min(...times);

it('an attempt to sign in takes the same time whether or not the account exists', async () => {
  const users: CurrentUser[] = [];
  for (let i = 0; i < ACCOUNTS; i += 1) users.push((await registerOrganization(product.url)).user);
  const known: number[] = [];
  const unknown: number[] = [];
  const ratio = () => quickest(unknown) / quickest(known);
  const isAlike = () => ratio() > 0.6 && ratio() < 1.6;
  // More attempts find the quickest of each on a busy machine; where one does less work they never meet.
  for (let round = 0; round < ROUNDS_MAX && !isAlike(); round += 1) {
    for (const { email } of users) {
      known.push(await msOf(email));
      unknown.push(await msOf(`${crypto.randomUUID()}@example.com`));
    }
  }
  expect(ratio()).toBeGreaterThan(0.6);
  expect(ratio()).toBeLessThan(1.6);
});
