import { once } from 'node:events';
import { connect } from 'node:net';

const HEAD_END = '\r\n\r\n';

/** Makes one call; rejects unless it is answered with 204. One call at a time. */
export type Caller = Disposable & { call(): Promise<void> };

/**
 * A connection that makes the same call without a body again and again. It knows no more of HTTP
 * than it needs, so that the side that is measured has the machine for itself.
 */
export async function openCaller(url: string, method: string): Promise<Caller> {
  const { hostname, port, host, pathname } = new URL(url);
  const socket = connect(Number(port), hostname).setNoDelay(true).setEncoding('latin1');
  await once(socket, 'connect');
  const text = `${method} ${pathname} HTTP/1.1\r\nHost: ${host}\r\nContent-Length: 0${HEAD_END}`;
  let waiting: PromiseWithResolvers<void> | null = null;
  let head = '';

  function settle(error: Error | null) {
    const settled = waiting;
    waiting = null;
    if (error) settled?.reject(error);
    else settled?.resolve();
  }
  socket.on('data', (part: string) => {
    head += part;
    if (!head.endsWith(HEAD_END)) return;
    const [status = ''] = head.split('\r\n');
    head = '';
    settle(status.startsWith('HTTP/1.1 204') ? null : new Error(`Answered ${status}`));
  });
  socket.once('close', () => settle(new Error('The connection was closed')));
  socket.on('error', settle);

  return {
    call() {
      waiting = Promise.withResolvers<void>();
      socket.write(text);
      return waiting.promise;
    },
    [Symbol.dispose]: () => socket.destroy(),
  };
}
