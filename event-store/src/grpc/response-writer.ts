import { setImmediate as nextTurn } from 'node:timers/promises';
import type { ReadReq, ReadResp } from '@eventstore/db-client/generated/streams_pb.js';
import type { Metadata, ServerWritableStream } from '@grpc/grpc-js';
import type { StoredEvent } from '../storage/events.ts';
import { wireOf } from './wire.ts';

/** A response, or its bytes. */
export type ReadResponse = ReadResp | Buffer;
export type ReadCall = ServerWritableStream<ReadReq, ReadResponse>;

/** How much a client may leave unread before its call waits: a page of events. */
const UNREAD_BYTES_MAX = 512 * 1024;
/** The overhead of a message beside the event's bytes. */
const MESSAGE_BYTES = 512;

/** Writes no faster than the client reads, so that a slow one costs two pages of memory at most. */
export class ResponseWriter {
  readonly #call: ReadCall;
  readonly #signal: AbortSignal;
  readonly #unread: UnreadAnswers;
  #unreadBytes = 0;
  #resume: (() => void) | null = null;

  constructor(call: ReadCall, signal: AbortSignal, unread: UnreadAnswers) {
    this.#call = call;
    this.#signal = signal;
    this.#unread = unread;
    signal.addEventListener('abort', () => {
      unread.forget(call);
      this.#resume?.();
    });
  }

  /** Whether the call is over, so that the rest can be left. */
  get isOver(): boolean {
    return this.#signal.aborted;
  }

  /** `event` is the one that the response carries, if any. */
  write(response: ReadResponse, event?: StoredEvent): void {
    if (this.isOver) return;
    const bytes = MESSAGE_BYTES + (event ? event.data.length + event.metadata.length : 0);
    this.#unreadBytes += bytes;
    this.#call.write(response, () => {
      this.#unreadBytes -= bytes;
      this.#unread.taken(this.#call, bytes);
      if (this.#unreadBytes < UNREAD_BYTES_MAX) this.#resume?.();
    });
    this.#unread.written(this.#call, bytes);
  }

  /** Waits until the client has read enough, and yields to other calls. */
  async flush(): Promise<void> {
    if (this.#unreadBytes < UNREAD_BYTES_MAX || this.isOver) return nextTurn();
    await new Promise<void>((resolve) => {
      this.#resume = resolve;
    });
    this.#resume = null;
  }
}

/** The limit of all calls together for data that their clients have not read. */
const ALL_UNREAD_BYTES_MAX = 32 * 1024 * 1024;

type Call = { readonly metadata: Metadata };

/**
 * Bounds the memory of clients that do not read: when all of them together leave too much unread,
 * the one that has read nothing for the longest time is cut off.
 */
export class UnreadAnswers {
  /** Ordered by the time of the last read, oldest first. */
  readonly #calls = new Map<Call, number>();
  #bytes = 0;

  written(call: Call, bytes: number): void {
    this.#calls.set(call, (this.#calls.get(call) ?? 0) + bytes);
    this.#bytes += bytes;
    while (this.#bytes > ALL_UNREAD_BYTES_MAX) {
      const [slowest] = this.#calls.keys();
      if (slowest === undefined) return;
      this.forget(slowest);
      wireOf(slowest)?.cut();
    }
  }

  taken(call: Call, bytes: number): void {
    const unread = this.#calls.get(call);
    if (unread === undefined) return;
    this.#calls.delete(call);
    if (unread > bytes) this.#calls.set(call, unread - bytes);
    this.#bytes -= bytes;
  }

  forget(call: Call): void {
    this.#bytes -= this.#calls.get(call) ?? 0;
    this.#calls.delete(call);
  }
}
