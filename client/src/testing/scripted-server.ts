import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { localServer, type Seen } from '@tallyhand/test-kit/http-server';

export type Script = (
  response: ServerResponse,
  request: Seen,
  socket: Socket,
) => void | Promise<void>;

/** A server that answers its first request by the first script, and so on; the last one repeats. */
export async function scriptedServer(...scripts: readonly Script[]) {
  let count = 0;
  const server = await localServer(({ socket }, response, seen) => {
    count += 1;
    response.on('error', () => {});
    return scripts[Math.min(count, scripts.length) - 1]?.(response, seen, socket);
  });
  return { ...server, url: server.origin };
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
