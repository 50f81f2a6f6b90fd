/** Wakes the followers of a stream, or of all (null), after a commit. */
export class CommitSignal {
  readonly #followers = new Map<string | null, Set<CommitFollower>>();

  follow(stream: string | null): CommitFollower {
    const follower = new CommitFollower(() => this.#remove(stream, follower));
    const followers = this.#followers.get(stream) ?? new Set();
    this.#followers.set(stream, followers.add(follower));
    return follower;
  }

  announce(streams: Iterable<string>): void {
    for (const name of [null, ...streams]) {
      for (const follower of this.#followers.get(name) ?? []) follower.wake();
    }
  }

  #remove(stream: string | null, follower: CommitFollower): void {
    const followers = this.#followers.get(stream);
    followers?.delete(follower);
    if (followers?.size === 0) this.#followers.delete(stream);
  }
}

/**
 * Remembers a commit that came while its owner was busy, so that none is missed between reading and
 * waiting.
 */
class CommitFollower implements Disposable {
  readonly #onDispose: () => void;
  #hasNews = false;
  #resolve: (() => void) | null = null;

  constructor(onDispose: () => void) {
    this.#onDispose = onDispose;
  }

  wake(): void {
    this.#hasNews = true;
    this.#resolve?.();
    this.#resolve = null;
  }

  /**
   * Resolves at the next commit, at once when one came since the last call, and when the signal
   * aborts.
   */
  async news(signal: AbortSignal): Promise<void> {
    if (!this.#hasNews && !signal.aborted) {
      await new Promise<void>((resolve) => {
        const done = () => {
          signal.removeEventListener('abort', done);
          resolve();
        };
        this.#resolve = done;
        signal.addEventListener('abort', done);
      });
    }
    this.#hasNews = false;
  }

  [Symbol.dispose](): void {
    this.#onDispose();
  }
}
