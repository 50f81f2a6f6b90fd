import { type OpenedKit, openKit } from '@tallyhand/command-service/app/open-kit';
import { addRoutes } from '@tallyhand/command-service/app/routes';
import { emailStream } from '@tallyhand/command-service/features/identity/email.decider';
import { Passwords } from '@tallyhand/command-service/features/identity/passwords';
import { taskStream } from '@tallyhand/command-service/features/tasks/task.decider';
import { TASK_QUEUE } from '@tallyhand/command-service/features/tasks/task-queue';
import type { CommandContext } from '@tallyhand/command-service/kit/context';
import { askedRequest, keyedCommandId } from '@tallyhand/command-service/kit/idempotency';
import {
  type LedgerEntry,
  listLedgerEntries,
} from '@tallyhand/contracts/features/credits/credits.endpoints';
import {
  type CurrentUser,
  getCurrentUser,
  registerUser,
  signIn,
} from '@tallyhand/contracts/features/identity/identity.endpoints';
import {
  getOrganization,
  type Organization,
} from '@tallyhand/contracts/features/organizations/organizations.endpoints';
import {
  executeTask,
  getTask,
  listTasks,
  type Task,
} from '@tallyhand/contracts/features/tasks/tasks.endpoints';
import { listMembers } from '@tallyhand/contracts/features/team/team.endpoints';
import { pathOf } from '@tallyhand/contracts/kernel/endpoint';
import type { Problem } from '@tallyhand/contracts/kernel/problem';
import { derivedId, newId } from '@tallyhand/service-kit/crypto/ids';
import { sealedBox } from '@tallyhand/service-kit/crypto/sealed-box';
import { createHttpApp } from '@tallyhand/service-kit/http/app';
import {
  type ApiClient,
  agentWithArticle,
  apiClient,
  registerOrganization,
  testPassword,
} from '@tallyhand/test-kit/api-client';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { type OwnProduct, startTestProduct } from '../testing/product.ts';

let product: OwnProduct;
let client: ApiClient;
let user: CurrentUser;
let agentId = '';

beforeAll(async () => {
  product = await startTestProduct({ sweepTimes: { everyMs: 100, graceMs: 300 } });
});
beforeEach(async () => {
  ({ client, user } = await registerOrganization(product.url));
  agentId = (await agentWithArticle(client)).agent.id;
});
afterEach(() => {
  vi.useRealTimers();
});
afterAll(() => product[Symbol.asyncDispose]());

/** Does the first steps of something in a process that ends before the next one. */
async function cutOff(steps: (opened: OpenedKit) => Promise<void>) {
  await product.restart(async () => {
    await using opened = await openKit(product.config);
    await steps(opened);
  });
}

const memberContext = (commandId = newId()): CommandContext => ({
  organizationId: user.organization.id,
  actor: { kind: 'member', id: user.id },
  commandId,
  correlationId: newId(),
  causationId: null,
  now: new Date(),
});

/** The steps of a registration up to the reservation of its address. */
async function reserveAddress({ kit, features }: OpenedKit, email: string) {
  const userId = newId();
  const organizationId = newId();
  const seal = (text: string) => kit.vault.encrypt(userId, organizationId, text);
  const emailKey = features.registration.emailKey(email);
  await kit.vault.keepPasswordHash(userId, await new Passwords(kit.settings).hash(testPassword));
  const data = {
    emailKey,
    userId,
    organizationId,
    invitationId: null,
    organizationName: 'Cut off',
    purpose: 'registration' as const,
    changeId: null,
    username: await seal('Cut Off'),
    email: await seal(email),
  };
  const context: CommandContext = {
    ...memberContext(),
    organizationId,
    actor: { kind: 'member', id: userId },
  };
  await kit.streams.of(emailStream).send(emailKey, { type: 'ReserveEmail', data }, context);
}

/** Of a model that costs more than others. */
const PRICE = 3;

const reservationOf = (workId: string, price = PRICE) => ({
  organizationId: user.organization.id,
  memberId: user.id,
  price,
  workType: 'query' as const,
  workId,
  agentId,
});

/** The steps of a task up to its request; `msLeft` until its deadline. */
async function requestTask({ kit, features }: OpenedKit, taskId: string, msLeft: number) {
  const context = memberContext();
  await features.credits.reserve(context, reservationOf(taskId));
  const data = {
    taskId,
    agentId,
    organizationId: user.organization.id,
    taskType: 'query' as const,
    input: 'Within how many days can items be returned?',
    requestedBy: user.id,
    price: PRICE,
    deadline: new Date(Date.now() + msLeft).toISOString(),
  };
  const tasks = kit.streams.of(taskStream);
  await tasks.send(taskId, { type: 'RequestTask', data }, context);
}

const balance = async () => (await client.call<Organization>(getOrganization)).body;
/** The ledger's entries about one task, oldest first. */
async function entriesOf(taskId: string) {
  const { body } = await client.call<LedgerEntry[]>(listLedgerEntries);
  const own = body.filter(({ reservationId }) => reservationId === taskId);
  return own.map(({ kind }) => kind).toReversed();
}

const expectEntries = (taskId: string, kinds: string[]) =>
  expect.poll(() => entriesOf(taskId)).toEqual(kinds);

/** An account whose registration is finished: its 100 credits come last. */
async function finished(email: string): Promise<ApiClient> {
  const own = apiClient(product.url);
  const body = { email, password: testPassword };
  await expect.poll(async () => (await own.call(signIn, { body })).status).toBe(200);
  const credits = async () => (await own.call<Organization>(getOrganization)).body.creditBalance;
  await expect.poll(credits).toBe(100);
  return own;
}

describe('a registration that was cut off after its address was reserved', () => {
  it('is finished without its caller, or by the next attempt with its password and no other', async () => {
    const [email, other] = [
      `${crypto.randomUUID()}@example.com`,
      `${crypto.randomUUID()}@example.com`,
    ];
    await cutOff(async (opened) => {
      await reserveAddress(opened, email);
      await reserveAddress(opened, other);
    });
    const registration = { email: other, username: 'Again', organizationName: 'Again' };
    const attempt = (password: string) => {
      const body = { ...registration, password };
      return apiClient(product.url).call<Problem>(registerUser, { body });
    };
    const [stranger, owner] = await Promise.all([
      attempt('another password'),
      attempt(testPassword),
    ]);
    expect([stranger.status, stranger.body.code]).toEqual([409, 'email-taken']);
    // The reaction may have been faster: then the account exists already.
    expect([201, 409]).toContain(owner.status);
    await finished(other);

    // Organization, Admin and credits.
    const own = await finished(email);
    const { body: me } = await own.call<CurrentUser>(getCurrentUser);
    expect(me).toMatchObject({ username: 'Cut Off', email, role: 'Admin' });
    expect(me.organization).toMatchObject({ name: 'Cut off' });
    expect((await own.call<unknown[]>(listMembers)).body).toHaveLength(1);
  });
});

describe('tasks that were cut off', () => {
  /** A task of which a process died, by the request that names it again. */
  function askedAgain(kept: 'hash' | 'plainHash') {
    const key = newId();
    const body = { input: 'Within how many days?', type: 'query' };
    const box = sealedBox(product.config.masterKey);
    const asked = askedRequest(box, 'POST /api/agents/{id}/execute', { id: agentId }, body);
    const owner = { organizationId: user.organization.id, userId: user.id };
    const commandId = keyedCommandId(owner, key, asked[kept]);
    const taskId = derivedId(commandId, 'task');
    return {
      taskId,
      async begin({ kit, features }: OpenedKit) {
        await kit.pool.query(
          `insert into operational.idempotency
             (organization_id, user_id, key, request_hash, created_at)
           values ($1, $2, $3, $4, '-infinity')`,
          [owner.organizationId, owner.userId, key, asked[kept]],
        );
        await features.credits.reserve(memberContext(commandId), reservationOf(taskId, 1));
      },
      request: () =>
        client.call<Problem>(executeTask, {
          params: { id: agentId },
          body,
          headers: { 'idempotency-key': key },
        }),
    };
  }
  const found = (id: string) => client.call<Task>(getTask, { params: { id } });

  it('release their credit, or run to their end and are charged once', async () => {
    const before = await balance();
    const [reserved, requested, late] = [newId(), newId(), newId()];
    // The second one begun by 0.1.0.
    const keyed = [askedAgain('hash'), askedAgain('plainHash')];
    await cutOff(async (opened) => {
      const { credits } = opened.features;
      expect(await credits.reserve(memberContext(), reservationOf(reserved))).toBe(null);
      for (const { begin } of keyed) await begin(opened);
      await requestTask(opened, requested, 60_000);
      await requestTask(opened, late, -1_000);
    });

    // Before it was requested: there is no such task.
    await expectEntries(reserved, ['reserved', 'released']);
    expect((await found(reserved)).status).toBe(404);

    // Before it had a job.
    await expectEntries(requested, ['reserved', 'charged']);
    expect((await found(requested)).body).toMatchObject({ status: 'success', creditCost: PRICE });
    const listed = (await client.call<Task[]>(listTasks)).body.map(({ id }) => id);
    expect(listed).toContain(requested);

    // Past its deadline.
    await expectEntries(late, ['reserved', 'released']);
    expect((await found(late)).body).toMatchObject({ status: 'failed', creditCost: 0 });

    // Requested again under its key: it never runs free of charge.
    for (const { taskId } of keyed) await expectEntries(taskId, ['reserved', 'released']);
    const charged = { ...before, creditBalance: before.creditBalance - PRICE };
    expect(await balance()).toEqual(charged);
    for (const { taskId, request } of keyed) {
      const answer = await request();
      expect([answer.status, answer.body.code]).toEqual([409, 'reservation-settled']);
      expect(await balance()).toEqual(charged);
      expect((await found(taskId)).status).toBe(404);
    }
  });

  it('and whose reservation expires meanwhile release their credit, and fail in the end', async () => {
    const before = await balance();
    const taskId = newId();
    await cutOff(async (opened) => {
      const { boss, features } = opened;
      // Its job exists and will never run, so no worker runs it until its deadline.
      const id = { id: taskId };
      await boss.send(TASK_QUEUE.name, {}, { ...id, startAfter: 3_600 });
      const context = { ...memberContext(), now: new Date(Date.now() - 3_600_000) };
      await features.credits.reserve(context, reservationOf(taskId));
      await requestTask(opened, taskId, 600_000);
    });
    await expectEntries(taskId, ['reserved', 'expired']);
    const status = async () => (await found(taskId)).body.status;
    expect(await status()).toBe('queued');
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 660_000 });
    await expect.poll(status).toBe('failed');
    expect(await entriesOf(taskId)).toEqual(['reserved', 'expired']);
    expect(await balance()).toEqual(before);
  });
});

describe('a task whose end was not announced', () => {
  it('is answered all the same', async () => {
    const { creditBalance } = await balance();
    await using opened = await openKit(product.config);
    const { kit, features, boss, queue, completions, sessions } = opened;
    const app = await createHttpApp({ ...kit.settings, log: kit.log });
    const wait = (taskId: string, ms: number) => completions.wait(`not ${taskId}`, ms);
    addRoutes(app, kit, features, { boss, queue, sessions, completions: { ...completions, wait } });
    const answer = await app.inject({
      method: executeTask.method,
      url: pathOf(executeTask, { id: agentId }),
      payload: { input: 'Within how many days can items be returned?' },
      cookies: Object.fromEntries(client.cookies),
    });
    expect(answer.json()).toMatchObject({ success: true, creditCost: 1 });
    await expect.poll(async () => (await balance()).creditBalance).toBe(creditBalance - 1);
    await app.close();
  });
});
