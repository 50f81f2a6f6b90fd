import { once } from 'node:events';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { ReadReq, ReadResp } from '@eventstore/db-client/generated/streams_pb.js';
import type { ServerWritableStream } from '@grpc/grpc-js';

export type ReadCall = ServerWritableStream<ReadReq, ReadResp>;

/**
 * Writes no faster than the client takes it, so that a slow one costs a page of memory and not its
 * whole backlog.
 */
export class ResponseWriter {
  readonly #call: ReadCall;
  readonly #signal: AbortSignal;
  #isFull = false;

  constructor(call: ReadCall, signal: AbortSignal) {
    this.#call = call;
    this.#signal = signal;
  }

  /** Whether the call is over, so that the rest can be left. */
  get isOver(): boolean {
    return this.#signal.aborted;
  }

  write(response: ReadResp): void {
    if (!this.isOver) this.#isFull = !this.#call.write(response);
  }

  /** Waits until the client has taken what was written, and lets other calls have a turn. */
  async flush(): Promise<void> {
    if (this.#isFull && !this.isOver) {
      // An abort is not a fault here: the reader looks at `isOver`.
      await once(this.#call, 'drain', { signal: this.#signal }).catch(() => {});
      this.#isFull = false;
    } else {
      await nextTurn();
    }
  }
}
