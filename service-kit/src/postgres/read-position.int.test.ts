import { migrate } from '@tallyhand/stack/application/migrate';
import { testDatabase, testKey } from '@tallyhand/test-kit/backends';
import { testLog } from '@tallyhand/test-kit/cases';
import pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { formatPosition, type Position, START } from '../event-store/position.ts';
import { roleUrl } from './pool.ts';
import {
  followReadModels,
  type OnChange,
  READ_MODELS_CHANNEL,
  type ReadPosition,
  StreamChanges,
} from './read-position.ts';

const FOLLOWER = 'follower of the read models';
const LONG_MS = 20_000;
const at = (n: number): Position => ({ commit: BigInt(n), prepare: BigInt(n) });

let database: Awaited<ReturnType<typeof testDatabase>>;
let admin: pg.Client;
let url: string;

beforeAll(async () => {
  database = await testDatabase();
  const masterKey = testKey();
  await migrate(database.url, masterKey);
  admin = new pg.Client({ connectionString: database.url });
  await admin.connect();
  const named = new URL(roleUrl(database.url, masterKey, 'query'));
  named.searchParams.set('application_name', FOLLOWER);
  url = named.href;
});
afterAll(async () => {
  await admin.end();
  await database[Symbol.asyncDispose]();
});
beforeEach(() => projectTo(1));

/** Moves the checkpoint, as the projector does with its rows. */
async function projectTo(n: number) {
  await admin.query(
    `insert into read_model.checkpoints
       (projection, version, position, commit_position, prepare_position)
     values ('test', 1, $1, $2, $2)
     on conflict (projection) do update set position = excluded.position,
       commit_position = excluded.commit_position, prepare_position = excluded.prepare_position`,
    [formatPosition(at(n)), n],
  );
}

const NOT_SAID = Symbol('not said');

/** JSON has no symbols. */
const tell = (n: number, changes: unknown = [], streams: unknown = []) =>
  admin.query('select pg_notify($1, $2)', [
    READ_MODELS_CHANNEL,
    JSON.stringify({ position: formatPosition(at(n)), changes, streams }),
  ]);

const cutOff = () =>
  admin.query(
    `select pg_terminate_backend(pid) from pg_stat_activity
     where application_name = $1 and datname = current_database()`,
    [FOLLOWER],
  );

const follow = (onChange?: OnChange): Promise<ReadPosition> =>
  followReadModels({ url, log: testLog, ...(onChange ? { onChange } : {}) });

describe('the position of the read models', () => {
  it('is known from the start', async () => {
    await projectTo(5);
    await using position = await follow();
    expect(position.current()).toEqual(at(5));
    expect(await position.reached(at(5), LONG_MS)).toBe(true);
  });

  it('is awaited until the projector reports that it has passed', async () => {
    await using position = await follow();
    let answered = false;
    const reached = position.reached(at(7), LONG_MS).then((is) => {
      answered = true;
      return is;
    });
    await tell(6);
    await vi.waitFor(() => expect(position.current()).toEqual(at(6)), LONG_MS);
    expect(answered).toBe(false);
    await tell(7);
    expect(await reached).toBe(true);
  });

  it('is given up when it does not come in time', async () => {
    await using position = await follow();
    expect(await position.reached(at(9), 10)).toBe(false);
    expect(position.current()).toEqual(at(1));
  });

  it('never goes back while the connection holds', async () => {
    const heard: unknown[] = [];
    await using position = await follow((...change) => heard.push(change));
    await tell(8, ['first']);
    await tell(3, ['second']);
    // What comes late can't be placed before or after a read.
    await vi.waitFor(() => expect(heard).toContainEqual([['second'], null]), LONG_MS);
    expect(heard).toContainEqual([['first'], at(8)]);
    expect(position.current()).toEqual(at(8));
  });

  it('is read again after a lost connection, with what was missed meanwhile', async () => {
    const heard: unknown[] = [];
    await using position = await follow((...change) => heard.push(change));
    expect(heard).toEqual([[null, at(1)]]);
    const reached = position.reached(at(9), LONG_MS);
    await projectTo(9);
    await cutOff();
    expect(await reached).toBe(true);
    // Whatever was shown may have changed.
    expect(heard).toEqual([
      [null, at(1)],
      [null, at(9)],
    ]);
  });

  it('falls back with a database that has lost its newest rows', async () => {
    await projectTo(9);
    const heard: unknown[] = [];
    await using position = await follow((...change) => heard.push(change));
    expect(position.current()).toEqual(at(9));
    await projectTo(4);
    await cutOff();
    await vi.waitFor(() => expect(position.current()).toEqual(at(4)), LONG_MS);
    expect(heard.at(-1)).toEqual([null, null]);
    expect(await position.reached(at(5), 10)).toBe(false);
  });

  it('is waited for no longer when the service stops', async () => {
    const position = await follow();
    const reached = position.reached(at(99), LONG_MS);
    await position[Symbol.asyncDispose]();
    expect(await reached).toBe(false);
  });
});

describe('a stream that has not changed as far as the read models are', () => {
  const [agent, other] = ['agent-1', 'organization-1'];

  it('is known by what the projector announces', async () => {
    await using position = await follow();
    const { changes } = position;
    const before = changes.mark();
    expect(changes.unchangedTo(agent, before)).toEqual(at(1));
    await tell(7, [], [agent]);
    expect(await position.reached(at(7), LONG_MS)).toBe(true);
    expect(changes.unchangedTo(other, before)).toEqual(at(7));
    expect(changes.unchangedTo(agent, before)).toEqual(START);
    expect(changes.unchangedTo(agent, changes.mark())).toEqual(at(7));
    expect(changes.unchangedTo('task-1', changes.mark())).toEqual(START);
  });

  it.each([
    ['too many have changed', () => tell(7, [], null)],
    ['a projector of an older release announces none', () => tell(7, [], NOT_SAID)],
    [
      'the connection was lost',
      async () => {
        await projectTo(7);
        await cutOff();
      },
    ],
  ])('is not known any more when %s', async (_, act) => {
    await using position = await follow();
    const { changes } = position;
    const before = changes.mark();
    await act();
    expect(await position.reached(at(7), LONG_MS)).toBe(true);
    expect(changes.unchangedTo(agent, before)).toEqual(START);
    expect(changes.unchangedTo(agent, changes.mark())).toEqual(at(7));
  });

  it('is not known any more when it was forgotten', () => {
    const changes = new StreamChanges(() => at(3));
    changes.note([agent]);
    const mark = changes.mark();
    for (let n = 0; n <= 10; n += 1) {
      changes.note(Array.from({ length: 1_000 }, (__, i) => `connection-${n}-${i}`));
    }
    expect(changes.unchangedTo(other, mark)).toEqual(START);
    expect(changes.unchangedTo(other, changes.mark())).toEqual(at(3));
  });
});
