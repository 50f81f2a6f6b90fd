import { setTimeout as pause } from 'node:timers/promises';
import { NEXT_SCHEMA, SCHEMA } from '@tallyhand/read-models/kernel/schema';
import type { StoredEvent } from '@tallyhand/service-kit/event-store/event-log';
import { counter } from '@tallyhand/service-kit/metrics/counter';
import {
  type KyselyPlugin,
  OperationNodeTransformer,
  type RawNode,
  type RootOperationNode,
  sql,
} from 'kysely';
import { countLater, type Exceptions, parkStream, readExceptions } from './parked-streams.ts';
import type { AtEnd, Helpers, Projection, Transact, Tx } from './projection.ts';
import { isTransient } from './transact.ts';

/** The tables that events are applied to, and how. */
type Target = {
  readonly tx: Tx;
  /** The same transaction for projections, which name the tables in use. */
  readonly inSchema: Tx;
  readonly isNext: boolean;
  readonly helpers: Helpers;
  readonly exceptions: Exceptions;
  /** A failing event parks its stream and the others continue; otherwise the batch fails. */
  readonly isolates: boolean;
};

export const openTarget = async (
  tx: Tx,
  options: Pick<Target, 'isNext' | 'helpers' | 'isolates'>,
): Promise<Target> => ({
  ...options,
  tx,
  inSchema: inSchema(tx, options.isNext),
  exceptions: await readExceptions(tx, options.isNext),
});

/** Applies events that are neither parked nor skipped; returns the organizations that changed. */
export async function applyEvents(
  target: Target,
  projection: Projection,
  events: readonly StoredEvent[],
): Promise<ReadonlySet<string>> {
  const { tx, isNext, exceptions, isolates } = target;
  const { name } = projection.model;
  const kept = events.filter(({ id }) => !exceptions.isSkipped(name, id));
  const { parked = [], open = [] } = Object.groupBy(kept, ({ stream }) =>
    exceptions.isParked(name, stream) ? 'parked' : 'open',
  );
  if (parked.length > 0) await countLater(tx, isNext, name, parked);
  if (open.length === 0) return new Set();
  if (!isolates) return projection.apply(target.inSchema, open, target.helpers);
  await sql`savepoint attempt`.execute(tx);
  try {
    const touched = await projection.apply(target.inSchema, open, target.helpers);
    await sql`release savepoint attempt`.execute(tx);
    return touched;
  } catch (error) {
    if (isTransient(error)) throw error;
    await sql`rollback to savepoint attempt`.execute(tx);
    await sql`release savepoint attempt`.execute(tx);
    return applyApart(target, projection, open, error);
  }
}

/** Bisects to find the failing event; the first half may park streams of the second. */
async function applyApart(
  target: Target,
  projection: Projection,
  events: readonly StoredEvent[],
  error: unknown,
): Promise<ReadonlySet<string>> {
  const [first] = events;
  if (first && events.length === 1) {
    const { name } = projection.model;
    if (projection.isWhole) throw error;
    await parkStream(target.tx, target.isNext, name, first, error);
    target.exceptions.park(name, first.stream);
    const { id, type, stream } = first;
    const what = { projection: name, stream, eventId: id, type };
    target.helpers.log.error('a stream is parked: a projection failed on one of its events', {
      ...what,
      error: error instanceof Error ? error.message : String(error),
    });
    return new Set();
  }
  const middle = Math.floor(events.length / 2);
  const left = await applyEvents(target, projection, events.slice(0, middle));
  const right = await applyEvents(target, projection, events.slice(middle));
  return new Set([...left, ...right]);
}

const retries = counter({
  name: 'tallyhand_projection_retries_total',
  help: 'Batches of events that were retried after a failure.',
  known: [{}],
});

const TRIES_MAX = 4;
const FIRST_PAUSE_MS = 20;
/** Faults come in groups: for this long after one, a failing batch is not retried first. */
const FAULTY_MS = 60_000;

export type Attempts = {
  run<T>(work: (tx: Tx, isolates: boolean, atEnd: AtEnd) => Promise<T>): Promise<T>;
};

/** Retries a batch a few times before it isolates the failing event. */
export function attempts(transact: Transact, stop: AbortSignal): Attempts {
  let isolatedAt = Number.NEGATIVE_INFINITY;
  return {
    async run(work) {
      const isFaulty = performance.now() - isolatedAt < FAULTY_MS;
      const tries = isFaulty ? 1 : TRIES_MAX;
      for (let attempt = 1; attempt <= tries; attempt += 1) {
        try {
          return await transact((tx, atEnd) => work(tx, false, atEnd));
        } catch (error) {
          retries.add({});
          if (isTransient(error) || stop.aborted) throw error;
        }
        const isLast = attempt === tries;
        if (!isLast) await pause(FIRST_PAUSE_MS * 2 ** (attempt - 1), undefined, { signal: stop });
      }
      isolatedAt = performance.now();
      return transact((tx, atEnd) => work(tx, true, atEnd));
    },
  };
}

const NAMED_SCHEMA = new RegExp(`\\b${SCHEMA}\\.`, 'g');

/** Replaces the schema in raw SQL. */
class NextSchemaTransformer extends OperationNodeTransformer {
  protected override transformRaw(node: RawNode): RawNode {
    const raw = super.transformRaw(node);
    const sqlFragments = raw.sqlFragments.map((text) =>
      text.replace(NAMED_SCHEMA, `${NEXT_SCHEMA}.`),
    );
    return { ...raw, sqlFragments };
  }
}

const transformer = new NextSchemaTransformer();
const nextSchema: KyselyPlugin = {
  transformQuery: ({ node }): RootOperationNode => transformer.transformNode(node),
  transformResult: async ({ result }) => result,
};

/** The transaction of a projection, on the tables in use or on the next ones. */
const inSchema = (tx: Tx, isNext: boolean): Tx =>
  (isNext ? tx.withPlugin(nextSchema).withSchema(NEXT_SCHEMA) : tx.withSchema(SCHEMA)) as Tx;
