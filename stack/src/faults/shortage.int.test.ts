import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { openKit } from '@tallyhand/command-service/app/open-kit';
import { verifyLedger } from '@tallyhand/command-service/features/credits/verify-ledger';
import {
  type LedgerEntry,
  listLedgerEntries,
} from '@tallyhand/contracts/features/credits/credits.endpoints';
import {
  getOrganization,
  type Organization,
} from '@tallyhand/contracts/features/organizations/organizations.endpoints';
import {
  type ExecutionResult,
  executeTask,
} from '@tallyhand/contracts/features/tasks/tasks.endpoints';
import type { Problem } from '@tallyhand/contracts/kernel/problem';
import { newId } from '@tallyhand/service-kit/crypto/ids';
import {
  type ApiAnswer,
  type ApiClient,
  agentWithArticle,
  registerOrganization,
} from '@tallyhand/test-kit/api-client';
import { caseRuns, reportFault } from '@tallyhand/test-kit/cases';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type OwnProduct, startTestProduct } from '../testing/product.ts';

const CREDITS = 100;
const { numRuns: EXECUTES } = caseRuns(500, 10_000);
const { numRuns: PROCESSES } = caseRuns(6, 64);
/** A server accepts a limited number of new connections at a time. */
const CALLERS = 400;
const LONG_MS = 600_000;
const taker = fileURLToPath(new URL('./last-credit.main.ts', import.meta.url));

let product: OwnProduct;
beforeAll(async () => {
  product = await startTestProduct();
});
afterAll(() => product[Symbol.asyncDispose]());

/** Stream, read model and double entry agree, and nothing stays reserved. */
async function expectBalanced(client: ApiClient, organizationId: string) {
  const organization = async () => (await client.call<Organization>(getOrganization)).body;
  await expect.poll(organization).toMatchObject({ creditBalance: 0, reserved: 0 });
  await using opened = await openKit(product.config);
  expect(await verifyLedger(opened.kit, organizationId)).toMatchObject({
    status: 'passed',
    brokenAt: null,
    available: { events: 0, readModel: 0, trialBalance: 0 },
  });
}

describe('credits that are wanted by many', () => {
  it(
    `are charged ${CREDITS} times for ${EXECUTES} executes at once, and all others are 402`,
    async () => {
      const { client, user } = await registerOrganization(product.url);
      const params = { id: (await agentWithArticle(client)).agent.id };
      const body = { input: 'Within how many days?' };
      const answers: ApiAnswer<ExecutionResult & Problem>[] = [];
      let left = EXECUTES;
      const caller = async () => {
        for (; left > 0; ) {
          left -= 1;
          answers.push(await client.call(executeTask, { params, body }));
        }
      };
      await Promise.all(Array.from({ length: CALLERS }, caller));
      const done = answers.filter((answer) => answer.status === 200 && answer.body.success);
      const refused = answers.filter((answer) => answer.body.code === 'insufficient-credits');
      expect([done.length, refused.length]).toEqual([CREDITS, EXECUTES - CREDITS]);
      expect(refused.every(({ status }) => status === 402)).toBe(true);
      reportFault({ runs: EXECUTES });
      await expectBalanced(client, user.organization.id);
    },
    LONG_MS,
  );

  it(
    `have one winner when ${PROCESSES} processes want the last one`,
    async () => {
      const { client, user } = await registerOrganization(product.url);
      const organizationId = user.organization.id;
      await takeAllButOne(organizationId);
      const { databaseUrl, eventStoreUrl, masterKey } = product.config;
      const settings = { databaseUrl, eventStoreUrl, masterKey, organizationId };
      const children = Array.from({ length: PROCESSES }, () =>
        fork(taker, [JSON.stringify(settings)]),
      );
      try {
        await Promise.all(children.map(messageOf));
        const answers = children.map(messageOf);
        for (const child of children) child.send('now');
        const outcomes = (await Promise.all(answers)).toSorted();
        const refusals = Array.from({ length: PROCESSES - 1 }, () => 'insufficient-credits');
        expect(outcomes).toEqual(['charged', ...refusals]);
        reportFault({ runs: PROCESSES });
      } finally {
        for (const child of children) child.kill('SIGKILL');
      }
      await expectBalanced(client, organizationId);
      const { body } = await client.call<LedgerEntry[]>(listLedgerEntries);
      expect(body.filter(({ kind }) => kind === 'charged')).toHaveLength(CREDITS);
    },
    LONG_MS,
  );
});

async function takeAllButOne(organizationId: string) {
  await using opened = await openKit(product.config);
  const { credits } = opened.features;
  for (let i = 1; i < CREDITS; i += 1) {
    const taskId = newId();
    const context = {
      organizationId,
      commandId: newId(),
      correlationId: newId(),
      causationId: null,
      actor: { kind: 'worker' },
      now: new Date(),
    };
    const task = { organizationId, workId: taskId, workType: 'query' as const, agentId: newId() };
    await credits.reserve(context, { ...task, memberId: newId(), price: 1 });
    await credits.charge(context, organizationId, taskId);
  }
}

/** The next message of a process; an end without one is an error. */
async function messageOf(child: ChildProcess): Promise<unknown> {
  const ended = once(child, 'exit').then(([code]) => {
    throw new Error(`A process ended with ${code}`);
  });
  const [message] = await Promise.race([once(child, 'message'), ended]);
  return message;
}
