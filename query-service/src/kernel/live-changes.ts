import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { NotSignedIn, TooManyRequests } from '@tallyhand/contracts/kernel/problem';
import { credentialOf } from '@tallyhand/service-kit/http/credentials';
import { sendProblem } from '@tallyhand/service-kit/http/problem';
import { refusalOfQuery } from '@tallyhand/service-kit/http/request';
import { errorFields, type Log } from '@tallyhand/service-kit/log';
import { level } from '@tallyhand/service-kit/metrics/counter';
import type { Change } from '@tallyhand/service-kit/postgres/read-position';
import type { FastifyInstance } from 'fastify';
import type pg from 'pg';
import type { QuerySettings } from './context.ts';
import { recentChanges } from './recent-changes.ts';

const HEARTBEAT_MS = 15_000;
const STREAMS_PER_ORGANIZATION_MAX = 500;
/** A client that does not read is let go; its browser connects again and asks for everything. */
const BUFFERED_BYTES_MAX = 64 * 1024;
const STREAM_HEADERS = { 'content-type': 'text/event-stream', 'x-accel-buffering': 'no' };

const openNow = level({
  name: 'tallyhand_live_changes_streams',
  help: 'Open streams that tell browsers what has changed.',
  known: [{}],
});

type Stream = { readonly response: ServerResponse; readonly credentialId: string };

/** Server-sent events: in which features the caller's organization has changed. */
export type LiveChanges = AsyncDisposable & {
  onChange(changes: readonly Change[] | null): void;
  addRoute(app: FastifyInstance): void;
};

export function liveChanges(pool: pg.Pool, settings: QuerySettings): LiveChanges {
  const organizations = new Map<string, Set<Stream>>();
  const ending = new AbortController();
  const recent = recentChanges();

  function* openStreams() {
    for (const streams of organizations.values()) yield* streams;
  }

  /** Whose sign-in or key ended meanwhile hears nothing more. */
  async function beat() {
    const credentialIds = new Set(openStreams().map(({ credentialId }) => credentialId));
    if (credentialIds.size === 0) return;
    const valid = await organizationsOf(pool, [...credentialIds]);
    for (const stream of openStreams()) {
      // A stream that opened during the query was checked when it opened.
      if (!credentialIds.has(stream.credentialId) || valid.has(stream.credentialId)) {
        send(stream, ': still here\n\n');
      } else {
        stream.response.destroy();
      }
    }
  }

  const beating = keepBeating(beat, ending.signal, settings.log);

  function open(organizationId: string, streams: Set<Stream>, stream: Stream) {
    organizations.set(organizationId, streams.add(stream));
    openNow.add({}, 1);
    stream.response.on('error', () => {});
    stream.response.on('close', () => {
      openNow.add({}, -1);
      streams.delete(stream);
      if (streams.size === 0) organizations.delete(organizationId);
    });
    stream.response.write('retry: 1000\n\n');
    // The browser read its pages a moment ago: nothing that came since then is missed.
    const changed = recent.of(organizationId);
    if (changed.length > 0) send(stream, message(changed));
  }

  return {
    onChange(changes) {
      recent.add(changes);
      if (!changes) {
        for (const stream of openStreams()) send(stream, message(['all']));
        return;
      }
      for (const { organizationId, features } of changes) {
        const text = message(features);
        for (const stream of organizations.get(organizationId) ?? []) send(stream, text);
      }
    },
    addRoute(app) {
      app.get('/api/events', async (request, reply) => {
        const credentialId = (await credentialOf(request, settings))?.id;
        const organizationId =
          credentialId && (await organizationsOf(pool, [credentialId])).get(credentialId);
        if (!credentialId || !organizationId) return sendProblem(reply, NotSignedIn({}));
        const refused = refusalOfQuery(request);
        if (refused) return sendProblem(reply, refused);
        const streams = organizations.get(organizationId) ?? new Set<Stream>();
        if (streams.size >= STREAMS_PER_ORGANIZATION_MAX) {
          return sendProblem(reply, TooManyRequests({ retryAfterSeconds: 30 }));
        }
        const common = reply.getHeaders() as OutgoingHttpHeaders;
        const response = reply.hijack().raw.writeHead(200, { ...common, ...STREAM_HEADERS });
        // Nobody listens to the answer of HEAD, nor to one whose socket closed during the check.
        const isOver = request.method === 'HEAD' || response.destroyed || ending.signal.aborted;
        if (isOver) response.end();
        else open(organizationId, streams, { response, credentialId });
        return reply;
      });
    },
    async [Symbol.asyncDispose]() {
      ending.abort();
      await beating;
      for (const { response } of openStreams()) response.end();
    },
  };
}

/** Beats until the signal comes, one beat after the other. */
async function keepBeating(beat: () => Promise<void>, signal: AbortSignal, log: Log) {
  while (!signal.aborted) {
    await sleep(HEARTBEAT_MS, undefined, { signal }).catch(() => {});
    if (signal.aborted) return;
    await beat().catch((error) => log.warn('heartbeat failed', errorFields(error)));
  }
}

/** Organizations by the sign-ins and keys that still count, in one round trip. */
async function organizationsOf(pool: pg.Pool, credentialIds: readonly string[]) {
  const { rows } = await pool.query<{ sign_in_id: string; organization_id: string }>(
    `select a.sign_in_id, a.organization_id
     from unnest($1::uuid[]) s (id), operational.authenticate(s.id) a`,
    [credentialIds],
  );
  return new Map(rows.map((row) => [row.sign_in_id, row.organization_id]));
}

const message = (features: readonly string[]) =>
  `data: ${JSON.stringify({ changed: features })}\n\n`;

function send({ response }: Stream, text: string) {
  if (response.writableEnded || response.destroyed) return;
  if (response.writableLength > BUFFERED_BYTES_MAX) response.destroy();
  else response.write(text);
}
