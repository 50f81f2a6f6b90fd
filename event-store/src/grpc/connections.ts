import type { EventEmitter } from 'node:events';
import type { Server as NetServer, Socket } from 'node:net';
import { type Server, type ServerInterceptingCallInterface, status } from '@grpc/grpc-js';
import { RpcError, unavailable } from './rpc-error.ts';

/** A client needs one, a process of the product a few. */
export const CONNECTIONS_MAX = 256;
/** Of these, connections on which no call was admitted yet. */
export const UNADMITTED_MAX = 64;
/** Connections beyond the limit are kept this long, to answer their calls with the reason. */
const REFUSED_MAX = 32;
const REFUSED_MS_MAX = 5_000;

type Connection = { readonly socket: Socket; isAdmitted: boolean };

/**
 * Bounds the connections of a server. One beyond the limit has each of its calls refused with
 * UNAVAILABLE, and is closed. Where too many were never admitted, the oldest of these is closed, so
 * that a program without a password can't keep those with one away.
 */
export class Connections {
  /** By the client's address and port; the oldest come first. */
  readonly #open = new Map<string, Connection>();
  readonly #refused = new Map<string, Socket>();
  #unadmitted = 0;

  /** The listening servers are private in grpc-js, in the version that the lock file names. */
  watch(server: Server): void {
    const { http2Servers } = server as unknown as { http2Servers: Map<NetServer, unknown> };
    for (const listening of http2Servers.keys()) {
      listening.on('connection', (socket: Socket) => this.#take(socket));
    }
  }

  /** The error that ends a call on a connection beyond the limit; null if it may continue. */
  refusalOf(call: ServerInterceptingCallInterface): RpcError | null {
    if (!this.#refused.has(call.getPeer())) return null;
    const details = `the event store has ${CONNECTIONS_MAX} connections: close some`;
    return new RpcError(status.UNAVAILABLE, details);
  }

  admitted(call: ServerInterceptingCallInterface): void {
    const connection = this.#open.get(call.getPeer());
    if (!connection || connection.isAdmitted) return;
    connection.isAdmitted = true;
    this.#unadmitted -= 1;
  }

  #take(socket: Socket): void {
    const peer = `${socket.remoteAddress}:${socket.remotePort}`;
    if (this.#open.size >= CONNECTIONS_MAX) {
      this.#refuse(peer, socket);
      return;
    }
    const connection = { socket, isAdmitted: false };
    this.#open.set(peer, connection);
    this.#unadmitted += 1;
    socket.once('close', () => {
      this.#open.delete(peer);
      if (!connection.isAdmitted) this.#unadmitted -= 1;
    });
    if (this.#unadmitted > UNADMITTED_MAX) this.#closeOldestUnadmitted();
  }

  #refuse(peer: string, socket: Socket): void {
    if (this.#refused.size >= REFUSED_MAX) {
      socket.destroy();
      return;
    }
    this.#refused.set(peer, socket);
    const timer = setTimeout(() => socket.destroy(), REFUSED_MS_MAX).unref();
    socket.once('close', () => {
      clearTimeout(timer);
      this.#refused.delete(peer);
    });
  }

  #closeOldestUnadmitted(): void {
    for (const { socket, isAdmitted } of this.#open.values()) {
      if (isAdmitted || socket.destroyed) continue;
      socket.destroy();
      return;
    }
  }
}

/** The reason is never read, and creating one for each call takes as long as a short read. */
const ENDED = new Error('the call is over');

type OpenCall = EventEmitter & { destroyed: boolean };

/**
 * Long-lived calls: on shutdown each must end with UNAVAILABLE, which makes a client reconnect.
 * `signal` of a call aborts when it ends, for whatever reason.
 */
export class OpenCalls {
  readonly #calls = new Set<OpenCall>();
  #isClosing = false;

  /** A signal that aborts when the call is cancelled, closed, or ended by the shutdown. */
  open(call: OpenCall): AbortSignal {
    const controller = new AbortController();
    const closed = () => {
      this.#calls.delete(call);
      controller.abort(ENDED);
    };
    this.#calls.add(call);
    call.once('cancelled', closed).once('close', closed).once('error', closed);
    if (this.#isClosing) call.emit('error', shuttingDown());
    return controller.signal;
  }

  endAll(): void {
    this.#isClosing = true;
    for (const call of [...this.#calls]) call.emit('error', shuttingDown());
  }
}

function shuttingDown() {
  return unavailable('the event store is shutting down');
}
