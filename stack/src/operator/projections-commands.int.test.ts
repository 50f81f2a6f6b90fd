import { randomUUID } from 'node:crypto';
import { getAgent } from '@tallyhand/contracts/features/agents/agents.endpoints';
import {
  getTrialBalance,
  listLedgerEntries,
} from '@tallyhand/contracts/features/credits/credits.endpoints';
import { getArticle } from '@tallyhand/contracts/features/knowledge/knowledge.endpoints';
import { getStatus, type Status } from '@tallyhand/contracts/features/status/status.endpoints';
import {
  executeTask,
  getTaskStats,
  listTasks,
} from '@tallyhand/contracts/features/tasks/tasks.endpoints';
import type { Problem } from '@tallyhand/contracts/kernel/problem';
import { newId } from '@tallyhand/service-kit/crypto/ids';
import {
  type ApiClient,
  agentWithArticle,
  registerOrganization,
} from '@tallyhand/test-kit/api-client';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { openOperatorAccess, runOperator, storesOf } from '../testing/operator.ts';
import { type OwnProduct, startTestProduct } from '../testing/product.ts';
import { OperatorError } from './command.ts';
import { runEventsCommand } from './events-command.ts';
import { runRebuildCommand } from './rebuild-command.ts';

const WITH_TASKS_MAX = 300;

let product: OwnProduct;
let client: ApiClient;
let organizationId: string;
let access: ReturnType<typeof openOperatorAccess>;
/** A parked stream and an unreadable event are errors in the log: intended here. */
const errors: string[] = [];
beforeAll(async () => {
  const log = { info() {}, warn() {}, error: (message: string) => errors.push(message) };
  product = await startTestProduct({ log });
  const registered = await registerOrganization(product.url);
  client = registered.client;
  organizationId = registered.user.organization.id;
  access = openOperatorAccess(product);
});
afterAll(async () => {
  await access[Symbol.asyncDispose]();
  await product[Symbol.asyncDispose]();
});

async function rebuild(...args: string[]) {
  const lines: string[] = [];
  return { isWell: await runRebuildCommand(args, access.pool, (line) => lines.push(line)), lines };
}
const events = (...args: string[]) => runEventsCommand(args, access);

/**
 * Calls one after the other, each of which sees the previous effect; returns how many, and which
 * failed.
 */
async function use(isOver: () => boolean) {
  let count = 0;
  const failed: unknown[] = [];
  function take({ status, body }: { readonly status: number; readonly body: unknown }) {
    count += 1;
    // On a busy machine the rows of a command may come later than a read waits: a call again has them.
    const isBehind = (body as Partial<Problem>).code === 'read-models-behind';
    if (status !== 200 && !isBehind) failed.push(body);
  }
  while (!isOver()) {
    const { agent, article } = await agentWithArticle(client);
    const answers = [
      await client.call(getAgent, { params: { id: agent.id } }),
      await client.call(getArticle, { params: { id: article.id } }),
      await client.call(listTasks),
      await client.call(getTaskStats),
      await client.call(listLedgerEntries),
      await client.call(getTrialBalance),
    ];
    for (const answer of answers) take(answer);
    // At most as many as there are credits, however long it takes.
    if (count > WITH_TASKS_MAX) continue;
    const task = { params: { id: agent.id }, body: { input: 'How long?' } };
    take(await client.call(executeTask, task));
  }
  return { count, failed };
}

describe('npm run rebuild', () => {
  it('rebuilds all read models, and no read or write fails meanwhile', async () => {
    let isOver = false;
    const used = use(() => isOver);
    const { isWell, lines } = await rebuild();
    isOver = true;
    const { count, failed } = await used;
    expect(count).toBeGreaterThan(20);
    expect(failed).toEqual([]);
    expect(lines.filter((line) => line.includes('other than'))).toEqual([]);
    expect(isWell).toBe(true);
    expect(lines[0]).toMatch(/^Rebuilding: .*ledger.*tasks/);
    expect(lines).toContainEqual(
      expect.stringMatching(/^members: done, \d+ events in .* s\. members: \d+ rows, equal$/),
    );
    expect((await rebuild('--status')).lines).toContainEqual(expect.stringMatching(/^tasks: done/));
    expect((await client.call(getTaskStats)).status).toBe(200);
  });

  it('refuses unknown names and options, and has nothing to cancel', async () => {
    expect(await rebuild('boats')).toMatchObject({
      isWell: false,
      lines: [expect.stringMatching(/^There is no read model boats\. There are: .*tasks/)],
    });
    await expect(rebuild('--colour')).rejects.toThrow(OperatorError);
    expect(await rebuild('--cancel')).toEqual({
      isWell: false,
      lines: ['No rebuild is running.'],
    });
  });
});

describe('npm run events', () => {
  it('shows parked streams, and skips an event with a reason', async () => {
    const { isWell, lines: before } = await events('list');
    const others = before.slice(1).filter((line) => !line.includes('A test wrote it'));
    expect([isWell, before[0], others]).toEqual([true, 'No event is parked.', []]);
    const id = newId();
    // Commands read the event too, so the organization is of no use afterwards.
    const { user } = await registerOrganization(product.url);
    const last = await access.eventLog.last(`organization-${user.organization.id}`);
    if (!last) expect.fail('The organization has no events');
    const wrong = {
      id,
      type: 'OrganizationRegistered',
      data: { name: 7 },
      envelope: last.envelope,
    };
    await access.eventLog.append(last.stream, [wrong], last.revision);
    await expect.poll(async () => (await events('list')).isWell).toBe(false);
    const { lines } = await events('list');
    expect(lines[0]).toMatch(new RegExp(`^${id}  OrganizationRegistered of organization-`));
    const shown = await events('show', id);
    expect(shown.lines.at(-1)).toContain('"name": 7');
    expect(await events('retry', id)).toMatchObject({ isWell: false });
    await expect(events('skip', id)).rejects.toThrow('--reason');
    const reason = 'The name is a number';
    expect(await events('skip', id, '--reason', reason)).toMatchObject({ isWell: true });
    const after = await events('list');
    expect(after.isWell).toBe(true);
    expect(after.lines.slice(1).join()).toContain(reason);
  });

  it('names missing arguments', async () => {
    await expect(events('retry')).rejects.toThrow('id is missing');
    await expect(events('burn', newId())).rejects.toThrow('npm run events');
    await expect(events('show', newId())).rejects.toThrow('No projection');
  });
});

async function eventsHealth() {
  const { body } = await client.call<Status>(getStatus);
  return body.checks.find(({ name }) => name === 'events')?.status;
}

const envelope = () => ({
  schemaVersion: 1,
  organizationId,
  actor: { kind: 'worker' },
  correlationId: randomUUID(),
  causationId: null,
  commandId: randomUUID(),
  recordedAt: new Date().toISOString(),
});

const json = <E>(event: E) => ({
  metadata: undefined,
  ...event,
  contentType: 'application/json' as const,
});
const binary = <E>(event: E) => ({
  metadata: undefined,
  ...event,
  contentType: 'application/octet-stream' as const,
});

describe('an unreadable event', () => {
  it.each([
    [
      'has a malformed envelope',
      (id: string) =>
        json({ id, type: 'MemberRoleChanged', data: { role: 'Admin' }, metadata: {} }),
      'its envelope is malformed: ',
    ],
    [
      'is not JSON',
      (id: string) => binary({ id, type: 'MemberRoleChanged', data: Buffer.from('{role') }),
      'it is not JSON',
    ],
    [
      'has metadata that is not JSON',
      (id: string) => {
        const broken = Buffer.from('{"schemaVersion"');
        return json({ id, type: 'MemberRoleChanged', data: {}, metadata: broken as never });
      },
      'its envelope is malformed: ',
    ],
    [
      'is of an unknown type',
      (id: string) => json({ id, type: 'MemberCrowned', data: {}, metadata: envelope() }),
      'this release knows no event of its type',
    ],
  ])('alerts where it %s, until an operator has dealt with it', async (_what, made, fault) => {
    await vi.waitFor(async () => expect(await eventsHealth()).toBe('ok'));
    errors.length = 0;
    const id = randomUUID();
    const stream = `organization-${randomUUID()}`;
    await access.eventLog.client.appendToStream(stream, made(id));
    await vi.waitFor(async () => expect(await eventsHealth()).toBe('degraded'));
    expect(await product.metrics()).toMatch(
      /^tallyhand_projection_parked_streams\{projection="unreadable-events"\} 1$/m,
    );
    expect(errors).toEqual(['an event cannot be read']);
    const listed = await events('list');
    expect(listed.isWell).toBe(false);
    expect(listed.lines.join('\n')).toContain(fault);
    expect((await events('show', id)).lines.join('\n')).toContain(stream);
    expect(await events('retry', id)).toMatchObject({
      isWell: false,
      lines: [`${stream}: an event is still unreadable.`],
    });
    // Later events of the same stream are processed when the first one is out of the way.
    const second = randomUUID();
    await access.eventLog.client.appendToStream(stream, made(second));
    const skipped = await events('skip', id, '--reason', 'A test wrote it');
    expect(skipped.lines).toEqual([`${stream}: an event is still unreadable.`]);
    await events('skip', second, '--reason', 'A test wrote it');
    await vi.waitFor(async () => expect(await eventsHealth()).toBe('ok'));
    expect(await product.metrics()).not.toContain('projection="unreadable-events"');
  });

  it('is found when the product was away meanwhile, and stays noted when it starts again', async () => {
    const id = randomUUID();
    const event = json({ id, type: 'MemberRoleChanged', data: {}, metadata: {} });
    await product.restart(async () => {
      await access.eventLog.client.appendToStream(`organization-${randomUUID()}`, event);
    });
    await vi.waitFor(async () => expect(await eventsHealth()).toBe('degraded'));
    await product.restart();
    expect(await eventsHealth()).toBe('degraded');
    await events('skip', id, '--reason', 'A test wrote it');
    await vi.waitFor(async () => expect(await eventsHealth()).toBe('ok'));
  });
});

describe('the commands on their own', () => {
  it('reach the running product, and end', async () => {
    const [rebuilt, listed] = await Promise.all([
      runOperator(storesOf(product), 'rebuild', 'tasks'),
      runOperator(storesOf(product), 'events', 'burn'),
    ]);
    expect(rebuilt).toMatchObject({ code: 0, output: expect.stringContaining('tasks: done') });
    expect(listed).toMatchObject({ code: 1, output: expect.stringContaining('npm run events') });
    expect(listed.output).not.toMatch(/^\s+at /m);
  });
});
