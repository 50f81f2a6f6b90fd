import type { IncomingMessage } from 'node:http';
import { localServer } from '@tallyhand/test-kit/http-server';

type Delivery = { readonly body: string; readonly headers: IncomingMessage['headers'] };

/**
 * Passes requests on to the product, and loses the first answer whose path `loses` matches: the
 * product has carried out that call. `POST /hook` takes a delivery, which `GET /hook` returns.
 */
export async function faultyProxy(target: string, loses: RegExp) {
  const delivered = Promise.withResolvers<Delivery>();
  const lost: string[] = [];
  const server = await localServer(async ({ socket }, response, { method, url, headers, body }) => {
    if (url === '/hook' && method === 'POST') {
      delivered.resolve({ body, headers });
      return response.writeHead(204).end();
    }
    if (url === '/hook') return response.end(JSON.stringify(await delivered.promise));
    const { host: _, connection: __, 'transfer-encoding': ___, ...passed } = headers;
    const answer = await fetch(`${target}${url}`, {
      method,
      headers: passed as Record<string, string>,
      ...(body !== '' && { body }),
    });
    const text = await answer.text();
    if (loses.test(url) && lost.length === 0) {
      lost.push(text);
      return socket.destroy();
    }
    const link = answer.headers.get('link');
    response.writeHead(answer.status, {
      'content-type': answer.headers.get('content-type') ?? '',
      ...(link && { link }),
    });
    return response.end(text);
  });
  return { ...server, url: server.origin, lost };
}
