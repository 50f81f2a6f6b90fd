import { AnswerError, ApiError, type CallName, ConnectionError, TimeoutError } from './errors.ts';
import { EventParser } from './event-source.ts';
import { backoffMs, sleep, timer } from './timing.ts';

/** An event as the reference describes it. */
type AnyEvent = { readonly event: string; readonly data: unknown };

/** An opened stream. */
export type Opened = {
  readonly response: Response;
  readonly requestId: string | undefined;
  /** Receives how far the server's data went at the reply, where its id says that. */
  readonly notePosition?: (position: string) => void;
};

/** Where a stream was lost: its last event, and the task that it follows, as far as they are known. */
export type Lost = {
  readonly lastEventId: string | undefined;
  readonly taskId: string | undefined;
};

export type StreamSource = {
  readonly call: CallName;
  readonly open: () => Promise<Opened>;
  /** Opens a lost stream again after its last event. Absent where the server cannot do that. */
  readonly resume?: ((lost: Lost) => Promise<Opened>) | undefined;
  /** How many losses in a row are resumed. */
  readonly retries: number;
  readonly signal: AbortSignal | undefined;
  readonly idleTimeoutMs: number;
};

const EVENT_STREAM = 'text/event-stream';
const LAST_EVENT = 'reply';
const NEVER = new AbortController().signal;

/** Events of the server as they come. The request is sent when iterating begins, once. */
export class EventStream<E extends AnyEvent> implements AsyncIterable<E> {
  readonly #source: StreamSource;
  #isUsed = false;
  #lastEventId: string | undefined;

  constructor(source: StreamSource) {
    this.#source = source;
  }

  /** The id of the newest event of a task: another stream continues after it. */
  get lastEventId(): string | undefined {
    return this.#lastEventId;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<E, void, undefined> {
    if (this.#isUsed) throw new TypeError('A stream is read once');
    this.#isUsed = true;
    const { open, resume, retries, signal = NEVER } = this.#source;
    let opened = await open();
    let taskId: string | undefined;
    for (let losses = 0; ; losses += 1) {
      try {
        for await (const { event, data, id } of this.#eventsOf(opened.response)) {
          losses = 0;
          const value = this.#parsed(data);
          if (event === 'failed') throw this.#failure(value, opened.requestId);
          if (event === 'started') taskId = (value as { taskId?: string }).taskId;
          if (event !== LAST_EVENT) this.#lastEventId = id;
          else if (id) opened.notePosition?.(id);
          yield { event, data: value } as E;
          if (this.isLast(event)) return;
        }
        this.ended();
        return;
      } catch (error) {
        const isLost = error instanceof ConnectionError || error instanceof TimeoutError;
        if (!isLost || signal.aborted || !resume || losses >= retries) throw error;
      }
      await sleep(backoffMs(losses), signal);
      opened = await resume({ lastEventId: this.#lastEventId, taskId });
    }
  }

  /** Whether the stream ends with this event. */
  protected isLast(_event: string): boolean {
    return false;
  }

  /** The connection ended without a last event. */
  protected ended(): void {}

  protected broken(cause?: unknown): ConnectionError {
    return new ConnectionError(`${this.#source.call}: the stream broke off`, { cause });
  }

  #parsed(data: string): unknown {
    try {
      return JSON.parse(data);
    } catch {
      throw new AnswerError(`${this.#source.call}: an event is not JSON`);
    }
  }

  #failure(problem: unknown, requestId: string | undefined): ApiError {
    const status = Number((problem as { status?: unknown } | null)?.status) || 500;
    const { call } = this.#source;
    return new ApiError({ call, status, requestId, problem, retryAfterMs: undefined });
  }

  async *#eventsOf({ body, headers }: Response) {
    const { call, idleTimeoutMs } = this.#source;
    const reader = body?.getReader();
    let isIdle = false;
    try {
      if (!headers.get('content-type')?.startsWith(EVENT_STREAM)) {
        throw new AnswerError(`${call}: the answer is not a stream of events`);
      }
      const decoder = new TextDecoder();
      const parser = new EventParser();
      for (;;) {
        const clear = timer(idleTimeoutMs, () => {
          isIdle = true;
          void reader?.cancel().catch(() => {});
        });
        const read = await reader?.read().finally(clear);
        if (isIdle) throw new TimeoutError(`${call}: silent for ${idleTimeoutMs} ms`);
        if (!read || read.done) return;
        yield* parser.push(decoder.decode(read.value, { stream: true }));
      }
    } catch (error) {
      // What the connection failed with; an abort has the reason of its signal.
      throw error instanceof TypeError ? this.broken(error) : error;
    } finally {
      void reader?.cancel().catch(() => {});
    }
  }
}

/** The events of an answer that is streamed while it is written; the last one is `reply`. */
export class ReplyStream<E extends AnyEvent, R> extends EventStream<E> {
  /** Reads to the end. Returns the complete answer. */
  async final(): Promise<R> {
    let reply: R | undefined;
    for await (const { event, data } of this) if (event === LAST_EVENT) reply = data as R;
    return reply as R;
  }

  protected override isLast(event: string): boolean {
    return event === LAST_EVENT;
  }

  protected override ended(): void {
    throw this.broken();
  }
}
