import type pg from 'pg';
import { comparePositions, type Position, parsePosition, START } from '../event-store/position.ts';
import type { Log } from '../log.ts';
import { listen } from './listener.ts';

/** The channel on which the projector announces its position and the changes. */
export const READ_MODELS_CHANNEL = 'read_models';

type Waiter = { position: Position; resolve: (reached: boolean) => void; timer: NodeJS.Timeout };

/** How far the read models are, known without asking. */
export type ReadPosition = AsyncDisposable & {
  current(): Position;
  readonly changes: StreamChanges;
  /** True as soon as the read models have passed `position`; false after `timeoutMs`. */
  reached(position: Position, timeoutMs: number): Promise<boolean>;
};

/** The changes in one notification: organizations and features. */
export type Change = { readonly organizationId: string; readonly features: readonly string[] };

export type ChangeNotification = {
  readonly position: string;
  readonly changes: readonly Change[] | null;
  /** The followed streams that have changed; null if there are too many. */
  readonly streams: readonly string[] | null;
};

/** Kinds of streams that most work reads, and that seldom change: their changes are announced. */
const FOLLOWED: ReadonlySet<string> = new Set(['agent', 'connection', 'organization']);

export const isFollowed = (stream: string): boolean =>
  FOLLOWED.has(stream.slice(0, stream.indexOf('-')));

/** Older changes are forgotten: streams may have changed then. */
const STREAMS_MAX = 10_000;

/** Which of the followed streams have changed, as far as the read models are. */
export class StreamChanges {
  readonly #current: () => Position;
  /** When streams changed, by the number of the notification. */
  readonly #changed = new Map<string, number>();
  #notifications = 0;
  #unknown = 0;

  /** By default the read models are never known to have any event. */
  constructor(current: () => Position = () => START) {
    this.#current = current;
  }

  note(streams: readonly string[] | null | undefined): void {
    this.#notifications += 1;
    for (const stream of streams ?? []) this.#changed.set(stream, this.#notifications);
    if (streams && this.#changed.size <= STREAMS_MAX) return;
    this.#changed.clear();
    this.#unknown = this.#notifications;
  }

  /** For `unchangedTo`, taken before the stream is read. */
  mark(): number {
    return this.#notifications;
  }

  /** The position until which a stream has not changed since the mark, as far as is known. */
  unchangedTo(stream: string, mark: number): Position {
    const changedAt = Math.max(this.#changed.get(stream) ?? 0, this.#unknown);
    return changedAt <= mark && isFollowed(stream) ? this.#current() : START;
  }
}

/**
 * Receives changes; null if there are too many to list, or some were missed. `position` is that of
 * the read models at the time; null if they were ahead before, so that it cannot be compared.
 */
export type OnChange = (changes: readonly Change[] | null, position: Position | null) => void;

/** Any connection may notify: other payloads are ignored. */
function parseNotification(payload: string): ChangeNotification | null {
  try {
    return JSON.parse(payload) as ChangeNotification;
  } catch {
    return null;
  }
}

/** Follows the projector's notifications. */
export async function followReadModels(options: {
  url: string;
  log: Log;
  onChange?: OnChange;
}): Promise<ReadPosition> {
  let current = START;
  const changes = new StreamChanges(() => current);
  const waiters = new Set<Waiter>();

  function moveTo(position: Position) {
    current = position;
    for (const waiter of waiters) {
      if (comparePositions(waiter.position, current) > 0) continue;
      clearTimeout(waiter.timer);
      waiters.delete(waiter);
      waiter.resolve(true);
    }
  }

  async function readCheckpoint(client: pg.Client) {
    const { rows } = await client.query<{ position: string | null }>(
      'select read_model.read_position() as position',
    );
    // Further back than before, where the database died with rows that it had not stored yet.
    const position = parsePosition(rows[0]?.position ?? '') ?? START;
    const isBack = comparePositions(position, current) < 0;
    changes.note(null);
    moveTo(position);
    options.onChange?.(null, isBack ? null : position);
  }

  const listener = await listen({
    url: options.url,
    log: options.log,
    channels: [READ_MODELS_CHANNEL],
    onConnect: readCheckpoint,
    onNotification(_, payload) {
      const notification = parseNotification(payload);
      if (!notification) return;
      const position = parsePosition(notification.position);
      const isAhead = position !== null && comparePositions(position, current) > 0;
      changes.note(notification.streams);
      if (isAhead) moveTo(position);
      options.onChange?.(notification.changes, isAhead ? position : null);
    },
  });

  return {
    current: () => current,
    changes,
    reached(position, timeoutMs) {
      if (comparePositions(position, current) <= 0) return Promise.resolve(true);
      return new Promise((resolve) => {
        const waiter: Waiter = {
          position,
          resolve,
          timer: setTimeout(() => {
            waiters.delete(waiter);
            resolve(false);
          }, timeoutMs),
        };
        waiters.add(waiter);
      });
    },
    async [Symbol.asyncDispose]() {
      for (const { timer, resolve } of waiters) {
        clearTimeout(timer);
        resolve(false);
      }
      waiters.clear();
      await listener[Symbol.asyncDispose]();
    },
  };
}
