import type { ServerResponse } from 'node:http';
import { NotSignedIn, TooManyRequests } from '@tallyhand/contracts/kernel/problem';
import { signInIdOf } from '@tallyhand/service-kit/http/cookies';
import { sendProblem } from '@tallyhand/service-kit/http/problem';
import type { Change } from '@tallyhand/service-kit/postgres/read-position';
import type { FastifyInstance } from 'fastify';
import type pg from 'pg';
import type { QuerySettings } from './context.ts';

const HEARTBEAT_MS = 15_000;
const STREAMS_PER_ORGANIZATION_MAX = 500;
/** A client that does not read is let go; its browser connects again and asks for everything. */
const BUFFERED_BYTES_MAX = 64 * 1024;

type Stream = { readonly response: ServerResponse; readonly signInId: string };

/** Server-sent events: which read models of the caller's organization have changed. */
export type LiveChanges = AsyncDisposable & {
  onChange(changes: readonly Change[] | null): void;
  addRoute(app: FastifyInstance): void;
};

export function liveChanges(pool: pg.Pool, settings: QuerySettings): LiveChanges {
  const organizations = new Map<string, Set<Stream>>();

  async function organizationOf(signInId: string): Promise<string | null> {
    const { rows } = await pool.query<{ organization_id: string }>(
      'select organization_id from operational.authenticate($1)',
      [signInId],
    );
    return rows[0]?.organization_id ?? null;
  }

  function tell(streams: Iterable<Stream>, models: readonly string[]) {
    const text = `data: ${JSON.stringify({ changed: models })}\n\n`;
    for (const { response } of streams) {
      if (response.writableLength > BUFFERED_BYTES_MAX) response.destroy();
      else response.write(text);
    }
  }

  /** Whoever was signed out meanwhile hears nothing more. */
  async function beat() {
    for (const [organizationId, streams] of organizations) {
      for (const { response, signInId } of streams) {
        if ((await organizationOf(signInId)) === organizationId) response.write(': still here\n\n');
        else response.end();
      }
    }
  }

  const heartbeat = setInterval(() => {
    beat().catch((error: unknown) => settings.log.warn('heartbeat failed', { error: `${error}` }));
  }, HEARTBEAT_MS);

  return {
    onChange(changes) {
      if (!changes) {
        for (const streams of organizations.values()) tell(streams, ['all']);
        return;
      }
      for (const { organizationId, models } of changes) {
        tell(organizations.get(organizationId) ?? [], models);
      }
    },
    addRoute(app) {
      app.get('/api/events', async (request, reply) => {
        const signInId = await signInIdOf(request, settings);
        const organizationId = signInId ? await organizationOf(signInId) : null;
        if (!signInId || !organizationId) return sendProblem(reply, NotSignedIn({}));
        const streams = organizations.get(organizationId) ?? new Set<Stream>();
        if (streams.size >= STREAMS_PER_ORGANIZATION_MAX) {
          return sendProblem(reply, TooManyRequests({ retryAfterSeconds: 30 }));
        }
        const response = reply.hijack().raw;
        const stream = { response, signInId };
        organizations.set(organizationId, streams.add(stream));
        response.on('close', () => {
          streams.delete(stream);
          if (streams.size === 0) organizations.delete(organizationId);
        });
        response.writeHead(200, {
          'content-type': 'text/event-stream',
          'cache-control': 'no-store',
          'x-accel-buffering': 'no',
        });
        response.write('retry: 1000\n\n');
        return reply;
      });
    },
    async [Symbol.asyncDispose]() {
      clearInterval(heartbeat);
      for (const streams of organizations.values()) {
        for (const { response } of streams) response.end();
      }
    },
  };
}
