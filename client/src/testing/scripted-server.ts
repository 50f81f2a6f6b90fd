import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';

export type SeenRequest = {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
};

export type Script = (
  response: ServerResponse,
  request: SeenRequest,
  socket: Socket,
) => void | Promise<void>;

/** A server that answers its first request by the first script, and so on; the last one repeats. */
export async function scriptedServer(...scripts: readonly Script[]) {
  const requests: SeenRequest[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { method = '', url = '', headers, socket } = request;
    const seen = { method, url, headers, body: Buffer.concat(chunks).toString() };
    requests.push(seen);
    const script = scripts[Math.min(requests.length, scripts.length) - 1];
    response.on('error', () => {});
    await script?.(response, seen, socket);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    requests,
    url: `http://127.0.0.1:${port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

type Headers = Readonly<Record<string, string>>;

export const json =
  (body: unknown, status = 200, headers: Headers = {}): Script =>
  (response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(JSON.stringify(body));
  };

export const problem =
  (status: number, code: string, headers: Headers = {}, more: object = {}): Script =>
  (response) => {
    response.writeHead(status, { 'content-type': 'application/problem+json', ...headers });
    response.end(JSON.stringify({ status, code, title: code, detail: `It is ${code}.`, ...more }));
  };

export const raw =
  (status: number, type: string, text: string, headers: Headers = {}): Script =>
  (response) => {
    response.writeHead(status, { 'content-type': type, ...headers });
    response.end(text);
  };

/** Takes the request and never answers. */
export const dropped: Script = (_response, _request, socket) => void socket.destroy();

export const silent: Script = () => {};

/** Pieces of a stream of events. `end`: what happens after them. */
export const events =
  (pieces: readonly string[], end: 'ends' | 'breaks' | 'stays open' = 'ends'): Script =>
  async (response, _request, socket) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    for (const piece of pieces) {
      response.write(piece);
      await new Promise((resolve) => setImmediate(resolve));
    }
    if (end === 'ends') response.end();
    if (end === 'breaks') socket.destroy();
  };
