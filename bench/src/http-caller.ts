import { once } from 'node:events';
import { connect } from 'node:net';

const HEAD_END = '\r\n\r\n';

/** Makes one call and gives the body; rejects unless it succeeds. One call at a time. */
export type Caller = Disposable & { call(): Promise<string> };

/**
 * A connection that makes the same call without a body again and again. It knows no more of HTTP
 * than it needs, so that the side that is measured has the machine for itself: answers tell their
 * length, and are ASCII.
 */
export async function openCaller(
  url: string,
  method: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<Caller> {
  const { hostname, port, host, pathname, search } = new URL(url);
  const socket = connect(Number(port), hostname).setNoDelay(true).setEncoding('latin1');
  await once(socket, 'connect');
  const sent = { ...headers, Host: host, 'Content-Length': '0' };
  const lines = Object.entries(sent).map(([name, value]) => `${name}: ${value}`);
  const text = `${method} ${pathname}${search} HTTP/1.1\r\n${lines.join('\r\n')}${HEAD_END}`;
  let waiting: PromiseWithResolvers<string> | null = null;
  let answer = '';

  function settle(error: Error | null, body = '') {
    const settled = waiting;
    waiting = null;
    if (error) settled?.reject(error);
    else settled?.resolve(body);
  }
  socket.on('data', (part: string) => {
    answer += part;
    const headEnd = answer.indexOf(HEAD_END);
    if (headEnd === -1) return;
    const bodyAt = headEnd + HEAD_END.length;
    const length = Number(/content-length: (\d+)/i.exec(answer.slice(0, bodyAt))?.[1] ?? 0);
    if (answer.length < bodyAt + length) return;
    const [status = ''] = answer.split('\r\n', 1);
    const body = answer.slice(bodyAt);
    answer = '';
    settle(status.startsWith('HTTP/1.1 2') ? null : new Error(`Answered ${status}`), body);
  });
  socket.once('close', () => settle(new Error('The connection was closed')));
  socket.on('error', (error) => settle(error));

  return {
    call() {
      waiting = Promise.withResolvers<string>();
      socket.write(text);
      return waiting.promise;
    },
    [Symbol.dispose]: () => socket.destroy(),
  };
}
