import { type AllStreamSubscription, excludeSystemEvents } from '@eventstore/db-client';
import { type EventLog, type StoredEvent, toStored } from './event-log.ts';
import { comparePositions, type Position, START } from './position.ts';

export type Resolved = Parameters<typeof toStored>[0];

/** What receives the events of a subscription, in order. */
export type Receiver = {
  readonly eventLog: EventLog;
  /** `event` is null for events of others. */
  take(resolved: Resolved, event: StoredEvent | null, position: Position): void;
  /** The subscription has ended. */
  fail(error: Error): void;
  /** Gets no more events from here: it needs a subscription of its own. */
  leave(): void;
};

/** By the address of the event store: the one that others may join. */
const shared = new Map<string, Subscription>();

/**
 * A subscription to all events. Receivers of a process that have caught up share one: to send, receive
 * and read each event several times costs much of what is done with it.
 */
export class Subscription {
  readonly #eventLog: EventLog;
  readonly #receivers = new Set<Receiver>();
  readonly #stream: AllStreamSubscription;
  /** Of its newest event. */
  #position: Position;

  constructor(first: Receiver, from: Position) {
    this.#eventLog = first.eventLog;
    this.#receivers.add(first);
    this.#position = from;
    this.#stream = first.eventLog.client.subscribeToAll({
      fromPosition: comparePositions(from, START) === 0 ? 'start' : from,
      filter: excludeSystemEvents(),
    });
    this.#stream.on('data', (resolved) => this.#receive(resolved as Resolved));
    this.#stream.on('error', (error) => this.#fail(error));
    this.#stream.on('end', () => this.#fail(new Error('The subscription ended')));
  }

  /**
   * The subscription that a receiver with all events of the store gets the next ones from: that of
   * others if it has none that this one lacks, otherwise this one, which others may join from now on.
   */
  share(receiver: Receiver): Subscription {
    const other = shared.get(this.#eventLog.address);
    if (other === this || this.isPaused) return this;
    if (!other) {
      shared.set(this.#eventLog.address, this);
      return this;
    }
    if (comparePositions(this.#position, other.#position) < 0) return this;
    other.#receivers.add(receiver);
    void this.end(receiver);
    return other;
  }

  get isPaused(): boolean {
    return this.#stream.isPaused();
  }

  resume(): void {
    this.#stream.resume();
  }

  /** Stops for a receiver that has too much to do: the others go on. */
  pause(receiver: Receiver): void {
    if (this.#receivers.size > 1) {
      receiver.leave();
      void this.end(receiver);
    } else {
      this.unshare();
      this.#stream.pause();
    }
  }

  /** Ends with the last receiver of its event log, which is closed next. */
  async end(receiver: Receiver): Promise<void> {
    this.#receivers.delete(receiver);
    const isUsed = [...this.#receivers].some(({ eventLog }) => eventLog === this.#eventLog);
    if (isUsed) return;
    this.unshare();
    for (const other of this.#receivers) other.leave();
    this.#receivers.clear();
    await this.#stream.unsubscribe().catch(() => {});
  }

  /** No others join it from now on. */
  unshare(): void {
    const { address } = this.#eventLog;
    if (shared.get(address) === this) shared.delete(address);
  }

  #receive(resolved: Resolved): void {
    const { position } = (resolved.event ?? {}) as { readonly position?: Position };
    if (!position) return;
    this.#position = position;
    const event = toStored(resolved);
    for (const receiver of this.#receivers) receiver.take(resolved, event, position);
  }

  #fail(error: Error): void {
    for (const receiver of this.#receivers) receiver.fail(error);
  }
}
