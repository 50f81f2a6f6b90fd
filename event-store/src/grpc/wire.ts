import { constants, type ServerHttp2Stream } from 'node:http2';
import {
  type Metadata,
  ServerInterceptingCall,
  type ServerInterceptingCallInterface,
  type ServerInterceptor,
  status,
} from '@grpc/grpc-js';
import { PUBLIC_METHODS } from './node-info.service.ts';
import { asRpcError, RpcError } from './rpc-error.ts';

/** The limit of one call for unanswered data: more than its unfinished appends ever need. */
const CALL_BYTES_MAX = 40 * 1024 * 1024;
/** The same for a call that needs no credentials; its requests are empty. */
const PUBLIC_CALL_BYTES_MAX = 4 * 1024;
/** The same for all calls together. */
const SERVER_BYTES_MAX = 128 * 1024 * 1024;
/** How long a message may take from its first byte to its last. */
const MESSAGE_MS_MAX = 30_000;
/** A refused call is cut off after so long when its client does not end it. */
const REFUSAL_MS_MAX = 1_000;
/** Before each message: whether it is compressed, and its length. */
const PREFIX_BYTES = 5;

const wires = new WeakMap<Metadata, Wire>();

/** The connection of a call, by the metadata that grpc-js passes to the handler. */
export function wireOf(call: { readonly metadata: Metadata }): Wire | undefined {
  return wires.get(call.metadata);
}

type Gate = {
  /** Undefined when the server can take another message of an append, and resolves when it can. */
  room(): Promise<void> | undefined;
  /** Rejects for a call of which nothing may be read. */
  admit(
    call: ServerInterceptingCallInterface,
    metadata: Metadata,
    isPublic: boolean,
  ): Promise<void>;
};

/** Counts the unanswered bytes of all calls of a server. */
export class WireLimits {
  bytes = 0;

  /** Comes before all others, for it needs the call that grpc-js made. */
  interceptor({ room, admit }: Gate): ServerInterceptor {
    return (method, call) => {
      const isPublic = PUBLIC_METHODS.has(method.path);
      const wire = new Wire(call, this, isPublic ? PUBLIC_CALL_BYTES_MAX : CALL_BYTES_MAX);
      return new ServerInterceptingCall(call, {
        start: (next) =>
          next({
            onReceiveMetadata: (metadata, forward) => {
              wires.set(metadata, wire);
              // grpc-js reads no data of the call until the metadata is forwarded.
              admit(call, metadata, isPublic).then(
                () => forward(metadata),
                (error) => wire.refuse(asRpcError(error)),
              );
            },
            onReceiveMessage: (message, forward) => {
              // Until it is forwarded, nothing more of the call is read from the connection.
              const waiting = method.requestStream ? room() : undefined;
              if (waiting === undefined) forward(message);
              else void waiting.then(() => forward(message));
            },
          }),
      });
    };
  }
}

/**
 * Counts the bytes of a call from the moment they arrive, in messages that are not complete too:
 * grpc-js holds these without a limit on all of them. The HTTP/2 stream is private there, in the
 * version that the lock file names; tests fail when it is not found.
 */
export class Wire {
  readonly #call: ServerInterceptingCallInterface;
  readonly #stream: ServerHttp2Stream;
  readonly #limits: WireLimits;
  readonly #bytesMax: number;
  readonly #sizes: number[] = [];
  #held = 0;
  #prefix = 0;
  #length = 0;
  #left = 0;
  #isRefused = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(call: ServerInterceptingCallInterface, limits: WireLimits, bytesMax: number) {
    this.#call = call;
    this.#limits = limits;
    this.#bytesMax = bytesMax;
    this.#stream = (call as unknown as { stream: ServerHttp2Stream }).stream;
    this.#stream.on('data', (chunk: Buffer) => this.#receive(chunk));
    this.#stream.once('close', () => {
      this.#stopTimer();
      this.release(this.#held);
    });
  }

  /** The size of the next complete message: the handler asks once for each, in order. */
  nextSize(): number {
    return this.#sizes.shift() ?? 0;
  }

  /** Marks this many bytes as answered. The end of the call releases the rest. */
  release(bytes: number): void {
    this.#held -= bytes;
    this.#limits.bytes -= bytes;
  }

  /** Ends the call at once, with all that was written to it. The client gets RESOURCE_EXHAUSTED. */
  cut(): void {
    this.#stream.close(constants.NGHTTP2_ENHANCE_YOUR_CALM);
  }

  #receive(chunk: Buffer): void {
    // grpc-js drops data after a refusal.
    if (this.#isRefused) return;
    this.#held += chunk.length;
    this.#limits.bytes += chunk.length;
    const isTooMuch = this.#held > this.#bytesMax;
    if (isTooMuch || this.#limits.bytes > SERVER_BYTES_MAX) {
      const holder = isTooMuch ? 'the call holds' : 'all calls together hold';
      const details = `${holder} too much that is unfinished`;
      this.refuse(new RpcError(status.RESOURCE_EXHAUSTED, details));
      return;
    }
    const complete = this.#sizes.length;
    for (let at = 0; at < chunk.length; ) at += this.#step(chunk, at);
    if (this.#sizes.length > complete) this.#stopTimer();
    if (this.#left === 0 && this.#prefix === 0) return;
    this.#timer ??= setTimeout(() => this.#expire(), MESSAGE_MS_MAX);
  }

  /**
   * Consumes a byte of a prefix, or as much of a message as there is; returns the number of bytes.
   */
  #step(chunk: Buffer, at: number): number {
    if (this.#left > 0) {
      const taken = Math.min(this.#left, chunk.length - at);
      this.#left -= taken;
      if (this.#left === 0) this.#sizes.push(PREFIX_BYTES + this.#length);
      return taken;
    }
    this.#length = this.#prefix === 0 ? 0 : this.#length * 256 + (chunk[at] ?? 0);
    this.#prefix += 1;
    if (this.#prefix < PREFIX_BYTES) return 1;
    this.#prefix = 0;
    this.#left = this.#length;
    if (this.#left === 0) this.#sizes.push(PREFIX_BYTES);
    return 1;
  }

  #expire(): void {
    this.refuse(new RpcError(status.DEADLINE_EXCEEDED, 'the message did not arrive in time'));
  }

  /** Ends the call; further data is dropped. */
  refuse({ code, details, metadata }: RpcError): void {
    this.#isRefused = true;
    this.#call.sendStatus({ code, details, metadata });
    // Without this a client that keeps sending would use memory.
    setTimeout(() => this.cut(), REFUSAL_MS_MAX).unref();
  }

  #stopTimer(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }
}
