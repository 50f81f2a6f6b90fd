import { FORWARDS } from '@eventstore/db-client';
import { type EventLog, type StoredEvent, toStored } from './event-log.ts';
import { comparePositions, type Position, START } from './position.ts';

export type Page = {
  readonly events: readonly StoredEvent[];
  /** The position to resume from; the server's own events move it too. */
  readonly position: Position;
  readonly isLast: boolean;
};

/** The events after `from`, `countMax` at most, in the order of the store. */
export async function readAllAfter(
  { client }: EventLog,
  from: Position,
  countMax: number,
): Promise<Page> {
  const events: StoredEvent[] = [];
  let position = from;
  let count = 0;
  const isStart = comparePositions(from, START) === 0;
  // A read begins with the event at the position itself.
  const maxCount = isStart ? countMax : countMax + 1;
  const read = client.readAll({
    direction: FORWARDS,
    fromPosition: isStart ? 'start' : from,
    maxCount,
  });
  for await (const resolved of read) {
    count += 1;
    const at = (resolved.event as { position?: Position } | undefined)?.position;
    if (!at || comparePositions(at, from) <= 0) continue;
    position = { commit: at.commit, prepare: at.prepare };
    const event = toStored(resolved);
    if (event) events.push(event);
  }
  return { events, position, isLast: count < maxCount };
}
