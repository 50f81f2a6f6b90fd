/** Between one and two times as many ids are remembered. */
const GENERATION_IDS = 65_536;

/**
 * Positions of the newest events by their ids, for repeated appends without a revision. As in
 * EventStoreDB only recent ones are known (appends with a revision are compared with stored events,
 * however old): an index of all ids would cost each append a random page, a quarter of the speed.
 */
export class RecentIds {
  #current = new Map<string, number>();
  #previous = new Map<string, number>();

  /** `key` is the id's sixteen bytes as a latin1 string, the smallest key of a Map. */
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
