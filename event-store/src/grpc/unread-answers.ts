import type { Metadata } from '@grpc/grpc-js';
import { wireOf } from './wire.ts';

/** The limit of all calls together for data that their clients have not read. */
const UNREAD_BYTES_MAX = 32 * 1024 * 1024;

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
    while (this.#bytes > UNREAD_BYTES_MAX) {
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
