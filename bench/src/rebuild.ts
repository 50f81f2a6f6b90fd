import { readModels } from '@tallyhand/read-models/read-models';
import { askProjector } from '@tallyhand/stack/operator/rebuild-command';
import type pg from 'pg';
import { startChild } from './child.ts';
import { writeHistory } from './history/write-history.ts';
import { startBackends } from './ledger-backends.ts';
import { startProjecting, until } from './projecting.ts';
import { type Row, ratio, row } from './table.ts';

const ORGANIZATIONS = 12;
const EVENTS = 60_000;
/** Of the same kinds; more of them would take it minutes. */
const PEER_EVENTS = 10_000;
const PROJECTED_MS_MAX = 300_000;
const PEER_SCHEMA = 'peer';
const tables = readModels.flatMap((model) => Object.keys(model.tables));

/** P3: all read models from the first event, against the database's own loading of their rows. */
export async function measureRebuild(): Promise<Row[]> {
  await using backends = await startBackends();
  const { kit, emmettUrl } = backends;
  const eventsEach = EVENTS / ORGANIZATIONS;
  const { events } = await writeHistory(kit, { organizations: ORGANIZATIONS, eventsEach });
  const { rebuild, copy } = await measureOurs(kit, events);
  using peer = startChild(new URL('../../judges/rebuild-emmett.js', import.meta.url), {
    emmettUrl,
    events: PEER_EVENTS,
  });
  const { perSecond: emmett } = await peer.told<{ perSecond: number }>();
  const n = events.toLocaleString('en');
  return [
    row(
      `P3 rebuild of all read models beside the live ones, ${n} events: events/s`,
      figure(rebuild),
    ),
    row('COPY of the same rows into equal tables: events/s', figure(copy)),
    row('Emmett on PostgreSQL, its own rebuild of four read models: events/s', figure(emmett)),
    row('P3 rebuild against COPY', ratio(rebuild, copy), '0.20; 0.35'),
    row('P3 rebuild against Emmett', `${ratio(rebuild, emmett, 0)} ×`, '20 ×; 40 ×'),
  ];
}

const figure = (perSecond: number) => perSecond.toFixed(0);

type Kit = Parameters<typeof startProjecting>[0];

/** Events a second of both; the rows of both are those that were there before. */
async function measureOurs(kit: Kit, events: number) {
  await using projecting = await startProjecting(kit);
  const { admin } = projecting;
  await projecting.caughtUp(events, PROJECTED_MS_MAX);
  const before = new Map<string, string>();
  for (const table of tables) before.set(table, await hashOf(admin, 'read_model', table));
  const began = performance.now();
  await askProjector(admin, { kind: 'rebuild', projections: null, acceptsDifferences: false });
  await until(PROJECTED_MS_MAX, () => areAllRebuilt(admin));
  const rebuildMs = performance.now() - began;
  for (const table of tables) await assertEqual(admin, 'read_model', table, before);
  const copyMs = await copyAll(admin);
  for (const table of tables) await assertEqual(admin, PEER_SCHEMA, table, before);
  return { rebuild: (events * 1000) / rebuildMs, copy: (events * 1000) / copyMs };
}

export async function areAllRebuilt(admin: pg.Pool): Promise<boolean> {
  const { rows } = await admin.query<{ state: string; count: number }>(
    'select state, count(*)::int as count from read_model.rebuilds group by state',
  );
  const [wrong] = rows.filter(({ state }) => !['waiting', 'building', 'done'].includes(state));
  if (wrong) throw new Error(`A rebuild is ${wrong.state}`);
  return rows.length === 1 && rows[0]?.state === 'done' && rows[0].count === readModels.length;
}

async function hashOf(admin: pg.Pool, schema: string, table: string): Promise<string> {
  const { rows } = await admin.query<{ hash: string }>(
    `select concat(count(*), ' ', sum(hashtextextended(t::text, 0))) as hash from ${schema}.${table} t`,
  );
  return rows[0]?.hash ?? '';
}

async function assertEqual(
  admin: pg.Pool,
  schema: string,
  table: string,
  before: ReadonlyMap<string, string>,
) {
  const hash = await hashOf(admin, schema, table);
  if (hash !== before.get(table)) throw new Error(`The rows of ${schema}.${table} are others`);
}

/** Loads all rows into tables with the same keys, policies and indexes; gives milliseconds. */
async function copyAll(admin: pg.Pool): Promise<number> {
  const { rows } = await admin.query<{ statements: string; folder: string }>(
    `select string_agg(concat_ws('\n', ddl, indexes), '\n') as statements,
       current_setting('data_directory') as folder from read_model.models`,
  );
  const [{ statements = '', folder = '' } = {}] = rows;
  await admin.query(`create schema ${PEER_SCHEMA}`);
  await admin.query(statements.replaceAll('read_model.', `${PEER_SCHEMA}.`));
  let ms = 0;
  for (const table of tables) {
    // Gone with the server's folder when the part ends.
    const file = `${folder}/${table}.copy`;
    await admin.query(`copy read_model.${table} to '${file}'`);
    const began = performance.now();
    await admin.query(`copy ${PEER_SCHEMA}.${table} from '${file}'`);
    ms += performance.now() - began;
  }
  return ms;
}
