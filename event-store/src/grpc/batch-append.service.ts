import type {
  BatchAppendReq,
  BatchAppendResp,
} from '@eventstore/db-client/generated/streams_pb.js';
import type { ServerDuplexStream } from '@grpc/grpc-js';
import type { Timestamp } from 'google-protobuf/google/protobuf/timestamp_pb.js';
import type { Access, Caller } from '../access/access.ts';
import type { AppendQueue } from '../storage/append-queue.ts';
import type { ExpectedRevision } from '../storage/events.ts';
import { ClosingError, ExpiredError, ReadOnlyError } from '../storage/faults.ts';
import {
  appendableNameOf,
  expectedOfBatch,
  lateAppend,
  Proposal,
  UNFINISHED_MS_MAX,
} from './append.codec.ts';
import { batchError, batchResult, type Echo } from './batch-append.codec.ts';
import type { OpenCalls } from './open-calls.ts';
import { asRpcError, invalidArgument } from './rpc-error.ts';
import { requireValidText } from './text.ts';
import { uuidFromMessage } from './uuid.codec.ts';
import { type Wire, wireOf } from './wire.ts';

type Call = ServerDuplexStream<BatchAppendReq, BatchAppendResp>;

/** How many appends of one call may have begun without being complete. */
const UNFINISHED_APPENDS_MAX = 1_024;

/** A client that does not read its answers may send no more appends meanwhile. */
const ANSWERS_WAITING_MAX = 4_096;

/** BatchAppend: one call carries any number of appends, distinguished by their correlation ids. */
export function batchAppendHandler(queue: AppendQueue, calls: OpenCalls, access: Access) {
  return (call: Call): void => {
    const signal = calls.open(call);
    try {
      const caller = access.caller(call.metadata);
      const session = new BatchSession(call, queue, signal, caller);
      call.on('data', (message: BatchAppendReq) => session.receive(message));
      call.on('end', () => session.end());
    } catch (error) {
      if (!signal.aborted) call.emit('error', asRpcError(error));
    }
  };
}

type Header = { stream: string; expected: ExpectedRevision; deadline: number };

/** `refusal` is known before the append is complete; its events are dropped then. */
type Unfinished = {
  echo: Echo;
  header: Header | null;
  proposal: Proposal;
  bytes: number;
  refusal: unknown;
  timer: NodeJS.Timeout | undefined;
};

class BatchSession {
  readonly #call: Call;
  readonly #queue: AppendQueue;
  readonly #signal: AbortSignal;
  readonly #caller: Caller;
  readonly #wire: Wire | undefined;
  readonly #unfinished = new Map<string, Unfinished>();
  #unanswered = 0;
  #hasEnded = false;

  constructor(call: Call, queue: AppendQueue, signal: AbortSignal, caller: Caller) {
    this.#call = call;
    this.#queue = queue;
    this.#signal = signal;
    this.#caller = caller;
    this.#wire = wireOf(call);
    signal.addEventListener('abort', () => {
      for (const { timer } of this.#unfinished.values()) clearTimeout(timer);
    });
  }

  receive(message: BatchAppendReq): void {
    if (this.#signal.aborted) return;
    try {
      this.#collect(message);
    } catch (error) {
      // Without a correlation id there is no append to answer for.
      this.#call.emit('error', asRpcError(error));
    }
  }

  end(): void {
    this.#hasEnded = true;
    if (this.#unanswered === 0) this.#call.end();
  }

  #collect(message: BatchAppendReq): void {
    const id = uuidFromMessage(message.getCorrelationId());
    const append = this.#unfinished.get(id) ?? this.#begin(id, message);
    append.bytes += this.#wire?.nextSize() ?? 0;
    try {
      requireValidText(message);
      for (const event of message.getProposedMessagesList()) {
        if (append.refusal === null) append.proposal.add(event);
      }
    } catch (error) {
      this.#refuse(append, error);
    }
    if (append.refusal !== null) this.#release(append);
    if (!message.getIsFinal()) {
      append.timer ??= setTimeout(() => this.#refuse(append, lateAppend()), UNFINISHED_MS_MAX);
      return;
    }
    clearTimeout(append.timer);
    this.#unfinished.delete(id);
    this.#unanswered += 1;
    void this.#finish(append);
  }

  #begin(id: string, message: BatchAppendReq): Unfinished {
    if (this.#unfinished.size >= UNFINISHED_APPENDS_MAX) {
      throw invalidArgument(`more than ${UNFINISHED_APPENDS_MAX} appends are unfinished`);
    }
    const append: Unfinished = {
      echo: { correlationId: message.getCorrelationId(), options: undefined },
      header: null,
      proposal: new Proposal(),
      bytes: 0,
      refusal: null,
      timer: undefined,
    };
    this.#unfinished.set(id, append);
    try {
      append.header = headerOf(message.getOptions(), this.#caller);
      append.echo.options = message.getOptions();
      // The name as it came would keep the whole message in memory.
      const name = Buffer.from(append.header.stream);
      append.echo.options?.getStreamIdentifier()?.setStreamName(name);
    } catch (error) {
      this.#refuse(append, error);
    }
    return append;
  }

  /** Answered when the append is complete: the client knows only one answer for each. */
  #refuse(append: Unfinished, error: unknown): void {
    append.refusal ??= error;
    append.proposal = new Proposal();
    this.#release(append);
  }

  #release(append: Unfinished): void {
    this.#wire?.release(append.bytes);
    append.bytes = 0;
  }

  async #finish(append: Unfinished): Promise<void> {
    const { echo, header, proposal, refusal } = append;
    try {
      if (refusal !== null || header === null) throw refusal;
      const { stream, expected, deadline } = header;
      const request = { stream, expected, events: proposal.events };
      const result = await this.#queue.append(request, deadline);
      this.#answer(batchResult(echo, expected, result));
    } catch (error) {
      if (this.#signal.aborted) return;
      if (error instanceof ReadOnlyError || error instanceof ClosingError) {
        // None of the call's appends can succeed, and only a status makes the client retry later.
        this.#call.emit('error', asRpcError(error));
      } else {
        this.#answer(batchError(echo, error));
      }
    } finally {
      this.#release(append);
    }
  }

  #answer(response: BatchAppendResp): void {
    this.#unanswered -= 1;
    if (this.#signal.aborted) return;
    this.#call.write(response);
    if (this.#call.writableLength > ANSWERS_WAITING_MAX && !this.#call.isPaused()) {
      this.#call.pause();
      this.#call.once('drain', () => this.#call.resume());
    }
    if (this.#hasEnded && this.#unanswered === 0) this.#call.end();
  }
}

/**
 * Throws the first reason to refuse the append before anything else is checked, as in EventStoreDB.
 */
function headerOf(options: BatchAppendReq.Options | undefined, caller: Caller): Header {
  if (options === undefined) throw invalidArgument('an append begins with its options');
  const stream = appendableNameOf(options.getStreamIdentifier());
  caller.require('write', stream);
  const deadline = deadlineOf(options.getDeadline());
  if (deadline <= Date.now()) throw new ExpiredError('the deadline had passed');
  return { stream, expected: expectedOfBatch(options), deadline };
}

/** In Unix milliseconds. */
function deadlineOf(timestamp: Timestamp | undefined): number {
  if (timestamp === undefined) return Number.POSITIVE_INFINITY;
  return timestamp.getSeconds() * 1_000 + timestamp.getNanos() / 1e6;
}
