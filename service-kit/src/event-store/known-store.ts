import { setTimeout as pause } from 'node:timers/promises';
import { AccessDeniedError } from '@eventstore/db-client';
import type pg from 'pg';
import { StartRefusal } from '../settings.ts';
import type { EventLog } from './event-log.ts';
import { comparePositions, formatPosition, parsePosition, START } from './position.ts';
import { readAllAfter } from './read-all.ts';

const PAGE = 32;
const PAGE_MAX = 4_096;
const ATTEMPTS_MAX = 20;
const ATTEMPT_MS = 500;

type Parts = { readonly pool: pg.Pool; readonly eventLog: EventLog };

/** Records the first event of the store: from now on, processes refuse any other event store. */
export async function noteFirstEvent(pool: pg.Pool, eventId: string): Promise<void> {
  await pool.query(
    'insert into operational.event_store (first_event_id) values ($1) on conflict do nothing',
    [eventId],
  );
}

/** Throws a StartRefusal if a first event is recorded and the store begins with another one. */
export async function refuseOtherStore({ pool, eventLog }: Parts): Promise<void> {
  const known = await knownFirst(pool);
  if (!known) return;
  const first = await untilAnswered(() => firstEventId(eventLog));
  if (first !== known) throw new StartRefusal(differs(first));
}

/**
 * For writers: like refuseOtherStore, and neither store may lack data that the other one refers to.
 * Records the store if it was not recorded yet. Returns whether it holds events.
 */
export async function checkSameStore({ pool, eventLog }: Parts): Promise<'new' | 'used'> {
  await refuseOtherStore({ pool, eventLog });
  const first = await untilAnswered(() => firstEventId(eventLog));
  const { rows } = await pool.query<{ checkpoint: string | null; used: boolean }>(
    `select (select max(position) from operational.reaction_checkpoints) as checkpoint,
       exists (select from operational.person_keys)
         or exists (select from operational.event_store) as used`,
  );
  const { checkpoint, used } = rows[0] ?? { checkpoint: null, used: false };
  const reached = parsePosition(checkpoint ?? '') ?? START;
  if (!first) {
    if (comparePositions(reached, START) > 0) throw new StartRefusal(differs(null));
    return 'new';
  }
  if (!used && comparePositions(reached, START) === 0) {
    throw new StartRefusal(
      'The event store holds events, and the database knows nothing of them. No data was changed: ' +
        'give the database that belongs to it, or restore a backup of both.',
    );
  }
  const head = (await eventLog.head()) ?? START;
  if (comparePositions(reached, head) > 0) {
    throw new StartRefusal(
      `The event store ends at ${formatPosition(head)}, and the database knows of events up to ` +
        `${formatPosition(reached)}: it is an older copy. No data was changed: restore both from ` +
        'the same backup.',
    );
  }
  await noteFirstEvent(pool, first);
  return 'used';
}

const differs = (first: string | null) =>
  `The event store ${first ? 'is another one than' : 'is empty, and not'} the one that the ` +
  'database belongs to. No data was changed: set EVENTSTORE_URL and DATABASE_URL to a pair.';

async function knownFirst(pool: pg.Pool): Promise<string | null> {
  const { rows } = await pool.query<{ id: string }>(
    'select first_event_id as id from operational.event_store',
  );
  return rows[0]?.id ?? null;
}

/** Null if the store is empty. The server's own events may precede it. */
export async function firstEventId(eventLog: EventLog): Promise<string | null> {
  let position = START;
  for (let count = PAGE; ; count = Math.min(2 * count, PAGE_MAX)) {
    const page = await readAllAfter(eventLog, position, count);
    const [first] = page.events;
    if (first) return first.id;
    if (page.isLast) return null;
    position = page.position;
  }
}

/** A store that starts at the same time may need some seconds more. */
async function untilAnswered<T>(ask: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await ask();
    } catch (error) {
      if (attempt === ATTEMPTS_MAX) {
        throw new StartRefusal(
          error instanceof AccessDeniedError
            ? 'The event store does not know the user of EVENTSTORE_URL, or gives it no right: is ' +
                'its password right, and has migrate made it?'
            : 'The event store does not answer: is EVENTSTORE_URL right?',
          { cause: error },
        );
      }
      await pause(ATTEMPT_MS);
    }
  }
}
