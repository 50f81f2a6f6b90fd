import type { EventEmitter } from 'node:events';
import { unavailable } from './rpc-error.ts';

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
