import { setImmediate as nextTurn } from 'node:timers/promises';
import type { ReadReq, ReadResp } from '@eventstore/db-client/generated/streams_pb.js';
import type { ServerWritableStream } from '@grpc/grpc-js';
import type { StoredEvent } from '../storage/events.ts';
import type { UnreadAnswers } from './unread-answers.ts';

export type ReadCall = ServerWritableStream<ReadReq, ReadResp>;

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
  write(response: ReadResp, event?: StoredEvent): void {
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
