import type {
  BatchAppendReq,
  BatchAppendResp,
} from '@eventstore/db-client/generated/streams_pb.js';
import type { ServerDuplexStream } from '@grpc/grpc-js';
import type { Access, Caller } from '../access/access.ts';
import type { AppendQueue } from '../storage/append-queue.ts';
import type { ExpectedRevision } from '../storage/events.ts';
import { ClosingError, ReadOnlyError } from '../storage/faults.ts';
import { appendableNameOf, expectedOfBatch, Proposal } from './append.codec.ts';
import { batchError, batchResult, type Echo } from './batch-append.codec.ts';
import type { OpenCalls } from './open-calls.ts';
import { asRpcError, invalidArgument } from './rpc-error.ts';
import { uuidFromMessage } from './uuid.codec.ts';

type Call = ServerDuplexStream<BatchAppendReq, BatchAppendResp>;

/** How many appends of one call may have begun without being complete. */
const UNFINISHED_APPENDS_MAX = 1_024;

/** A client that does not take its answers may send no more appends meanwhile. */
const ANSWERS_WAITING_MAX = 4_096;

/** BatchAppend: one call carries any number of appends, told apart by their correlation ids. */
export function batchAppendHandler(queue: AppendQueue, calls: OpenCalls, access: Access) {
  return async (call: Call): Promise<void> => {
    const signal = calls.open(call);
    try {
      const caller = await access.caller(call.metadata);
      const session = new BatchSession(call, queue, signal, caller);
      call.on('data', (message: BatchAppendReq) => session.receive(message));
      call.on('end', () => session.end());
    } catch (error) {
      if (!signal.aborted) call.emit('error', asRpcError(error));
    }
  };
}

type Unfinished = { echo: Echo; proposal: Proposal; refusal: unknown };

class BatchSession {
  readonly #call: Call;
  readonly #queue: AppendQueue;
  readonly #signal: AbortSignal;
  readonly #caller: Caller;
  readonly #unfinished = new Map<string, Unfinished>();
  #unanswered = 0;
  #hasEnded = false;

  constructor(call: Call, queue: AppendQueue, signal: AbortSignal, caller: Caller) {
    this.#call = call;
    this.#queue = queue;
    this.#signal = signal;
    this.#caller = caller;
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
    let append = this.#unfinished.get(id);
    if (append === undefined) {
      if (this.#unfinished.size >= UNFINISHED_APPENDS_MAX) {
        throw invalidArgument(`more than ${UNFINISHED_APPENDS_MAX} appends are unfinished`);
      }
      const echo = { correlationId: message.getCorrelationId(), options: message.getOptions() };
      append = { echo, proposal: new Proposal(), refusal: null };
      this.#unfinished.set(id, append);
    }
    try {
      for (const event of message.getProposedMessagesList()) {
        if (append.refusal === null) append.proposal.add(event);
      }
    } catch (error) {
      // Answered when the append is complete: the client knows only one answer for each.
      append.refusal = error;
    }
    if (!message.getIsFinal()) return;
    this.#unfinished.delete(id);
    this.#unanswered += 1;
    void this.#finish(append);
    void this.#waitForRoom();
  }

  async #finish({ echo, proposal, refusal }: Unfinished): Promise<void> {
    try {
      if (refusal !== null) throw refusal;
      const { options } = echo;
      if (options === undefined) throw invalidArgument('an append begins with its options');
      const expected: ExpectedRevision = expectedOfBatch(options);
      const stream = appendableNameOf(options.getStreamIdentifier());
      this.#caller.require('write', stream);
      const deadline = options.getDeadline()?.toDate().getTime() ?? Number.POSITIVE_INFINITY;
      const request = { stream, expected, events: proposal.events };
      const result = await this.#queue.append(request, deadline);
      this.#answer(batchResult(echo, expected, result));
    } catch (error) {
      if (this.#signal.aborted) return;
      if (error instanceof ReadOnlyError || error instanceof ClosingError) {
        // None of the call's appends can succeed, and only a status tells the client to try again
        // later.
        this.#call.emit('error', asRpcError(error));
      } else {
        this.#answer(batchError(echo, error));
      }
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

  async #waitForRoom(): Promise<void> {
    if (!this.#queue.isCrowded) return;
    this.#call.pause();
    await this.#queue.room();
    this.#call.resume();
  }
}
