import { createHmac, timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A delivery as a receiver saw it. */
export type Received = {
  readonly id: string;
  readonly timestamp: number;
  readonly signature: string;
  readonly text: string;
  readonly body: { type: string; timestamp: string; data: Record<string, unknown> };
};

type Answer = (response: ServerResponse, count: number) => void;

export const answering =
  (status: number, text = ''): Answer =>
  (response) =>
    void response.writeHead(status).end(text);

/** A real server that takes deliveries and answers them as it is told to, one after the other. */
export async function startReceiver(answer: Answer = answering(204)) {
  const received: Received[] = [];
  const current = { answer };
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const text = Buffer.concat(chunks).toString();
    const header = (name: string) => String(request.headers[name]);
    received.push({
      id: header('webhook-id'),
      signature: header('webhook-signature'),
      text,
      timestamp: Number(header('webhook-timestamp')),
      body: JSON.parse(text) as Received['body'],
    });
    current.answer(response, received.length);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    received,
    url: `http://127.0.0.1:${port}/hook`,
    host: `127.0.0.1:${port}`,
    answerWith(next: Answer) {
      current.answer = next;
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** What docs/webhooks.md tells receivers to do. */
export function isSignedBy(secret: string, { id, timestamp, text, signature }: Received): boolean {
  if (Math.abs(Date.now() / 1000 - timestamp) > 300) return false;
  const key = Buffer.from(secret.replace('whsec_', ''), 'base64');
  const expected = createHmac('sha256', key).update(`${id}.${timestamp}.${text}`).digest();
  return signature.split(' ').some((each) => {
    const [version, value = ''] = each.split(',');
    const given = Buffer.from(value, 'base64');
    return version === 'v1' && given.length === expected.length && timingSafeEqual(given, expected);
  });
}
