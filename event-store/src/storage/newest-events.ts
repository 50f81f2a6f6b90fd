import type { EventRows } from './event-rows.ts';
import type { StoredEvent } from './events.ts';

const EVENTS_MAX = 128;
const BYTES_MAX = 512 * 1024;

/**
 * Pages of all events forwards, for subscribers. The newest events stay in memory, so that those who
 * follow the log read and check each new one once for all of them. Reads that are no subscriptions
 * always come from the database.
 */
export class NewestEvents {
  readonly #rows: Pick<EventRows, 'allPage'>;
  /** Consecutive, up to the newest that was read. */
  #events: StoredEvent[] = [];
  #bytes = 0;

  constructor(rows: Pick<EventRows, 'allPage'>) {
    this.#rows = rows;
  }

  /** The events from the position `next` on; `head` is the position of the newest that there is. */
  page(next: number, head: number): readonly StoredEvent[] {
    const at = next - (this.#events[0]?.position ?? Number.POSITIVE_INFINITY);
    if (at >= 0 && at < this.#events.length) return this.#events.slice(at);
    const page = this.#rows.allPage('forwards', next, Number.MAX_SAFE_INTEGER);
    // Who catches up reads what no one else will.
    if ((page.at(-1)?.position ?? 0) >= head) this.#keep(page);
    return page;
  }

  #keep(page: readonly StoredEvent[]): void {
    const isNext = this.#events.at(-1)?.position === (page[0]?.position ?? 0) - 1;
    if (!isNext) {
      this.#events = [];
      this.#bytes = 0;
    }
    for (const event of page) {
      this.#events.push(event);
      this.#bytes += bytesOf(event);
    }
    let dropped = 0;
    while (this.#events.length - dropped > EVENTS_MAX || this.#bytes > BYTES_MAX) {
      const oldest = this.#events[dropped];
      if (!oldest) break;
      this.#bytes -= bytesOf(oldest);
      dropped += 1;
    }
    if (dropped > 0) this.#events = this.#events.slice(dropped);
  }
}

const bytesOf = ({ data, metadata }: StoredEvent) => data.byteLength + metadata.byteLength;
