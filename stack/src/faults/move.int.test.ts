import { randomUUID } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  type CurrentUser,
  getCurrentUser,
} from '@tallyhand/contracts/features/identity/identity.endpoints';
import { executeTask, listTasks } from '@tallyhand/contracts/features/tasks/tasks.endpoints';
import { readEvents } from '@tallyhand/event-store/storage/copies';
import { openEventLog } from '@tallyhand/service-kit/event-store/event-log';
import {
  type ApiClient,
  agentWithArticle,
  cookieOf,
  registerOrganization,
} from '@tallyhand/test-kit/api-client';
import { emptyDatabase, testEventStore, testKey } from '@tallyhand/test-kit/backends';
import { sampleOf } from '@tallyhand/test-kit/cases';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { uuidOf } from '../backup/event-lines.ts';
import { runMoveCommand } from '../operator/move-command.ts';
import { deriveConfig } from '../supervisor/config.ts';
import { type KeptProduct, startKeptProduct } from '../testing/kept-product.ts';
import { startTestProduct } from '../testing/product.ts';

let stack: AsyncDisposableStack;
let product: KeptProduct;
let client: ApiClient;
let user: CurrentUser;
let agentId = '';
let target = '';

const execute = (caller: ApiClient) =>
  caller.call(executeTask, { params: { id: agentId }, body: { input: 'How many days?' } });

async function move(more: NodeJS.ProcessEnv = {}) {
  const { databaseUrl, masterKey, signingKey } = product.keys;
  const env = { DATABASE_URL: databaseUrl, MASTER_KEY: masterKey, SIGNING_KEY: signingKey };
  const places = { DATA_DIR: product.dataDir, MOVE_EVENTSTORE_URL: target, ...more };
  return runMoveCommand([], deriveConfig({ ...env, ...places }, '/'), () => {});
}

/** The first events as stored, for appending elsewhere. */
async function firstEvents(count: number) {
  const events = await Array.fromAsync(readEvents(join(product.dataDir, 'event-store'), count));
  return events.map(({ stream, revision, type, id, data, metadata }) => ({
    stream,
    expected: revision === 0 ? null : BigInt(revision - 1),
    event: { id: uuidOf(id), type, data: jsonOf(data), envelope: jsonOf(metadata) },
  }));
}

const jsonOf = (bytes: Uint8Array) => JSON.parse(Buffer.from(bytes).toString());

/** The same member, sign-in and tasks, on the new stores; and work continues. */
async function expectMoved(databaseUrl: string) {
  const settings = { databaseUrl, migrateDatabaseUrl: databaseUrl, eventStoreUrl: target };
  await using moved = await startTestProduct({ ...product.keys, ...settings });
  const cookie = cookieOf(client);
  const own = async <B>(path: string) => {
    const response = await fetch(`${moved.url}${path}`, { headers: { cookie } });
    return (await response.json()) as B;
  };
  const tasks = () => own<{ status: string }[]>(listTasks.path);
  await expect.poll(tasks).toMatchObject([{ status: 'success' }]);
  expect(await own<CurrentUser>(getCurrentUser.path)).toMatchObject({
    id: user.id,
    organization: { creditBalance: 99 },
  });
}

/** Each starts two products, so a commit tries two of them. */
const TRIED = sampleOf(['all', 'database', 'cut off'] as const, 2);

describe('a move', () => {
  beforeEach(async () => {
    stack = new AsyncDisposableStack();
    product = stack.use(await startKeptProduct());
    ({ client, user } = await registerOrganization(product.running.url));
    agentId = (await agentWithArticle(client)).agent.id;
    await execute(client);
    target = stack.use(await testEventStore()).url;
  });
  afterEach(() => stack.disposeAsync());

  it.runIf(TRIED.includes('all'))(
    'brings every event to the cluster, and the same product runs on it',
    async () => {
      await product.stop();
      expect((await move()).join('\n')).toContain('Set EVENTSTORE_URL to the new address');
      await expectMoved(product.keys.databaseUrl);
    },
  );

  it.runIf(TRIED.includes('database'))('brings the database along', async () => {
    const database = stack.use(await emptyDatabase());
    await product.stop();
    const file = join(product.dataDir, 'new-database-url');
    await writeFile(file, database.url, { mode: 0o600 });
    await move({ MOVE_DATABASE_URL_FILE: file });
    await expectMoved(database.url);
    const again = move({ MOVE_DATABASE_URL: database.url });
    await expect(again).rejects.toThrow('The new database is not empty');
  });

  it.runIf(TRIED.includes('cut off'))(
    'continues where it was interrupted, and repeats nothing',
    async () => {
      await product.stop();
      const log = openEventLog(target);
      for (const { stream, event, expected } of await firstEvents(3)) {
        await log.append(stream, [event], expected);
      }
      await log.close();
      await move();
      await expectMoved(product.keys.databaseUrl);
    },
  );

  it('refuses a cluster with events of others, and writes nothing to it', async () => {
    await product.stop();
    const [first] = await firstEvents(1);
    const log = openEventLog(target);
    const envelope = first?.event.envelope;
    await log.append('other-1', [{ id: randomUUID(), type: 'Other', data: {}, envelope }], null);
    const head = await log.head();
    await expect(move()).rejects.toThrow('holds an event that is not ours');
    expect(await log.head()).toEqual(head);
    await log.close();
  });
});

it('accepts no address as an argument, which every account of the machine could read', async () => {
  const keys = { MASTER_KEY: testKey(), SIGNING_KEY: testKey() };
  const places = { DATA_DIR: '/nowhere', MOVE_EVENTSTORE_URL: '' };
  const move = (...args: string[]) =>
    runMoveCommand(args, deriveConfig({ ...keys, ...places }, '/'), () => {});
  const database = 'postgres://admin:secret@db.example.com/x';
  await expect(move('--to', 'esdb://example.com', '--database', database)).rejects.toThrow(
    'Addresses can be set in the environment only.',
  );
  await expect(move()).rejects.toThrow('MOVE_EVENTSTORE_URL is missing.');
});
