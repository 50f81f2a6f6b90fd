import { type IncomingMessage, type ServerResponse, request as send } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { setTimeout as wait } from 'node:timers/promises';
import { type HttpServer, listen } from '@tallyhand/service-kit/http/server';
import type { ServiceProcess } from './service-process.ts';

const LOOK_MS = 50;
/** How long a call waits for an instance that takes it. */
const PATIENCE_MS = 30_000;
const SAFE: ReadonlySet<string> = new Set(['GET', 'HEAD']);
/** No instance has received anything of the call. */
const NOT_SENT: ReadonlySet<string> = new Set(['ECONNREFUSED', 'ENOTFOUND']);

/** Instances of one service, of which those are asked that say they are ready. */
export type Pool = AsyncDisposable & {
  /** The ports of the next one, waiting for one while there is none. */
  next(): Promise<Pick<ServiceProcess, 'port' | 'internalPort'>>;
};

export function poolOf(instances: readonly ServiceProcess[]): Pool {
  const ready = new Set<ServiceProcess>();
  const ended = new AbortController();
  let turn = 0;
  async function look(instance: ServiceProcess) {
    const { ok } = await fetch(`http://127.0.0.1:${instance.internalPort}/readyz`, {
      signal: AbortSignal.timeout(2_000),
    }).catch(() => ({ ok: false }));
    if (ok) ready.add(instance);
    else ready.delete(instance);
  }
  const looking = Promise.all(
    instances.map(async (instance) => {
      while (!ended.signal.aborted) {
        await look(instance);
        await wait(LOOK_MS);
      }
    }),
  );
  return {
    async next() {
      const deadline = performance.now() + PATIENCE_MS;
      while (ready.size === 0 && performance.now() < deadline) await wait(LOOK_MS);
      const choice = [...ready];
      turn += 1;
      const chosen = choice[turn % choice.length];
      if (!chosen) throw new Error(`No ${instances[0]?.kind} is ready`);
      return chosen;
    },
    async [Symbol.asyncDispose]() {
      ended.abort();
      await looking;
    },
  };
}

/**
 * What a reverse proxy does in front of several instances: the next one takes a call, and another
 * one when that has not taken it, or when the call is a read. Everything else is answered 502.
 */
export async function smallProxy(
  poolFor: (request: IncomingMessage) => Pool,
  portOf: (instance: Pick<ServiceProcess, 'port' | 'internalPort'>) => number,
): Promise<HttpServer> {
  const handle = async (request: IncomingMessage, response: ServerResponse) => {
    const body = await buffer(request).catch(() => null);
    const pool = poolFor(request);
    const deadline = performance.now() + PATIENCE_MS;
    for (;;) {
      try {
        await pass(request, body ?? Buffer.alloc(0), response, portOf(await pool.next()));
        return;
      } catch (error) {
        const { code = '' } = error as NodeJS.ErrnoException;
        const mayRepeat = NOT_SENT.has(code) || SAFE.has(request.method ?? '');
        if (response.headersSent || response.destroyed) return response.destroy();
        if (!mayRepeat || performance.now() > deadline) {
          response.statusCode = 502;
          return response.end(`${code} ${(error as Error).message}`);
        }
        await wait(LOOK_MS);
      }
    }
  };
  return listen((request, response) => void handle(request, response), {
    host: '127.0.0.1',
    port: 0,
  });
}

/** Rejects while nothing of the answer was passed on, and when the answer broke off. */
function pass(
  { method, url, headers }: IncomingMessage,
  body: Buffer,
  response: ServerResponse,
  port: number,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const call = send(
      { host: '127.0.0.1', port, method, path: url, headers, agent: false },
      (answer) => {
        response.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(response);
        answer.once('error', reject);
        answer.once('close', () =>
          answer.complete ? resolve() : reject(new Error('The answer broke off')),
        );
      },
    );
    call.once('error', reject);
    response.once('close', () => call.destroy());
    call.end(body);
  });
}
