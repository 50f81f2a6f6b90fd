import type { ServerResponse } from 'node:http';
import { localServer } from '@tallyhand/test-kit/http-server';
import { Webhook } from 'standardwebhooks';

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

/** A real server that receives deliveries and gives the prepared answers, one after the other. */
export async function startReceiver(answer: Answer = answering(204)) {
  const received: Received[] = [];
  const current = { answer };
  const server = await localServer((_, response, { headers, body: text }) => {
    const header = (name: string) => String(headers[name]);
    received.push({
      id: header('webhook-id'),
      signature: header('webhook-signature'),
      text,
      timestamp: Number(header('webhook-timestamp')),
      body: JSON.parse(text) as Received['body'],
    });
    current.answer(response, received.length);
  });
  return {
    ...server,
    received,
    url: `${server.origin}/hook`,
    answerWith(next: Answer) {
      current.answer = next;
    },
  };
}

/** Whether the library that docs/webhooks.md recommends accepts it as sent. */
export function isSignedBy(secret: string, { id, timestamp, text, signature }: Received): boolean {
  const headers = {
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': signature,
  };
  try {
    new Webhook(secret).verify(text, headers);
    return true;
  } catch {
    return false;
  }
}
