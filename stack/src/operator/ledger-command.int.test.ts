import { randomUUID } from 'node:crypto';
import { type OpenedKit, openKit } from '@tallyhand/command-service/app/open-kit';
import {
  getVerification,
  type LedgerEntry,
  listLedgerEntries,
  startVerification,
  type Verification,
} from '@tallyhand/contracts/features/credits/credits.endpoints';
import type { CurrentUser } from '@tallyhand/contracts/features/identity/identity.endpoints';
import { executeTask } from '@tallyhand/contracts/features/tasks/tasks.endpoints';
import { newId } from '@tallyhand/service-kit/crypto/ids';
import { jsonLog } from '@tallyhand/service-kit/log';
import {
  type ApiClient,
  agentWithArticle,
  registerOrganization,
} from '@tallyhand/test-kit/api-client';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { runOperator, storesOf } from '../testing/operator.ts';
import { type OwnProduct, startTestProduct } from '../testing/product.ts';
import { OperatorError } from './command.ts';
import { runLedgerCommand } from './ledger-command.ts';

const why = ['--reason', 'A mistake', '--approver', 'Ada Berg'];

let product: OwnProduct;
let opened: OpenedKit;
let client: ApiClient;
let user: CurrentUser;

beforeAll(async () => {
  // A ledger that fails its verification is an error in the log: intended here.
  product = await startTestProduct({ log: jsonLog('test', 'silent') });
  opened = await openKit(product.config);
});
afterAll(async () => {
  await opened[Symbol.asyncDispose]();
  await product[Symbol.asyncDispose]();
});
beforeEach(async () => {
  ({ client, user } = await registerOrganization(product.url));
});

const run = (...args: string[]) => runLedgerCommand(args, opened);
const own = () => ['--organization', user.organization.id];
/** Without a position, the caller waits until a condition is true. */
const newest = () => client.call<LedgerEntry[]>(listLedgerEntries).then(({ body }) => body[0]);

async function chargedTask(): Promise<string> {
  const { agent } = await agentWithArticle(client);
  const body = { input: 'Within how many days?' };
  const answer = await client.call<{ taskId: string }>(executeTask, {
    params: { id: agent.id },
    body,
  });
  return answer.body.taskId;
}

async function verifyOverTheApi(): Promise<Verification> {
  expect((await client.call(startVerification)).status).toBe(202);
  const state = async () => (await client.call<Verification>(getVerification)).body;
  await expect.poll(async () => (await state()).status).not.toBe('running');
  return state();
}

describe('an adjustment', () => {
  it('corrects the balance, and records who is responsible', async () => {
    const { lines } = await run('adjust', ...own(), '--credits', '25', ...why);
    expect(lines).toEqual(['Done. The balance is now 125 credits.']);
    await expect.poll(newest).toMatchObject({
      kind: 'adjusted',
      amount: 25,
      available: 125,
      reason: 'A mistake',
      approver: 'Ada Berg',
    });
    await run('adjust', ...own(), '--credits=-130', ...why);
    await expect.poll(newest).toMatchObject({ amount: -130, available: -5 });
  });

  it('happens once under an id', async () => {
    const id = ['--id', randomUUID()];
    await run('adjust', ...own(), '--credits', '25', ...id, ...why);
    const { lines } = await run('adjust', ...own(), '--credits', '25', ...id, ...why);
    expect(lines).toEqual(['Done. The balance is now 125 credits.']);
  });

  it.each([
    ['--credits', ['--credits', 'many']],
    ['--credits', ['--credits', '1.5']],
    ['--credits', ['--credits', '0']],
    ['--credits', []],
    ['--approver', ['--credits', '5', '--reason', 'A mistake']],
    ['--reason', ['--credits', '5', '--approver', 'Ada']],
  ])('is refused, and %s is named, for %s', async (option, args) => {
    await expect(run('adjust', ...own(), ...args)).rejects.toThrow(option);
    await expect(run('adjust', ...own(), ...args)).rejects.toThrow(OperatorError);
  });
});

describe('a refund of a charge', () => {
  it('returns the credit once', async () => {
    const task = ['--task', await chargedTask()];
    await run('refund', ...own(), ...task, ...why);
    const { lines } = await run('refund', ...own(), ...task, ...why);
    expect(lines).toEqual(['Done. The balance is now 100 credits.']);
    await expect.poll(newest).toMatchObject({ kind: 'refunded', available: 100 });
  });
  it('is refused for an unknown charge', async () => {
    const task = ['--task', randomUUID()];
    await expect(run('refund', ...own(), ...task, ...why)).rejects.toThrow(
      'There is no such charge',
    );
  });
});

describe('a verification', () => {
  it('passes for a ledger with every kind of entry, in all three ways', async () => {
    await run('refund', ...own(), '--task', await chargedTask(), ...why);
    await run('adjust', ...own(), '--credits', '7', ...why);
    const { lines, isWell } = await run('verify', ...own());
    expect(isWell).toBe(true);
    expect(lines[0]).toContain('chain intact; available by events 107, read model 107');
    expect(await verifyOverTheApi()).toMatchObject({
      status: 'passed',
      entries: 5,
      brokenAt: null,
      available: { events: 107, readModel: 107, trialBalance: 107 },
    });
  });

  it('names the entry that bypassed the ledger', async () => {
    const { eventLog } = opened.kit.streams;
    const last = await eventLog.last(`ledger-${user.organization.id}`);
    if (!last) expect.fail('The ledger is empty');
    const { envelope, type, data } = last;
    const forged = { ...data, grantId: newId(), amount: 1_000 };
    await eventLog.append(
      last.stream,
      [{ id: newId(), type, data: forged, envelope }],
      last.revision,
    );
    expect(await verifyOverTheApi()).toMatchObject({ status: 'failed', entries: 2, brokenAt: 2 });
    const { isWell, lines } = await run('verify', ...own());
    expect([isWell, lines[0]]).toEqual([false, expect.stringContaining('broken at entry 2')]);
  });

  it('names an organization that does not exist, and a command that is none', async () => {
    await expect(run('verify', '--organization', randomUUID())).rejects.toThrow('no such');
    await expect(run('burn')).rejects.toThrow('npm run ledger');
    await expect(run('adjust', '--colour', 'red')).rejects.toThrow('colour');
  });
});

describe('the command on its own', () => {
  const command = (...args: string[]) => runOperator(storesOf(product), 'ledger', ...args);

  it('does its work before it ends', async () => {
    const adjusted = await command('adjust', ...own(), '--credits', '50', ...why);
    expect(adjusted).toEqual({ code: 0, output: 'Done. The balance is now 150 credits.\n' });
    expect(await command('verify', ...own())).toMatchObject({ code: 0 });
  });

  it('reports the fault, without a stack trace', async () => {
    const { code, output } = await command('adjust', ...own(), '--amount', '50', ...why);
    expect(code).toBe(1);
    expect(output).toMatch(/^Unknown option '--amount'/);
    expect(output).not.toMatch(/^\s+at /m);
  });
});
