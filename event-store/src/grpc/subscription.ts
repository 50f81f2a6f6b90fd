import { randomUUID } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { CommitSignal } from '../storage/commit-signal.ts';
import type { EventRows } from '../storage/event-rows.ts';
import type { StoredEvent } from '../storage/events.ts';
import type { NewestEvents } from '../storage/newest-events.ts';
import { eventBytes } from './event-bytes.ts';
import { FilterTurns } from './event-filter.ts';
import type { ReadRequest } from './read.codec.ts';
import {
  caughtUpResponse,
  checkpointResponse,
  confirmationResponse,
  fellBehindResponse,
} from './read.codec.ts';
import type { ResponseWriter } from './response-writer.ts';

/** A live subscriber with more than this many unread events is reported to have fallen behind. */
const BEHIND_EVENTS_MIN = 1_024;

export type Log = {
  readonly rows: EventRows;
  readonly newest: NewestEvents;
  readonly commits: CommitSignal;
};

/**
 * A catch-up subscription: all events after `from`, then each new one, until the call ends. No events
 * are kept for a subscriber, so a slow one costs nothing but its position.
 */
export async function subscribe(
  { rows, newest, commits }: Log,
  request: ReadRequest,
  writer: ResponseWriter,
  signal: AbortSignal,
): Promise<void> {
  using follower = commits.follow(request.stream);
  const cursor =
    request.stream === null
      ? new AllCursor(rows, newest, request)
      : new StreamCursor(rows, request);
  const checkpoints = new Checkpoints(request.filter?.checkpointInterval ?? null);
  const turns = new FilterTurns(request.filter);
  writer.write(confirmationResponse(randomUUID()));
  let isLive = false;
  while (!writer.isOver) {
    cursor.look();
    if (isLive && cursor.behind() >= BEHIND_EVENTS_MIN) {
      writer.write(fellBehindResponse());
      isLive = false;
    }
    while (cursor.behind() > 0 && !writer.isOver) {
      for (const event of cursor.read()) {
        if (turns.isDueBefore(event)) await nextTurn();
        if (writer.isOver) return;
        send(event, request, checkpoints, writer);
      }
      await writer.flush();
      // A live subscriber learns of events in between with the next commit.
      if (!isLive) cursor.look();
    }
    if (!isLive) {
      checkpoints.atEnd(writer);
      writer.write(caughtUpResponse());
      isLive = true;
    }
    await follower.news(signal);
  }
}

function send(
  event: StoredEvent,
  { filter, hides, uuidForm }: ReadRequest,
  checkpoints: Checkpoints,
  writer: ResponseWriter,
): void {
  if (!hides(event.stream) && (filter === null || filter.matches(event))) {
    writer.write(eventBytes(event, uuidForm), event);
    checkpoints.sent(event);
  }
  checkpoints.searched(event, writer);
}

/**
 * Sends a filtered subscriber the position of the search: at every interval, and when it has caught
 * up.
 */
class Checkpoints {
  readonly #interval: number | null;
  #sinceLast = 0;
  #searched = 0;
  #reported = 0;

  constructor(interval: number | null) {
    this.#interval = interval;
  }

  sent(event: StoredEvent): void {
    this.#reported = event.position;
  }

  searched(event: StoredEvent, writer: ResponseWriter): void {
    if (this.#interval === null) return;
    this.#searched = event.position;
    this.#sinceLast += 1;
    if (this.#sinceLast < this.#interval) return;
    this.#sinceLast = 0;
    this.#reported = event.position;
    writer.write(checkpointResponse(event.position));
  }

  atEnd(writer: ResponseWriter): void {
    if (this.#interval === null || this.#searched <= this.#reported) return;
    this.#reported = this.#searched;
    writer.write(checkpointResponse(this.#searched));
  }
}

const LIMIT = Number.MAX_SAFE_INTEGER;

/** A subscriber's position, relative to the end when it last checked. */
class AllCursor {
  readonly #rows: EventRows;
  readonly #newest: NewestEvents;
  #next: number;
  #head = 0;

  constructor(rows: EventRows, newest: NewestEvents, { from }: ReadRequest) {
    this.#rows = rows;
    this.#newest = newest;
    this.#next = from === 'start' ? 1 : (from === 'end' ? rows.head() : from) + 1;
  }

  look(): void {
    this.#head = this.#rows.head();
  }

  /** How many events it has not read; less than none from beyond the end. */
  behind(): number {
    return this.#head + 1 - this.#next;
  }

  read(): readonly StoredEvent[] {
    const page = this.#newest.page(this.#next, this.#head);
    this.#next += page.length;
    return page;
  }
}

class StreamCursor {
  readonly #rows: EventRows;
  readonly #name: string;
  #number: number | null;
  #next: number;
  #last = -1;

  constructor(rows: EventRows, { stream, from }: ReadRequest) {
    this.#rows = rows;
    this.#name = stream ?? '';
    this.#number = rows.streamNumber(this.#name);
    const last = this.#number === null ? -1 : rows.lastRevision(this.#number);
    this.#next = from === 'start' ? 0 : (from === 'end' ? last : from) + 1;
  }

  look(): void {
    // The stream may be made after its subscriber came.
    this.#number ??= this.#rows.streamNumber(this.#name);
    if (this.#number !== null) this.#last = this.#rows.lastRevision(this.#number);
  }

  behind(): number {
    return this.#last + 1 - this.#next;
  }

  read(): StoredEvent[] {
    if (this.#number === null) return [];
    const page = this.#rows.streamPage(this.#number, 'forwards', this.#next, LIMIT);
    this.#next += page.length;
    return page;
  }
}
