/** Between one and two times as many ids are remembered. */
const GENERATION_IDS = 65_536;

/**
 * Where the newest events stand, by their ids, for appends that are repeated without expecting a
 * revision. As in EventStoreDB only recent ones are known (one with a revision is compared with
 * what is stored, however old): an index of all ids would cost each append a random page, a quarter
 * of the speed.
 */
export class RecentIds {
  #current = new Map<string, number>();
  #previous = new Map<string, number>();

  /** `key` is the id's sixteen bytes as a latin1 string, which is the smallest that a Map takes. */
  add(key: string, position: number): void {
    if (this.#current.size >= GENERATION_IDS) {
      this.#previous = this.#current;
      this.#current = new Map();
    }
    this.#current.set(key, position);
  }

  /** The position of the newest event with the id, or null. */
  find(key: string): number | null {
    return this.#current.get(key) ?? this.#previous.get(key) ?? null;
  }
}

export function recentKey(id: Uint8Array): string {
  return Buffer.from(id.buffer, id.byteOffset, id.byteLength).toString('latin1');
}
