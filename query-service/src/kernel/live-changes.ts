import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';
import {
  type Changes,
  streamChanges,
} from '@tallyhand/contracts/features/changes/changes.endpoints';
import { EVENT_STREAM } from '@tallyhand/contracts/kernel/endpoint';
import { NotSignedIn, TooManyStreams } from '@tallyhand/contracts/kernel/problem';
import { isRefusal } from '@tallyhand/contracts/kernel/refusal';
import { type Position, parsePosition } from '@tallyhand/service-kit/event-store/position';
import { credentialWatch } from '@tallyhand/service-kit/http/credential-watch';
import { credentialOf } from '@tallyhand/service-kit/http/credentials';
import { sendProblem } from '@tallyhand/service-kit/http/problem';
import { parseRequest } from '@tallyhand/service-kit/http/request';
import { level } from '@tallyhand/service-kit/metrics/counter';
import type { OnChange } from '@tallyhand/service-kit/postgres/read-position';
import type { FastifyInstance } from 'fastify';
import type pg from 'pg';
import type { QuerySettings } from './context.ts';
import { recentChanges } from './recent-changes.ts';

const HEARTBEAT_MS = 15_000;
/** Open streams in this process; a browser needs one, or one per tab. */
const STREAMS_MAX = { 'sign-in': 10, member: 50, organization: 500 } as const;
const RETRY_AFTER_SECONDS = 30;
/** A client that reads sees the end of its stream within this time; others are cut off. */
const FAREWELL_MS_MAX = 1_000;
/** A client that does not read is disconnected; its browser reconnects and refetches everything. */
const BUFFERED_BYTES_MAX = 64 * 1024;
const STREAM_HEADERS = { 'content-type': EVENT_STREAM, 'x-accel-buffering': 'no' };

const openNow = level({
  name: 'tallyhand_live_changes_streams',
  help: 'Open streams of live changes.',
  known: [{}],
});

type Owner = {
  readonly credentialId: string;
  /** For an API key, the member who created it. */
  readonly memberId: string;
  readonly organizationId: string;
};
type Stream = Owner & { readonly response: ServerResponse };

/** Server-sent events that name the changed features of the caller's organization. */
export type LiveChanges = AsyncDisposable & {
  readonly onChange: OnChange;
  addRoute(app: FastifyInstance): void;
};

export function liveChanges(pool: pg.Pool, settings: QuerySettings): LiveChanges {
  const organizations = new Map<string, Set<Stream>>();
  const ending = new AbortController();
  const recent = recentChanges();
  const watch = credentialWatch({ pool, log: settings.log });

  function* openStreams() {
    for (const streams of organizations.values()) yield* streams;
  }

  const beating = setInterval(() => {
    for (const stream of openStreams()) send(stream, ': still here\n\n');
  }, HEARTBEAT_MS);

  function open(stream: Stream, since: Position | null) {
    const { organizationId, credentialId, response } = stream;
    const streams = organizations.get(organizationId) ?? new Set<Stream>();
    organizations.set(organizationId, streams.add(stream));
    openNow.add({}, 1);
    const stopWatch = watch.watch(credentialId, () => endSoon(response));
    response.on('error', () => {});
    response.on('close', () => {
      stopWatch();
      openNow.add({}, -1);
      streams.delete(stream);
      if (streams.size === 0) organizations.delete(organizationId);
    });
    response.write('retry: 1000\n\n');
    // Changes since the browser read its page must not be missed.
    const changed = recent.of(organizationId, since);
    if (changed.length > 0) send(stream, message(changed));
  }

  return {
    onChange(changes, position) {
      recent.add(changes, position);
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
      app.get(streamChanges.path, async (request, reply) => {
        const credentialId = (await credentialOf(request, settings))?.id;
        const owner = credentialId ? await ownerOf(pool, credentialId) : null;
        if (!owner) return sendProblem(reply, NotSignedIn({}));
        const parsed = parseRequest(streamChanges, request);
        if (isRefusal(parsed)) return sendProblem(reply, parsed);
        const scope = fullScope(organizations.get(owner.organizationId), owner);
        if (scope) {
          const retryAfterSeconds = RETRY_AFTER_SECONDS;
          return sendProblem(reply, TooManyStreams({ scope, retryAfterSeconds }));
        }
        const common = reply.getHeaders() as OutgoingHttpHeaders;
        const response = reply.hijack().raw.writeHead(200, { ...common, ...STREAM_HEADERS });
        // HEAD has no stream, nor has a socket that closed during the check.
        const isOver = request.method === 'HEAD' || response.destroyed || ending.signal.aborted;
        if (isOver) response.end();
        else open({ ...owner, response }, parsePosition(parsed.query.since ?? ''));
        return reply;
      });
    },
    async [Symbol.asyncDispose]() {
      ending.abort();
      clearInterval(beating);
      await watch[Symbol.asyncDispose]();
      for (const { response } of openStreams()) response.end();
    },
  };
}

/** The limit that another stream would exceed, or null. */
function fullScope(
  streams: ReadonlySet<Stream> | undefined,
  { credentialId, memberId }: Owner,
): keyof typeof STREAMS_MAX | null {
  const open = [...(streams ?? [])];
  const bySignIn = open.filter((stream) => stream.credentialId === credentialId).length;
  if (bySignIn >= STREAMS_MAX['sign-in']) return 'sign-in';
  const byMember = open.filter((stream) => stream.memberId === memberId).length;
  if (byMember >= STREAMS_MAX.member) return 'member';
  return open.length >= STREAMS_MAX.organization ? 'organization' : null;
}

/** The owner of a valid sign-in or key. */
async function ownerOf(pool: pg.Pool, credentialId: string): Promise<Owner | null> {
  const { rows } = await pool.query<Owner>(
    `select sign_in_id as "credentialId", member_id as "memberId",
       organization_id as "organizationId"
     from operational.caller_of($1) where sign_in_id is not null`,
    [credentialId],
  );
  return rows[0] ?? null;
}

const message = (features: readonly string[]) => {
  const changes: Changes = { changed: [...features] };
  return `data: ${JSON.stringify(changes)}\n\n`;
};

function endSoon(response: ServerResponse) {
  response.end();
  setTimeout(() => response.destroy(), FAREWELL_MS_MAX).unref();
}

function send({ response }: Stream, text: string) {
  if (response.writableEnded || response.destroyed) return;
  if (response.writableLength > BUFFERED_BYTES_MAX) response.destroy();
  else response.write(text);
}
