import { randomUUID } from 'node:crypto';
import { readAgentSummaries } from '@tallyhand/read-models/features/agents/agents.tables';
import { readAuditEntries } from '@tallyhand/read-models/features/audit/audit-log.tables';
import { readMeaningSearch } from '@tallyhand/read-models/features/models/meaning-search';
import { readUnreadNotifications } from '@tallyhand/read-models/features/notifications/notifications.tables';
import { readOrganizationStats } from '@tallyhand/read-models/features/organizations/organizations.tables';
import { readSearch } from '@tallyhand/read-models/features/search/search.tables';
import { readTaskStats } from '@tallyhand/read-models/features/tasks/tasks.tables';
import { LOOKED_MAX, type Read } from '@tallyhand/read-models/kernel/read';
import { functionName } from '@tallyhand/read-models/kernel/read-functions';
import { reads } from '@tallyhand/read-models/read-models';
import {
  fillHistory,
  firstOf,
  type LongHistory,
} from '@tallyhand/read-models/testing/long-history';
import { inTenant, openPool, roleUrl } from '@tallyhand/service-kit/postgres/pool';
import { migrate } from '@tallyhand/stack/application/migrate';
import { testDatabase, testKey } from '@tallyhand/test-kit/backends';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const LIMIT = 20;
/** The list that others are compared with has some pages; the long one has so many more rows. */
const SHORT = 3 * LIMIT;
const LONG = 3_000;
/** Organizations that have one of everything. */
const OTHERS = 50;
/** A page deep in the list begins behind so many rows. */
const DEPTH = 1_000;

type Organization = LongHistory & { readonly signInId: string };
type Values = Readonly<Record<string, string | number | null>>;

let opened: AsyncDisposableStack;
let admin: pg.Pool;
let queryUrl: string;
let short: Organization;
let long: Organization;
let oldConnection: Asking;

beforeAll(async () => {
  opened = new AsyncDisposableStack();
  const { url } = opened.use(await testDatabase());
  const masterKey = testKey();
  await migrate(url, masterKey);
  queryUrl = roleUrl(url, masterKey, 'query');
  admin = opened.adopt(openPool(url, 2), (pool) => pool.end());
  short = await organization(SHORT);
  for (let other = 0; other < OTHERS; other += 1) await organization(1);
  await admin.query('analyze');
  // Current plans and statistics are those of a small product.
  oldConnection = opened.use(await connection());
  for (const [, read, values] of cases) {
    await oldConnection.ask(read, short, { limit: LIMIT, ...values(short) });
  }
  for (const [, read, values] of filtered) {
    await oldConnection.ask(read, short, { limit: LIMIT, ...values });
  }
  for (const [, read, q] of searches) await oldConnection.ask(read, short, { q, limit: 5 });
  await oldConnection.ask(readMeaningSearch, short, {});
  long = await organization(LONG);
});
afterAll(() => opened.disposeAsync());

async function organization(rows: number): Promise<Organization> {
  const ids = { organizationId: randomUUID(), userId: randomUUID(), signInId: randomUUID() };
  const { organizationId, userId, signInId } = ids;
  await admin.query(
    `insert into operational.access (user_id, organization_id, role) values ($1, $2, 'Admin')`,
    [userId, organizationId],
  );
  await admin.query(
    `insert into operational.sign_ins (sign_in_id, user_id, organization_id, expires_at)
     values ($1, $2, $3, now() + interval '1 day')`,
    [signInId, userId, organizationId],
  );
  const history = { organizationId, userId, tasks: rows, others: rows };
  await fillHistory(admin, history);
  await embedArticles(organizationId);
  return { ...history, signInId };
}

/** Each article has one passage, with its vector. */
async function embedArticles(organizationId: string) {
  const space = randomUUID();
  await admin.query(
    `insert into read_model.organizations (organization_id, name, registered_at, embedding_source)
     values ($1, 'Long', now(), 'default')`,
    [organizationId],
  );
  await admin.query(
    `insert into read_model.passages
       (organization_id, article_id, version, ordinal, text, hash, search, is_current)
     select organization_id, article_id, version, 1, 'Text', article_id, 'text', true
     from read_model.articles where organization_id = $1`,
    [organizationId],
  );
  await admin.query(
    `insert into operational.passage_vectors
       (organization_id, article_id, passage_hash, space, bits, vector, numbers)
     select organization_id, article_id, hash, $2, '1', '{1}', '\\x3f800000'
     from read_model.passages where organization_id = $1`,
    [organizationId, space],
  );
  await admin.query('insert into operational.embeddings (organization_id, space) values ($1, $2)', [
    organizationId,
    space,
  ]);
}

/** All rows of tables, and entries of indexes, that this transaction has read. */
const ROWS_READ = `select sum(pg_stat_get_xact_tuples_returned(c.oid))::int as count
  from pg_class c join pg_namespace n on n.oid = c.relnamespace
  where n.nspname in ('read_model', 'operational') and c.relkind in ('r', 'i')`;

type Answer = { readonly rows: unknown; readonly next: string | null; readonly rowsRead: number };

/** One connection of the query service. */
async function connection() {
  const client = new pg.Client({ connectionString: queryUrl });
  await client.connect();
  const count = async () => (await client.query<{ count: number }>(ROWS_READ)).rows[0]?.count ?? 0;

  async function ask(read: Read, caller: Organization, values: Values): Promise<Answer> {
    const given = Object.keys(read.arguments).map((name) => values[name] ?? null);
    const places = [...'xx', ...given].map((_, index) => `$${index + 1}`).join(', ');
    await client.query('begin');
    const before = await count();
    const { rows } = await client.query<{ answer: string }>(
      `select read_model.${functionName(read)}(${places}) as answer`,
      [caller.signInId, null, ...given],
    );
    const rowsRead = (await count()) - before;
    await client.query('commit');
    const [next = '', body = ''] = rows[0]?.answer?.split(/\n(.*)/s) ?? [];
    return { rows: JSON.parse(body), next: next || null, rowsRead };
  }
  return { ask, [Symbol.asyncDispose]: () => client.end() };
}

/** The parameters that a list needs. */
const objects = (caller: Organization) => ({
  comparisons: { agent: firstOf('agent', caller) },
  conversations: { agent: firstOf('agent', caller) },
  history: { object_kind: 'agent', object_id: firstOf('agent', caller) },
  mailboxes: { agent: firstOf('agent', caller) },
  mailbox_mails: { mailbox: firstOf('mailbox', caller) },
  webhook_deliveries: { webhook: firstOf('webhook', caller) },
});
const objectOf = ({ name }: Read, caller: Organization): Values =>
  (objects(caller) as Readonly<Record<string, Values>>)[name] ?? {};

/** Past states are computed from the log, not listed. */
const lists = reads.filter(({ name, rows }) => rows === 'page' && !name.endsWith('_as_of'));

type Case = readonly [name: string, read: Read, values: (caller: Organization) => Values];
const byName = (name: string) => lists.find((read) => read.name === name) as Read;
const from = { from: '2026-01-01T00:30:00Z', to: '2026-01-01T02:00:00Z' };
const updated = { updated_from: from.from, updated_to: from.to };
const cases: readonly Case[] = [
  ...lists.map((read): Case => [read.name, read, (caller) => objectOf(read, caller)]),
  ['audit_entries', readAuditEntries.newest, () => ({})],
  ['audit_entries oldest', readAuditEntries.oldest, () => ({})],
  ['audit_entries of a type', readAuditEntries.newest, () => ({ type: 'TaskStarted' })],
  ['audit_entries then', readAuditEntries.oldest, () => from],
  ['task_stats', readTaskStats, () => ({})],
  ['organization_stats', readOrganizationStats, () => ({})],
  ['unread_notifications', readUnreadNotifications, () => ({})],
  ['agents created then', byName('agents_by_created_at_newest'), () => from],
  ['tools changed then', byName('tools_by_updated_at_oldest'), () => updated],
  ['tasks that failed', byName('tasks'), () => ({ status: 'failed' })],
  ['tasks of playbooks', byName('tasks'), () => ({ type: 'playbook' })],
  ['tasks of an agent', byName('tasks'), (caller) => ({ agent: firstOf('agent', caller) })],
  [
    'tasks of an agent that failed',
    byName('tasks'),
    (caller) => ({ agent: firstOf('agent', caller), status: 'failed' }),
  ],
  ['agent_summaries', readAgentSummaries, (caller) => ({ ids: firstOf('agent', caller) })],
  ['tasks of nobody', byName('tasks'), () => ({ agent: randomUUID() })],
  ['tasks then', byName('tasks'), () => from],
  ['tasks then, oldest first', byName('tasks_oldest'), () => from],
  ['sessions that failed', byName('sessions'), () => ({ status: 'failed' })],
  ['sessions of an agent', byName('sessions'), (caller) => ({ agent: firstOf('agent', caller) })],
  [
    'webhook_deliveries that failed',
    byName('webhook_deliveries'),
    (caller) => ({ webhook: firstOf('webhook', caller), state: 'failed' }),
  ],
];

/** Twice a short list's page, plus the cost of finding that there is nothing. */
const bound = (shortPage: Answer) => 2 * shortPage.rowsRead + 4 * LIMIT;

/**
 * A search covers the newest members and, of each kind, the newest entries, names with the prefix,
 * and others if the newest are too few.
 */
const [KINDS, NEWEST, NAMED, OLDER, COMPARED, MEMBERS] = [6, 300, 100, 700, 500, 1_000];
const looked = (ofEachKind: number) => KINDS * ofEachKind + MEMBERS;
const searches: readonly (readonly [name: string, read: Read, q: string, rowsMax: number])[] = [
  ['a name', readSearch, 'agent 2999', looked(NEWEST + OLDER)],
  ['a word that everything holds', readSearch, 'returned', looked(NEWEST)],
  ['a letter that many names begin with', readSearch, 'a', looked(NEWEST + NAMED)],
  ['an old word that is rare', readSearch, 'case 123', looked(NEWEST + OLDER)],
  ['a word that nothing holds', readSearch, 'zebra', looked(NEWEST) + COMPARED],
  ['letters that nothing holds', readSearch, 'zq', looked(NEWEST + OLDER) + COMPARED],
  ['tasks with a text', byName('tasks'), 'zebra', LOOKED_MAX],
  ['the oldest tasks with a text', byName('tasks_oldest'), 'zebra', LOOKED_MAX],
];

/** Lists whose filters have no index, with filters that nothing passes. */
const filtered: readonly (readonly [name: string, read: Read, values: Values])[] = [
  ...(['agents', 'articles', 'playbooks', 'tools'] as const).flatMap((list) =>
    lists
      .filter(({ name }) => name.startsWith(`${list}_by_`))
      .map((read) => [read.name, read, { q: 'zebra', from: '2020-01-01' }] as const),
  ),
  ['tasks rated down', byName('tasks'), { rating: 'down' }],
];

type Asking = Awaited<ReturnType<typeof connection>>;

function itSearchesAsManyRows(asking: () => Asking) {
  it.each(searches)('%s', async (_, read, q, rowsMax) => {
    const { rowsRead } = await asking().ask(read, long, { q, limit: 5 });
    expect(rowsRead).toBeLessThanOrEqual(rowsMax + 4 * LIMIT);
  });
}

function itFiltersAsManyRows(asking: () => Asking) {
  it.each(filtered)('%s', async (_, read, values) => {
    const { rows, next, rowsRead } = await asking().ask(read, long, { limit: LIMIT, ...values });
    expect(rows).toEqual([]);
    expect(next).not.toBeNull();
    expect(rowsRead).toBeLessThanOrEqual(2 * LOOKED_MAX + 4 * LIMIT);
  });
}

/** Where a page deep in the list begins, which is the same with each plan; null if there is none. */
const deep = new Map<Case[2], string | null>();
async function deepIn(values: Case[2], read: () => Promise<Answer>): Promise<string | null> {
  const known = deep.get(values);
  if (known !== undefined) return known;
  const { next } = await read();
  deep.set(values, next);
  return next;
}

function itReadsAsManyRows(asking: () => Asking) {
  it.each(cases)('%s', async (_, read, values) => {
    const { ask } = asking();
    const shortPage = await ask(read, short, { limit: LIMIT, ...values(short) });
    const longPage = await ask(read, long, { limit: LIMIT, ...values(long) });
    expect(longPage.rowsRead).toBeLessThanOrEqual(bound(shortPage));
    const next = await deepIn(values, () => ask(read, long, { limit: DEPTH, ...values(long) }));
    if (next === null) return;
    const [cursor_at, cursor_id] = JSON.parse(next);
    const deepPage = await ask(read, long, { limit: LIMIT, cursor_at, cursor_id, ...values(long) });
    expect(deepPage.rows).toHaveLength(LIMIT);
    expect(deepPage.rowsRead).toBeLessThanOrEqual(bound(shortPage));
  });
}

function withConnection(setUp: () => Promise<unknown>) {
  let asking: Asking;
  beforeAll(async () => {
    await setUp();
    asking = await connection();
  });
  afterAll(() => asking[Symbol.asyncDispose]());
  return () => asking;
}

/** With each way in which a read may be planned, in an order in which statistics become newer. */
function withEachPlan(test: (asking: () => Asking) => void) {
  describe('plans of when the product was small', () => test(() => oldConnection));

  describe('statistics of when the product was small', () => test(withConnection(async () => {})));

  describe('the same statistics, planned for each call', () =>
    test(withConnection(() => planEachCall(true))));

  describe('new statistics, planned for each call', () =>
    test(withConnection(() => admin.query('analyze'))));

  describe('new statistics', () => test(withConnection(() => planEachCall(false))));
}

describe('with', () =>
  withEachPlan((asking) => {
    describe('a page of a long list reads as many rows as that of a short one:', () =>
      itReadsAsManyRows(asking));

    describe('a filtered list reads a bounded number of rows:', () => itFiltersAsManyRows(asking));

    describe('a search reads a bounded number of rows:', () => itSearchesAsManyRows(asking));

    it('the progress of embedding reads each passage once', async () => {
      const { rows, rowsRead } = await asking().ask(readMeaningSearch, long, {});
      // A tenth of the articles is deleted.
      expect(rows).toMatchObject({ embedded: 0.9 * LONG });
      expect(rowsRead).toBeLessThanOrEqual(8 * LONG);
    });
  }));

it('the passages for a task are found among many that fit by looking at few articles', async () => {
  const read = await inTenant(admin, long.organizationId, async (client) => {
    const articlesRead = async () => {
      const { rows } = await client.query<{ count: number }>(
        `select sum(pg_stat_get_xact_tuples_returned(oid))::int as count from pg_class
         where oid = 'read_model.articles'::regclass or oid in
           (select indexrelid from pg_index where indrelid = 'read_model.articles'::regclass)`,
      );
      return rows[0]?.count ?? 0;
    };
    const before = await articlesRead();
    const { rows } = await client.query(
      `select from read_model.find_passages('{text}', '{}', 100)`,
    );
    expect(rows).toHaveLength(100);
    return (await articlesRead()) - before;
  });
  // About 556: the best passages, until 500 are of articles that are not deleted. All are 3,000.
  expect(read).toBeLessThan(1_500);
});

async function planEachCall(isSo: boolean) {
  const mode = isSo ? 'force_custom_plan' : 'force_generic_plan';
  const asked = [...cases, ...searches].map(([, read]) => functionName(read));
  asked.push(functionName(readMeaningSearch));
  for (const name of new Set([...asked, 'find_hits', 'find_older', 'search_passages'])) {
    await admin.query(
      `do $$ begin execute (select format('alter function %s set plan_cache_mode = ${mode}',
         p.oid::regprocedure) from pg_proc p where p.proname = '${name}'); end $$`,
    );
  }
}
