import type { EventRows } from './event-rows.ts';
import { DamagedStoreError } from './faults.ts';
import { checkHeadMark } from './head-mark.ts';

const QUICK_CHECK_EVENTS = 1_000;

/**
 * The checks before the first append: no acknowledged event is missing at the end, and the newest
 * events are intact and found through their streams. Returns the position of the last event.
 */
export function quickCheck(dataDir: string, rows: EventRows): number {
  const head = rows.head();
  checkHeadMark(dataDir, head);
  const streams = new Map<string, number>();
  let position = Math.max(1, head - QUICK_CHECK_EVENTS + 1);
  while (position <= head) {
    const page = rows.allPage('forwards', position, head - position + 1);
    if (page.length === 0) throw new DamagedStoreError('the event is missing', position);
    for (const event of page) streams.set(event.stream, event.revision);
    position += page.length;
  }
  for (const [name, revision] of streams) {
    const number = rows.streamNumber(name);
    if (number === null || rows.lastRevision(number) !== revision) {
      throw new DamagedStoreError(`the index does not lead to the end of stream ${name}`);
    }
  }
  return head;
}
