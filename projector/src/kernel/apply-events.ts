import { setTimeout as pause } from 'node:timers/promises';
import type { StoredEvent } from '@tallyhand/service-kit/event-store/event-log';
import { counter } from '@tallyhand/service-kit/metrics/counter';
import { sql } from 'kysely';
import { inSchema } from './in-schema.ts';
import { countLater, type Exceptions, parkStream, readExceptions } from './parked-streams.ts';
import type { Helpers, Projection, Tx } from './projection.ts';
import type { AtEnd, Transact } from './transact.ts';
import { isTransient } from './transient.ts';

/** What events are applied with, and to which tables. */
export type Target = {
  readonly tx: Tx;
  readonly isNext: boolean;
  readonly helpers: Helpers;
  readonly exceptions: Exceptions;
  /** A failing event parks its stream and leaves the others alone; without it all fails. */
  readonly isolates: boolean;
};

export const openTarget = async (
  tx: Tx,
  options: Pick<Target, 'isNext' | 'helpers' | 'isolates'>,
): Promise<Target> => ({
  ...options,
  tx,
  exceptions: await readExceptions(tx, options.isNext),
});

/** Applies what the projection does not leave out; gives whose rows may have changed. */
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
  if (!isolates) return projection.apply(inSchema(tx, isNext), open, target.helpers);
  await sql`savepoint attempt`.execute(tx);
  try {
    const touched = await projection.apply(inSchema(tx, isNext), open, target.helpers);
    await sql`release savepoint attempt`.execute(tx);
    return touched;
  } catch (error) {
    if (isTransient(error)) throw error;
    await sql`rollback to savepoint attempt`.execute(tx);
    await sql`release savepoint attempt`.execute(tx);
    return applyApart(target, projection, open, error);
  }
}

/** The failing event is found by halves; the first half may park streams of the second. */
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
  help: 'Batches of events that were tried again, since the database or an event made them fail.',
  known: [{}],
});

const TRIES_MAX = 4;
const FIRST_PAUSE_MS = 20;
/** One fault brings others: they are not waited for while the last one is as fresh as this. */
const FAULTY_MS = 60_000;

export type Attempts = {
  run<T>(work: (tx: Tx, isolates: boolean, atEnd: AtEnd) => Promise<T>): Promise<T>;
};

/** Tries a batch again a few times before the event that fails is told apart from the others. */
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
