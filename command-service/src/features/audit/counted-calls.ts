import { errorFields, type Log } from '@tallyhand/service-kit/log';

/** Calls of one kind. `unrecorded`: those that no event has counted yet. */
type Kind<Call> = {
  newest: Call;
  unrecorded: number;
  /** Whether the first call has its event. */
  isRecorded: boolean;
  recording: Promise<void> | null;
};

type Options<Call> = {
  readonly everyMs: number;
  /** Appends an event for `count` calls; false if they still have to be counted by a later one. */
  readonly append: (newest: Call, count: number) => Promise<boolean>;
  readonly log: Log;
};

/** Counts calls by kind: the first of a kind has its event at once, further ones share one. */
export class CountedCalls<Call> implements AsyncDisposable {
  readonly #options: Options<Call>;
  readonly #kinds = new Map<string, Kind<Call>>();
  #timer: NodeJS.Timeout | undefined;

  constructor(options: Options<Call>) {
    this.#options = options;
  }

  get size(): number {
    return this.#kinds.size;
  }

  has(key: string): boolean {
    return this.#kinds.has(key);
  }

  /** Resolves when the kind's first call is recorded, or its event is put off; otherwise rejects. */
  add(key: string, call: Call): Promise<void> {
    const kind = this.#kinds.get(key) ?? {
      newest: call,
      unrecorded: 0,
      isRecorded: false,
      recording: null,
    };
    kind.newest = call;
    kind.unrecorded += 1;
    this.#kinds.set(key, kind);
    this.#timer ??= this.#later();
    return kind.isRecorded ? Promise.resolve() : this.#record(kind);
  }

  async [Symbol.asyncDispose]() {
    clearTimeout(this.#timer);
    const kinds = [...this.#kinds.values()];
    await Promise.allSettled(kinds.map(({ recording }) => recording));
    await Promise.all(kinds.map((kind) => this.#recordRest(kind)));
  }

  #later(): NodeJS.Timeout {
    return setTimeout(() => this.#recordAll(), this.#options.everyMs).unref();
  }

  #recordAll() {
    for (const [key, kind] of this.#kinds) {
      if (kind.unrecorded > 0) void this.#recordRest(kind);
      else this.#kinds.delete(key);
    }
    this.#timer = this.#kinds.size > 0 ? this.#later() : undefined;
  }

  async #recordRest(kind: Kind<Call>): Promise<void> {
    if (kind.unrecorded === 0) return;
    await this.#record(kind).catch((error) =>
      this.#options.log.error('calls were not recorded', errorFields(error)),
    );
  }

  #record(kind: Kind<Call>): Promise<void> {
    kind.recording ??= this.#append(kind).finally(() => {
      kind.recording = null;
    });
    return kind.recording;
  }

  async #append(kind: Kind<Call>): Promise<void> {
    const count = kind.unrecorded;
    kind.unrecorded = 0;
    let isAppended = false;
    try {
      isAppended = await this.#options.append(kind.newest, count);
      kind.isRecorded = true;
    } finally {
      if (!isAppended) kind.unrecorded += count;
    }
  }
}
