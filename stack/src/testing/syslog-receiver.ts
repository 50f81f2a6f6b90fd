import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { buffer } from 'node:stream/consumers';
import tls from 'node:tls';
import type { Certificate } from '@tallyhand/test-kit/certificates';

/** More than a TLS handshake sends, and less than any batch. */
const BROKEN_OFF_BYTES = 2_000;

async function listening(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

/** The messages of a stream that RFC 5425 frames: each with its length before it. */
function messagesIn(bytes: Buffer): string[] {
  const found: string[] = [];
  for (let rest = bytes; rest.length > 0; ) {
    const [head, length] = /^(\d+) /.exec(rest.toString('latin1', 0, 12)) ?? [];
    if (head === undefined) throw new Error('A message has no length');
    const ends = head.length + Number(length);
    found.push(rest.toString('utf8', head.length, ends));
    rest = rest.subarray(ends);
  }
  return found;
}

/** A real server of syslog over TLS, on `localhost`, that can break off in the middle. */
export async function startSyslog({ cert, key }: Certificate) {
  const messages: string[] = [];
  const current = { breaksOff: false };
  const inner = tls.createServer({ cert, key }, async (socket) => {
    const bytes = await buffer(socket).catch(() => Buffer.alloc(0));
    messages.push(...messagesIn(bytes));
  });
  const innerPort = await listening(inner);
  const open = new Set<Socket>();
  const outer = createServer({ allowHalfOpen: true }, (near) => {
    const far = connect({ host: '127.0.0.1', port: innerPort, allowHalfOpen: true });
    const begunAt = performance.now();
    let passed = 0;
    const end = () => {
      // As when the process is killed with unread data.
      near.resetAndDestroy();
      far.destroy();
    };
    near.on('data', ({ byteLength }) => {
      passed += byteLength;
      if (!current.breaksOff || passed <= BROKEN_OFF_BYTES) return;
      end();
      // The sender, which runs in this thread, says goodbye before it can learn of the end.
      setImmediate(() => {
        const pauseMs = performance.now() - begunAt;
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2 * pauseMs + 50);
      });
    });
    for (const socket of [near, far]) {
      open.add(socket);
      socket.on('error', end).on('close', () => open.delete(socket));
    }
    near.pipe(far).pipe(near);
  });
  const port = await listening(outer);
  return {
    messages,
    address: `tls://localhost:${port}`,
    breaksOff(does: boolean) {
      current.breaksOff = does;
    },
    async [Symbol.asyncDispose]() {
      const closed = [outer, inner].map((server) => new Promise((done) => server.close(done)));
      for (const socket of open) socket.destroy();
      await Promise.all(closed);
    },
  };
}
