import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';
import {
  type Changes,
  streamChanges,
} from '@tallyhand/contracts/features/changes/changes.endpoints';
import { mayCall } from '@tallyhand/contracts/kernel/access';
import { EVENT_STREAM } from '@tallyhand/contracts/kernel/endpoint';
import { NotSignedIn, RoleNotAllowed, TooManyStreams } from '@tallyhand/contracts/kernel/problem';
import { isRefusal, type Refusal } from '@tallyhand/contracts/kernel/refusal';
import type { Role } from '@tallyhand/contracts/kernel/role';
import { parsePosition } from '@tallyhand/service-kit/event-store/position';
import { credentialWatch } from '@tallyhand/service-kit/http/credential-watch';
import { credentialOf } from '@tallyhand/service-kit/http/credentials';
import { whyNotValid } from '@tallyhand/service-kit/http/ended-access';
import { sendProblem } from '@tallyhand/service-kit/http/problem';
import { parseRequest } from '@tallyhand/service-kit/http/request';
import { level } from '@tallyhand/service-kit/metrics/counter';
import type { OnChange } from '@tallyhand/service-kit/postgres/read-position';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
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
  readonly role: Role;
};
type Stream = Owner & {
  readonly response: ServerResponse;
  /** Receives the features that have changed in the organization. */
  readonly notify: (features: readonly string[]) => void;
};

export type OpenStream = {
  readonly isOpen: boolean;
  send(text: string, bufferedBytesMax?: number): void;
  end(): void;
};

/** Server-sent events that name the changed features of the caller's organization. */
export type LiveChanges = AsyncDisposable & {
  readonly onChange: OnChange;
  addRoute(app: FastifyInstance): void;
  /**
   * A stream of the caller's; it ends with the caller's sign-in or key. `notify` receives changes. Null
   * if it was refused or is over.
   */
  open(
    request: FastifyRequest,
    reply: FastifyReply,
    notify: Stream['notify'],
  ): Promise<OpenStream | null>;
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

  function keep(stream: Stream) {
    const { organizationId, credentialId, response } = stream;
    const streams = organizations.get(organizationId) ?? new Set<Stream>();
    organizations.set(organizationId, streams.add(stream));
    openNow.add({}, 1);
    const isAllowed = (role: Role) => mayCall(role, streamChanges);
    const stopWatch = watch.watch({ credentialId, isAllowed }, () => endSoon(response));
    response.on('error', () => {});
    response.on('close', () => {
      stopWatch();
      openNow.add({}, -1);
      streams.delete(stream);
      if (streams.size === 0) organizations.delete(organizationId);
    });
    response.write('retry: 1000\n\n');
  }

  /** Null if it was refused, or is over already. */
  function start(
    request: FastifyRequest,
    reply: FastifyReply,
    owner: Owner,
    notify: Stream['notify'],
  ): Stream | null {
    const scope = fullScope(organizations.get(owner.organizationId), owner);
    if (scope) {
      void sendProblem(reply, TooManyStreams({ scope, retryAfterSeconds: RETRY_AFTER_SECONDS }));
      return null;
    }
    const common = reply.getHeaders() as OutgoingHttpHeaders;
    const response = reply.hijack().raw.writeHead(200, { ...common, ...STREAM_HEADERS });
    // HEAD has no stream, nor has a socket that closed during the check.
    if (request.method === 'HEAD' || response.destroyed || ending.signal.aborted) {
      response.end();
      return null;
    }
    const stream = { ...owner, response, notify };
    keep(stream);
    return stream;
  }

  async function ownerBy(request: FastifyRequest): Promise<Owner | Refusal> {
    const credentialId = (await credentialOf(request, settings))?.id;
    if (!credentialId) return NotSignedIn({});
    const owner = await ownerOf(pool, credentialId);
    if (!owner) return whyNotValid(pool, credentialId);
    const { role } = owner;
    if (mayCall(role, streamChanges)) return owner;
    return RoleNotAllowed({ role, allowed: streamChanges.roles ?? [] });
  }

  return {
    onChange(changes, position) {
      recent.add(changes, position);
      if (!changes) {
        for (const stream of openStreams()) stream.notify(['all']);
        return;
      }
      for (const { organizationId, features } of changes) {
        for (const stream of organizations.get(organizationId) ?? []) stream.notify(features);
      }
    },
    addRoute(app) {
      app.get(streamChanges.path, async (request, reply) => {
        const owner = await ownerBy(request);
        if (isRefusal(owner)) return sendProblem(reply, owner);
        const parsed = parseRequest(streamChanges, request);
        if (isRefusal(parsed)) return sendProblem(reply, parsed);
        const stream = start(request, reply, owner, (features) => {
          if (stream) send(stream, message(features));
        });
        // Changes since the browser read its page must not be missed.
        const since = parsePosition(parsed.query.since ?? '');
        const changed = stream ? recent.of(owner.organizationId, since) : [];
        if (stream && changed.length > 0) send(stream, message(changed));
        return reply;
      });
    },
    async open(request, reply, notify) {
      const owner = await ownerBy(request);
      if (isRefusal(owner)) {
        void sendProblem(reply, owner);
        return null;
      }
      const stream = start(request, reply, owner, notify);
      if (!stream) return null;
      const { response } = stream;
      return {
        get isOpen() {
          return !response.writableEnded && !response.destroyed;
        },
        send: (text, bufferedBytesMax) => send(stream, text, bufferedBytesMax),
        end: () => response.end(),
      };
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
       organization_id as "organizationId", role
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

function send(
  { response }: Pick<Stream, 'response'>,
  text: string,
  bufferedBytesMax = BUFFERED_BYTES_MAX,
) {
  if (response.writableEnded || response.destroyed) return;
  if (response.writableLength > bufferedBytesMax) response.destroy();
  else response.write(text);
}
