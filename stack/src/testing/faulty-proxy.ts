import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

type Delivery = { readonly body: string; readonly headers: IncomingMessage['headers'] };

/**
 * Passes requests on to the product, and loses the first answer whose path `loses` matches: the
 * product has carried out that call. `POST /hook` takes a delivery, which `GET /hook` returns.
 */
export async function faultyProxy(target: string, loses: RegExp) {
  const delivered = Promise.withResolvers<Delivery>();
  const lost: string[] = [];
  const server = createServer(async (request, response) => {
    const { method = '', url = '', headers } = request;
    const body = await buffer(request);
    if (url === '/hook' && method === 'POST') {
      delivered.resolve({ body: body.toString(), headers });
      return response.writeHead(204).end();
    }
    if (url === '/hook') return response.end(JSON.stringify(await delivered.promise));
    const { host: _, connection: __, 'transfer-encoding': ___, ...passed } = headers;
    const answer = await fetch(`${target}${url}`, {
      method,
      headers: passed as Record<string, string>,
      ...(body.length > 0 && { body }),
    });
    const text = await answer.text();
    if (loses.test(url) && lost.length === 0) {
      lost.push(text);
      return request.socket.destroy();
    }
    const link = answer.headers.get('link');
    response.writeHead(answer.status, {
      'content-type': answer.headers.get('content-type') ?? '',
      ...(link && { link }),
    });
    return response.end(text);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    lost,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
