import { randomUUID } from 'node:crypto';
import { getStatus, type Status } from '@tallyhand/contracts/features/status/status.endpoints';
import { type ApiClient, registerOrganization } from '@tallyhand/test-kit/api-client';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { openOperatorAccess } from '../testing/operator.ts';
import { type OwnProduct, startTestProduct } from '../testing/product.ts';
import { runEventsCommand } from './events-command.ts';

let product: OwnProduct;
let client: ApiClient;
let organizationId: string;
let access: ReturnType<typeof openOperatorAccess>;
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

const events = (...args: string[]) => runEventsCommand(args, access);

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
