import {
  getPostgreSQLEventStore,
  pongoMultiStreamProjection,
  rebuildPostgreSQLProjections,
} from '@event-driven-io/emmett-postgresql';
import { openPool } from '@tallyhand/service-kit/postgres/pool';
import { newCast } from '../bench/src/history/cast.ts';
import { taskEvents } from '../bench/src/history/streams.ts';

const EVENTS_A_TASK = 5;
/** As the product's own projector takes them. */
const EVENTS_A_BATCH = 500;
const TASK = ['TaskRequested', 'TaskStarted', 'TaskSucceeded'];
const LEDGER = ['CreditsReserved', 'CreditsCharged'];

/** `eventsEach`: how many events become one document, 0 for all. */
const collections = [
  { name: 'tasks', of: TASK, idOf: ({ data }) => String(data.taskId), eventsEach: TASK.length },
  { name: 'entries', of: LEDGER, idOf: ({ metadata }) => metadata.messageId, eventsEach: 1 },
  { name: 'balances', of: LEDGER, idOf: ({ data }) => String(data.organizationId), eventsEach: 0 },
  {
    name: 'audit',
    of: [...TASK, ...LEDGER],
    idOf: ({ metadata }) => metadata.messageId,
    eventsEach: 1,
  },
];

/*
 * Emmett on PostgreSQL with the events of the same tasks, and its own rebuild of four read models:
 * tasks, the ledger's entries and balances, and what an audit log holds, without journal, hashes,
 * search and checks. That is less than the product writes.
 */
const { emmettUrl, events } = JSON.parse(process.argv[2] ?? '{}');

const projections = collections.map(({ name, of, idOf }) =>
  pongoMultiStreamProjection({
    collectionName: name,
    canHandle: [...of],
    getDocumentId: idOf,
    initialState: () => ({ last: '', count: 0 }),
    evolve: ({ count }, { type, data }) => ({
      ...data,
      last: type,
      count: count + 1,
    }),
  }),
);

/** One append after the other: a rebuild passes over events whose transactions overlapped. */
async function fill(tasks) {
  const store = getPostgreSQLEventStore(emmettUrl);
  const cast = await newCast(async () => {});
  const append = (name, all) =>
    store.appendToStream(
      name,
      all.map(({ type, data }) => ({ type, data })),
    );
  for (let task = 0; task < tasks; task += 1) {
    const { ledger, stream } = taskEvents(cast, cast.agents[0] ?? '');
    await append(stream.name, stream.events);
    await append(`reservation-${stream.name}`, ledger);
  }
  await store.close();
}

/** Milliseconds. */
async function rebuild() {
  const pulling = { batchSize: EVENTS_A_BATCH, pullingFrequencyInMs: 1 };
  const options = { connectionString: emmettUrl, projections, pulling };
  const consumer = rebuildPostgreSQLProjections(options);
  const began = performance.now();
  await consumer.start();
  const ms = performance.now() - began;
  await consumer.close();
  return ms;
}

/** Every event is in its document, in each collection. */
async function check(tasks) {
  const pool = openPool(emmettUrl, 1);
  try {
    for (const { name, of, eventsEach } of collections) {
      const { rows } = await pool.query(
        `select count(*)::int as documents, sum((data->>'count')::int)::int as events from ${name}`,
      );
      const seen = tasks * of.length;
      const documents = eventsEach === 0 ? 1 : seen / eventsEach;
      if (rows[0]?.documents === documents && rows[0].events === seen) continue;
      throw new Error(`${name} has ${JSON.stringify(rows[0])} of ${documents} and ${seen}`);
    }
  } finally {
    await pool.end();
  }
}

const tasks = Math.ceil(events / EVENTS_A_TASK);
await fill(tasks);
const ms = await rebuild();
await check(tasks);
process.once('disconnect', () => process.exit(0));
process.send?.({ perSecond: (tasks * EVENTS_A_TASK * 1000) / ms });
