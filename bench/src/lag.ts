import { openEventLog } from '@tallyhand/service-kit/event-store/event-log';
import { jsonLog } from '@tallyhand/service-kit/log';
import { roleUrl } from '@tallyhand/service-kit/postgres/pool';
import { followReadModels } from '@tallyhand/service-kit/postgres/read-position';
import { newCast } from './history/cast.ts';
import { taskEvents } from './history/streams.ts';
import { keepKeysIn } from './history/write-history.ts';
import { startBackends } from './ledger-backends.ts';
import { openLoop, percentile } from './load.ts';
import { startProjecting } from './projecting.ts';
import { ms, type Row, row } from './table.ts';

const EVENTS_A_SECOND = 1_000;
const EVENTS_AN_APPEND = 2;
const ORGANIZATIONS = 20;
const SECONDS = 15;
const WARM_UP_SECONDS = 3;
const REACHED_MS_MAX = 30_000;

/** P5: from an acknowledged append to the word that the read models have it. */
export async function measureLag(): Promise<Row[]> {
  await using backends = await startBackends();
  const { databaseUrl, eventStoreUrl, masterKey } = backends.kit;
  await using projecting = await startProjecting(backends.kit);
  const url = roleUrl(databaseUrl, masterKey, 'query');
  await using readPosition = await followReadModels({ url, log: jsonLog('bench', 'warn') });
  const eventLog = openEventLog(eventStoreUrl);
  await using _closed = { [Symbol.asyncDispose]: () => eventLog.close() };
  const keepKey = keepKeysIn(projecting.admin, masterKey);
  const ledgers = await Promise.all(
    Array.from({ length: ORGANIZATIONS }, () => newLedger(keepKey)),
  );
  const lags: number[] = [];

  async function appendPair(index: number) {
    const ledger = ledgers[index % ORGANIZATIONS];
    if (!ledger) return;
    // A chain has one writer at a time: the next pair waits for the one before.
    const appended = ledger.last.then((revision) =>
      eventLog.append(
        ledger.stream,
        taskEvents(ledger.cast, ledger.cast.agents[0] ?? '').ledger,
        revision,
      ),
    );
    ledger.last = appended.then(({ revision }) => revision);
    const { position } = await appended;
    const acknowledged = performance.now();
    if (!(await readPosition.reached(position, REACHED_MS_MAX))) throw new Error('Never reached');
    lags.push(performance.now() - acknowledged);
  }
  const perSecond = EVENTS_A_SECOND / EVENTS_AN_APPEND;
  await openLoop(perSecond, perSecond * WARM_UP_SECONDS, appendPair);
  lags.length = 0;
  const load = await openLoop(perSecond, perSecond * SECONDS, appendPair);
  await checkRows(projecting.admin, perSecond * (WARM_UP_SECONDS + SECONDS) * EVENTS_AN_APPEND);
  const reached = load.perSecond * EVENTS_AN_APPEND;
  return [
    row('P5 events/s appended, an open loop', reached.toFixed(0), String(EVENTS_A_SECOND)),
    row('projection lag from the acknowledged append: p50', ms(percentile(lags, 0.5))),
    row('P5 the same: p99', ms(percentile(lags, 0.99)), '50 ms; 15 ms'),
  ];
}

async function newLedger(keepKey: ReturnType<typeof keepKeysIn>) {
  const cast = await newCast(keepKey);
  const stream = `ledger-${cast.organizationId}`;
  return { cast, stream, last: Promise.resolve<bigint | null>(null) };
}

type Admin = Awaited<ReturnType<typeof startProjecting>>['admin'];

/** All of it became rows, and nothing is wrong with the chains. */
async function checkRows(admin: Admin, events: number) {
  const { rows } = await admin.query<{ entries: number; audited: number; differences: number }>(
    `select (select count(*)::int from read_model.ledger_entries) as entries,
       (select count(*)::int from read_model.audit_entries) as audited,
       (select count(*)::int from read_model.ledger_checks) as differences`,
  );
  const { entries, audited, differences } = rows[0] ?? {};
  if (entries === events && audited === events && differences === 0) return;
  throw new Error(`${events} events left ${JSON.stringify(rows[0])}`);
}
