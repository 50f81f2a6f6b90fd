import { setTimeout as delay } from 'node:timers/promises';
import type { AppendRequest, AppendResult } from './events.ts';
import { ClosingError, ExpiredError, messageOf, ReadOnlyError } from './faults.ts';
import { WriterThread } from './writer-thread.ts';

const BATCH_REQUESTS_MAX = 2_048;
const BATCH_BYTES_MAX = 8 * 1024 * 1024;
/** Above it, callers should wait for room before they bring more. */
const CROWDED_BYTES = 16 * 1024 * 1024;
const REOPEN_DELAY_MS_MIN = 100;
const REOPEN_DELAY_MS_MAX = 5_000;

/** Called after a commit with the appended streams. */
type CommitListener = (streams: ReadonlySet<string>) => void;

type Pending = {
  request: AppendRequest;
  bytes: number;
  deadline: number;
  resolve: (result: AppendResult) => void;
  reject: (error: Error) => void;
};

/**
 * Group commit: whatever waits while the writer is busy goes into its next transaction, and is
 * answered once that is synced. When a commit fails all of it is refused, and so is whatever comes
 * until the database was reopened, checked and written to.
 */
export class AppendQueue {
  readonly #thread: WriterThread;
  readonly #onCommit: CommitListener;
  readonly #closing = new AbortController();
  readonly #roomWaiters: (() => void)[] = [];
  #waiting: Pending[] = [];
  #bytes = 0;
  #isRunning = false;
  #readOnlyReason: string | null = null;
  #work: Promise<void> = Promise.resolve();
  #recovery: Promise<void> = Promise.resolve();

  private constructor(thread: WriterThread, onCommit: CommitListener) {
    this.#thread = thread;
    this.#onCommit = onCommit;
  }

  /** Rejects when the database can't be opened, or fails its quick check (DamagedStoreError). */
  static async open(dataDir: string, onCommit: CommitListener): Promise<AppendQueue> {
    const thread = new WriterThread(dataDir);
    try {
      await thread.ask({ kind: 'open' });
    } catch (error) {
      await thread.terminate();
      throw error;
    }
    return new AppendQueue(thread, onCommit);
  }

  /**
   * Resolves when the events are durable. Rejects with ReadOnlyError, ClosingError or ExpiredError
   * (`deadline` in Unix milliseconds). After ReadOnlyError the events may turn up all the same, as
   * after any broken connection.
   */
  append(request: AppendRequest, deadline: number): Promise<AppendResult> {
    if (this.#closing.signal.aborted) return Promise.reject(new ClosingError('shutting down'));
    if (this.#readOnlyReason !== null) return Promise.reject(this.#readOnlyError());
    const bytes = request.events.reduce((sum, e) => sum + e.data.length + e.metadata.length, 512);
    const { promise, resolve, reject } = Promise.withResolvers<AppendResult>();
    this.#waiting.push({ request, bytes, deadline, resolve, reject });
    this.#bytes += bytes;
    if (!this.#isRunning) {
      this.#isRunning = true;
      // Later, so that all that one read of the sockets brought goes into the first transaction.
      this.#work = new Promise((done) => setImmediate(() => this.#drain().finally(done)));
    }
    return promise;
  }

  /** Undefined when there is room for more; otherwise resolves when enough has been written. */
  room(): Promise<void> | undefined {
    if (this.#bytes < CROWDED_BYTES) return undefined;
    return new Promise<void>((resolve) => this.#roomWaiters.push(resolve));
  }

  /** Writes what waits, then ends the thread. */
  async close(): Promise<void> {
    this.#closing.abort();
    await this.#work;
    await this.#recovery;
    await this.#thread.ask({ kind: 'close' }).catch(() => {});
    await this.#thread.terminate();
  }

  async #drain(): Promise<void> {
    while (this.#waiting.length > 0) {
      const batch = this.#takeBatch();
      if (batch.length > 0) await this.#commit(batch);
      this.#announceRoom();
    }
    this.#isRunning = false;
  }

  #takeBatch(): Pending[] {
    let bytes = 0;
    let count = 0;
    for (const { bytes: size } of this.#waiting) {
      if (count >= BATCH_REQUESTS_MAX || (count > 0 && bytes + size > BATCH_BYTES_MAX)) break;
      bytes += size;
      count += 1;
    }
    const taken = this.#waiting.slice(0, count);
    this.#waiting = this.#waiting.slice(count);
    this.#bytes -= bytes;
    const now = Date.now();
    return taken.filter(({ deadline, reject }) => {
      if (deadline > now) return true;
      reject(new ExpiredError('the deadline passed before the append was begun'));
      return false;
    });
  }

  async #commit(batch: readonly Pending[]): Promise<void> {
    try {
      const requests = batch.map(({ request }) => request);
      const answer = await this.#thread.ask({ kind: 'append', requests });
      if (answer.kind !== 'appended') throw new Error(`unexpected answer ${answer.kind}`);
      for (const [index, { resolve, reject }] of batch.entries()) {
        const result = answer.results[index];
        if (result === undefined) reject(new Error('the writer gave no answer'));
        else resolve(result);
      }
      this.#onCommit(new Set(requests.map(({ stream }) => stream)));
    } catch (error) {
      this.#turnReadOnly(messageOf(error), batch);
    }
  }

  #turnReadOnly(reason: string, batch: readonly Pending[]): void {
    this.#readOnlyReason = reason;
    console.error(`event store is read-only: ${reason}`);
    const refused = [...batch, ...this.#waiting];
    this.#waiting = [];
    this.#bytes = 0;
    for (const { reject } of refused) reject(this.#readOnlyError());
    this.#recovery = this.#recover();
  }

  async #recover(): Promise<void> {
    let delayMs = REOPEN_DELAY_MS_MIN;
    while (!this.#closing.signal.aborted) {
      await delay(delayMs, undefined, { signal: this.#closing.signal }).catch(() => {});
      if (this.#closing.signal.aborted) return;
      try {
        await this.#thread.ask({ kind: 'open' });
        this.#readOnlyReason = null;
        console.error('event store was reopened and checked, it takes appends again');
        return;
      } catch (error) {
        this.#readOnlyReason = messageOf(error);
        delayMs = Math.min(delayMs * 2, REOPEN_DELAY_MS_MAX);
      }
    }
  }

  #announceRoom(): void {
    if (this.#bytes >= CROWDED_BYTES) return;
    for (const resolve of this.#roomWaiters.splice(0)) resolve();
  }

  #readOnlyError(): ReadOnlyError {
    return new ReadOnlyError(`the event store is read-only: ${this.#readOnlyReason}`);
  }
}
