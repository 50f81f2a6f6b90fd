import type { ReadableStream } from 'node:stream/web';
import { COSTLY_CALL_WEIGHT } from '@tallyhand/contracts/features/api-keys/api-keys.endpoints';
import {
  deprecationHeaders,
  type Endpoint,
  type MemberEndpoint,
} from '@tallyhand/contracts/kernel/endpoint';
import { entityTag } from '@tallyhand/contracts/kernel/entity-tag';
import type { Page } from '@tallyhand/contracts/kernel/lists';
import {
  DependencyDown,
  KeyNotAllowed,
  NotFound,
  NotSignedIn,
  ReadModelsBehind,
  RoleNotAllowed,
  TooManyRequests,
} from '@tallyhand/contracts/kernel/problem';
import { isRefusal, type Refusal } from '@tallyhand/contracts/kernel/refusal';
import type { PageArguments, Read, ReadArguments } from '@tallyhand/read-models/kernel/read';
import { formatPosition } from '@tallyhand/service-kit/event-store/position';
import { type CallLimit, fastifyPath, routeConfig } from '@tallyhand/service-kit/http/app';
import { POSITION_HEADER, positionToPass } from '@tallyhand/service-kit/http/cookies';
import { type Credential, credentialOf } from '@tallyhand/service-kit/http/credentials';
import { whyNotValid } from '@tallyhand/service-kit/http/ended-access';
import { sendProblem } from '@tallyhand/service-kit/http/problem';
import { parseRequest } from '@tallyhand/service-kit/http/request';
import { errorFields } from '@tallyhand/service-kit/log';
import { traced } from '@tallyhand/service-kit/tracing/tracing';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { z } from 'zod';
import type { QueryContext } from './context.ts';
import { nextLink, type PageAsked, pageValues } from './paging.ts';
import { type ReadResult, runRead, type Values } from './run-read.ts';

/** The time that a read waits for the caller's own last change. */
const POSITION_WAIT_MS = 2_000;
export const JSON_TYPE = 'application/json; charset=utf-8';

export type Options = {
  /** For expensive calls. */
  readonly limit?: CallLimit;
  /** The noun in a 404; by default the feature's name in the singular. */
  readonly what?: string;
  /** The answer contains a secret, so it is never compressed. */
  readonly holdsSecrets?: boolean;
};

export type Call<P, Q> = {
  readonly params: P;
  readonly query: Q;
  readonly reply: FastifyReply;
  /** Runs a read for the caller, if the caller's role is allowed. */
  readonly read: <A extends ReadArguments>(
    read: Read<A>,
    values: Values<A>,
  ) => Promise<ReadResult | Refusal>;
};

/** An answer that is not JSON, or JSON that is streamed. */
type FileResult = {
  readonly kind: 'file';
  /** Browsers save it under this name; without a name they show it. */
  readonly fileName?: string;
  /** The endpoint's media type by default. */
  readonly media?: string;
  readonly body: Buffer | ReadableStream<string | Uint8Array>;
};

/** The answer of a handler: JSON text that is sent as it is, null for a 404, or a file. */
type Result = Promise<ReadResult | FileResult | Refusal>;

type Handler<P, Q> = (call: Call<P, Q>) => Result;

/** Registers the route of a read. It waits until the read models have the caller's own changes. */
export function route<P extends z.ZodType, Q extends z.ZodType, A extends z.ZodType>(
  app: FastifyInstance,
  context: QueryContext,
  endpoint: Endpoint<P, Q, z.ZodUndefined, A>,
  ...last: [Handler<z.infer<P>, z.infer<Q>>] | [Options, Handler<z.infer<P>, z.infer<Q>>]
): void {
  const [options, handler] = last.length === 2 ? last : [{}, last[0]];
  const { isPublic, roles, feature } = endpoint;
  const { limit, holdsSecrets, what = feature.replace(/s$/, '') } = options;
  const { config } = routeConfig(endpoint, limit, context.settings.rateLimitScale);
  const isCostly = limit !== undefined;
  const runner = isCostly ? context.pool : context.lines;
  const routeOptions = { config: { ...config, ...(holdsSecrets ? { holdsSecrets } : {}) } };
  app.get(fastifyPath(endpoint.path), routeOptions, async (request, reply) => {
    reply.headers(deprecationHeaders(endpoint));
    const credential = isPublic ? null : await credentialOf(request, context.settings);
    if (!isPublic && !credential) return sendProblem(reply, NotSignedIn({}));
    const parsed = parseRequest(endpoint, request);
    if (isRefusal(parsed)) {
      // Only authenticated callers learn what is wrong with the call.
      const stranger = credential && (await refusalOfStranger(context, credential));
      if (stranger) return sendProblem(reply, stranger);
      return sendProblem(reply, parsed.code === NotFound.code ? NotFound({ what }) : parsed);
    }
    const refused = credential && (await refusalOfKey(context, endpoint, credential, isCostly));
    if (refused) return sendProblem(reply, refused);
    if (!(await seesOwnChanges(context, request))) return sendProblem(reply, ReadModelsBehind({}));
    // The answer is at least as recent as this position.
    reply.header(POSITION_HEADER, formatPosition(context.readPosition.current()));
    const { params, query } = parsed;
    let byAuditor = false;
    const result = await handler({
      params,
      query,
      reply,
      async read(read, values) {
        const answer = await runRead(runner, read, credential?.id ?? null, roles, values);
        if (!isRefusal(answer) && answer.byAuditor) byAuditor = true;
        return answer;
      },
    });
    if (isRefusal(result)) {
      if (credential && result.code === RoleNotAllowed.code) {
        observeRefused(context, endpoint, request, { credential, refusal: result });
      }
      return sendProblem(reply, result);
    }
    // Calls about the own account are everyone's and have no roles.
    if (byAuditor && credential && roles) {
      const isRecorded = await recordAuditor(context, endpoint, request, credential);
      if (!isRecorded) return sendProblem(reply, DependencyDown({ what: 'The audit log' }));
    }
    if (credential?.kind === 'member') context.noteSeen(credential.id);
    if (result.kind === 'file') return sendFile(reply, endpoint, result);
    if (result.body === null) return sendProblem(reply, NotFound({ what }));
    if (endpoint.hasEtag) reply.header('etag', entityTag(JSON.parse(result.body)));
    return reply.code(endpoint.status).type(JSON_TYPE).send(result.body);
  });
}

/** Counts a call with an API key. The read itself checks whether the key is valid. */
async function refusalOfKey(
  context: QueryContext,
  { takesApiKeys }: Pick<Endpoint, 'takesApiKeys'>,
  credential: Credential,
  isCostly: boolean,
): Promise<Refusal | null> {
  if (credential.kind !== 'api-key') return null;
  const retryAfterSeconds = context.keyCalls.count(
    credential.id,
    isCostly ? COSTLY_CALL_WEIGHT : 1,
  );
  if (retryAfterSeconds !== null) return TooManyRequests({ retryAfterSeconds });
  if (takesApiKeys) return null;
  return (await refusalOfStranger(context, credential)) ?? KeyNotAllowed({});
}

function observeRefused(
  { settings }: QueryContext,
  { name: call }: Pick<Endpoint, 'name'>,
  { ip: address, id: correlationId }: FastifyRequest,
  refused: { readonly credential: Credential; readonly refusal: Refusal },
) {
  const { credential, refusal } = refused;
  settings.observe({
    kind: 'read-refused',
    call,
    refusal,
    address,
    correlationId,
    credentialId: credential.id,
    isKey: credential.kind === 'api-key',
  });
}

function sendFile(reply: FastifyReply, endpoint: Endpoint, file: FileResult) {
  const media = file.media ?? endpoint.media ?? 'text/plain';
  if (file.fileName) {
    reply.header('content-disposition', `attachment; filename="${file.fileName}"`);
  }
  return reply.type(media.startsWith('text/') ? `${media}; charset=utf-8` : media).send(file.body);
}

/** Null for a valid sign-in or key. */
async function refusalOfStranger({ pool }: QueryContext, { id }: Credential) {
  const { rowCount } = await pool.query('select from operational.authenticate($1)', [id]);
  return rowCount ? null : whyNotValid(pool, id);
}

/** In place of the words that were searched for. */
const SEARCHED = '…';

/** Whether the read of an Auditor is in the audit log, with its object and filters. */
async function recordAuditor(
  { settings }: QueryContext,
  { name: call }: Pick<Endpoint, 'name'>,
  request: FastifyRequest,
  credential: Credential,
): Promise<boolean> {
  const { params, query, ip: address, id: correlationId } = request;
  // Which page it is says nothing. Words may be personal data, and an event is forever.
  const { cursor: _, q, ...filter } = query as Readonly<Record<string, string>>;
  try {
    await settings.record({
      kind: 'auditor-read',
      call,
      params: { ...filter, ...(q ? { q: SEARCHED } : {}), ...(params as object) },
      address,
      correlationId,
      credentialId: credential.id,
      isKey: credential.kind === 'api-key',
    });
    return true;
  } catch (error) {
    settings.log.error('a read of an Auditor was not recorded', errorFields(error));
    return false;
  }
}

/** Waits until the read models have the caller's last change. */
export async function seesOwnChanges({ readPosition }: QueryContext, request: FastifyRequest) {
  const position = positionToPass(request);
  if (!position) return true;
  return traced('wait for the read models', {}, () =>
    readPosition.reached(position, POSITION_WAIT_MS),
  );
}

/**
 * One object of the caller's organization, or 404. The parameters of the path are the arguments of the
 * read.
 */
export function oneRoute<A extends z.ZodType, R extends ReadArguments>(
  app: FastifyInstance,
  context: QueryContext,
  endpoint: MemberEndpoint<
    z.ZodType<keyof R extends never ? undefined : Values<NoInfer<R>>>,
    z.ZodUndefined,
    z.ZodUndefined,
    A
  >,
  read: Read<R>,
  options: Options = {},
): void {
  route(app, context, endpoint, options, (call) =>
    call.read(read, (call.params ?? {}) as Values<R>),
  );
}

/** A list of the caller's organization: whole up to 1,000 rows, or paged by `limit` and `cursor`. */
export function listRoute<A extends z.ZodType>(
  app: FastifyInstance,
  context: QueryContext,
  endpoint: MemberEndpoint<z.ZodUndefined, z.ZodType<Page>, z.ZodUndefined, A>,
  { read, ...options }: Options & { readonly read: Read<PageArguments> },
): void {
  route(app, context, endpoint, options, (call) =>
    pageOf(call, endpoint.path, (page) => call.read(read, page)),
  );
}

/** One page of a list, with the Link header; `path` is the path of the list. */
export async function pageOf(
  { query, reply }: Pick<Call<unknown, PageAsked>, 'query' | 'reply'>,
  path: string,
  read: (page: Values<PageArguments>) => Promise<ReadResult | Refusal>,
): Promise<ReadResult | Refusal> {
  const { limit, cursor, ...filter } = query;
  const values = pageValues({ limit, cursor, order: filter.order, sort: filter.sort });
  if (isRefusal(values)) return values;
  const result = await read(values);
  if (!isRefusal(result) && result.next) {
    reply.header('link', nextLink(path, result.next, values.limit, filter));
  }
  return result;
}
