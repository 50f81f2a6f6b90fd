import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { StoredEvent } from './events.ts';
import { NewestEvents } from './newest-events.ts';

/** A log that grows, and the pages that were read from it. */
function logOf(sizeOf: (position: number) => number = () => 10) {
  const log = { head: 0, reads: [] as number[] };
  const event = (position: number) =>
    ({
      position,
      data: new Uint8Array(sizeOf(position)),
      metadata: new Uint8Array(0),
    }) as StoredEvent;
  const allPage = (_: string, from: number) => {
    log.reads.push(from);
    const length = Math.max(0, Math.min(128, log.head + 1 - from));
    return Array.from({ length }, (_each, at) => event(from + at));
  };
  return { log, newest: new NewestEvents({ allPage }) };
}
const positions = (page: readonly StoredEvent[]) => page.map(({ position }) => position);

describe('the newest events', () => {
  it('are read once for all who follow', () => {
    const { log, newest } = logOf();
    for (const head of [3, 4, 9]) {
      const from = log.head + 1;
      log.head = head;
      const pages = [1, 2, 3].map(() => positions(newest.page(from, head)));
      expect(new Set(pages.map(String)).size).toBe(1);
      expect(pages[0]?.at(-1)).toBe(head);
    }
    expect(log.reads).toEqual([1, 4, 5]);
  });

  it('are not replaced by those of a reader who is far behind', () => {
    const { log, newest } = logOf();
    log.head = 1_000;
    newest.page(999, 1_000);
    expect(positions(newest.page(1, 1_000))).toHaveLength(128);
    newest.page(999, 1_000);
    expect(log.reads).toEqual([999, 1]);
  });

  it('are forgotten beyond half a megabyte', () => {
    const { log, newest } = logOf(() => 300 * 1024);
    log.head = 3;
    newest.page(1, 3);
    newest.page(1, 3);
    newest.page(3, 3);
    expect(log.reads).toEqual([1, 1]);
  });

  it('give each follower every event once, in order', () => {
    const step = fc.record({ who: fc.nat(3), grows: fc.nat(150), bytes: fc.nat(9_000) });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const sizes: number[] = [];
        const { log, newest } = logOf((position) => sizes[position] ?? 0);
        const next = [1, 1, 1, 1];
        for (const { who, grows, bytes } of steps) {
          for (let more = 0; more < grows; more += 1) sizes[log.head + 1 + more] = bytes;
          log.head += grows;
          const from = next[who] ?? 1;
          const page = positions(newest.page(from, log.head));
          expect(page).toEqual(page.map((_, at) => from + at));
          expect(page.length > 0).toBe(log.head >= from);
          next[who] = from + page.length;
        }
      }),
    );
  });
});
