/** The end of a session at the latest. It is deferred while a person decides on a call. */
export class SessionDeadline implements Disposable {
  readonly #late = new AbortController();
  #timer: NodeJS.Timeout | undefined;
  #deadline: string | null = null;

  constructor(deadline: string) {
    this.defer(deadline);
  }

  /** Aborted when the session has taken too long. */
  get late(): AbortSignal {
    return this.#late.signal;
  }

  defer(deadline: string): void {
    if (deadline === this.#deadline) return;
    this.#deadline = deadline;
    clearTimeout(this.#timer);
    const left = Date.parse(deadline) - Date.now();
    const timeoutMs = Math.min(Math.max(left, 0), 2 ** 31 - 1);
    this.#timer = setTimeout(() => this.#late.abort(), timeoutMs);
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer);
  }
}
