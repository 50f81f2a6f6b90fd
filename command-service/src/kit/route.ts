import { COSTLY_CALL_WEIGHT } from '@tallyhand/contracts/features/api-keys/api-keys.endpoints';
import { keyReadsOnly, mayCall } from '@tallyhand/contracts/kernel/access';
import {
  deprecationHeaders,
  type Endpoint,
  IDEMPOTENCY_KEY_LENGTH_MAX,
  pathOf,
  takesIdempotencyKey,
} from '@tallyhand/contracts/kernel/endpoint';
import { entityTag, entityTagsOf } from '@tallyhand/contracts/kernel/entity-tag';
import type { Actor } from '@tallyhand/contracts/kernel/envelope';
import type { Ciphertext } from '@tallyhand/contracts/kernel/ids';
import {
  invalidField,
  KeyNotAllowed,
  KeyReadsOnly,
  RoleNotAllowed,
  TooManyRequests,
} from '@tallyhand/contracts/kernel/problem';
import { isRefusal, type Refusal } from '@tallyhand/contracts/kernel/refusal';
import { newId } from '@tallyhand/service-kit/crypto/ids';
import {
  formatPosition,
  maxPosition,
  parsePosition,
} from '@tallyhand/service-kit/event-store/position';
import type { FairQueue } from '@tallyhand/service-kit/fair-queue';
import { type CallLimit, fastifyPath, routeConfig } from '@tallyhand/service-kit/http/app';
import {
  hasPositionCookie,
  positionToPass,
  setPosition,
} from '@tallyhand/service-kit/http/cookies';
import { sendProblem } from '@tallyhand/service-kit/http/problem';
import { parseRequest } from '@tallyhand/service-kit/http/request';
import { errorFields } from '@tallyhand/service-kit/log';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { LRUCache } from 'lru-cache';
import type { z } from 'zod';
import type { Caller, Kit } from './app.ts';
import { authenticate } from './authenticate.ts';
import { closeSignal } from './caller.ts';
import type { CommandContext } from './context.ts';
import {
  type EventFormat,
  type EventStream,
  type StreamedAnswer,
  streamedAnswer,
  wantsEvents,
} from './event-stream.ts';
import {
  type Answer,
  type AskedRequest,
  askedRequest,
  type KeyOwner,
  keyedCommandId,
  type TakenUp,
} from './idempotency.ts';
import { isAudited } from './refused-call.ts';

/** How long an answer waits for the read models when the caller carries no position. */
const READ_MODELS_WAIT_MS = 2_000;
const JSON_TYPE = 'application/json; charset=utf-8';

type Options = {
  readonly limit?: CallLimit;
  /** The object of a 404; by default the feature's name in the singular. */
  readonly what?: string;
  /**
   * The subject of a refused call, for the audit log, besides the refusal's parameters. With it,
   * malformed calls are recorded too.
   */
  readonly aboutRefused?: (request: FastifyRequest) => Readonly<Record<string, string>>;
  /** It leaves no event that names its caller, so that of an Auditor is recorded. */
  readonly recordsAuditors?: true;
  /**
   * The queue in which the call waits for its organization's turn; refused if too much is waiting.
   * A caller who leaves gives up the place.
   */
  readonly queue?: FairQueue;
  /**
   * How the events of a call of another protocol are written; null if it asks for no stream. `body` is
   * as the contract has it.
   */
  readonly streamFormat?: (body: unknown) => EventFormat | null;
  /** Headers that follow from the answer, which may be a stored one. */
  readonly answerHeaders?: (answer: unknown) => Readonly<Record<string, string>>;
};

/** Replaces the contract's status, such as 202 for unfinished work. */
export type Reply<A> = { readonly status: number; readonly body: A };

type Call<P, B, C> = {
  readonly params: P;
  readonly body: B;
  readonly caller: C;
  readonly context: CommandContext;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  /**
   * Streams the answer while it is generated, if the caller requests it and the contract allows it.
   */
  readonly events: EventStream | null;
  /** The entity tags of `If-Match`; absent if every state may be changed. */
  readonly ifMatch?: readonly string[] | undefined;
};
export type MemberCall<P, B> = Call<P, B, Caller>;
type VisitorCall<P, B> = Call<P, B, Caller | null>;

/** A call that came with an idempotency key. */
type Keyed = { readonly owner: KeyOwner; readonly key: string; readonly asked: AskedRequest };

type Result<A> = Refusal | A | { readonly reply: Reply<A> } | { readonly reply: Accepted };

/** The work continues, or waits: the contract's `accepted` or `waits`. */
type Accepted = { readonly status: 202; readonly body: object };

type Handler<IsPublic, P, B, A> = (
  call: IsPublic extends true ? VisitorCall<P, B> : MemberCall<P, B>,
) => Promise<Result<A>>;

/** Registers a command's route: contract and access first, then the handler. */
export function route<
  P extends z.ZodType,
  Q extends z.ZodType,
  B extends z.ZodType,
  A extends z.ZodType,
  IsPublic extends boolean,
>(
  app: FastifyInstance,
  kit: Kit,
  endpoint: Endpoint<P, Q, B, A, IsPublic>,
  ...last:
    | [Handler<IsPublic, z.infer<P>, z.infer<B>, z.infer<A>>]
    | [Options, Handler<IsPublic, z.infer<P>, z.infer<B>, z.infer<A>>]
): void {
  const [options, handler] = last.length === 2 ? last : [{}, last[0]];
  const run = (call: VisitorCall<z.infer<P>, z.infer<B>>) => {
    // Only a public call gets here without a caller.
    const answer = () => handler(call as Parameters<typeof handler>[0]);
    const { caller, reply } = call;
    if (!options.queue || !caller) return answer();
    return options.queue.tryRun(caller.organizationId, answer, { signal: closeSignal(reply) });
  };
  app.route({
    method: endpoint.method,
    url: fastifyPath(endpoint.path),
    ...routeConfig(endpoint, options.limit, kit.settings.rateLimitScale),
    handler: async (request, reply) => {
      reply.headers(deprecationHeaders(endpoint));
      const authenticated = await authenticate(kit, request);
      const caller = isRefusal(authenticated) ? null : authenticated;
      if (caller?.kind === 'member') kit.lastSeen.note(caller.signInId);
      const refuse = (refusal: Refusal, streamed: StreamedAnswer | null = null) => {
        if (caller) recordRefused(kit, endpoint, options, { refusal, caller, request });
        return streamed?.events.isOpen ? streamed.fail(refusal) : sendProblem(reply, refusal);
      };
      const denied = denial(kit, endpoint, options, authenticated);
      if (denied) return refuse(denied);
      const parsed = parseRequest(endpoint, request, options.what);
      if (isRefusal(parsed)) return refuse(parsed);
      const key = takesIdempotencyKey(endpoint) ? idempotencyKey(request) : null;
      if (isRefusal(key)) return refuse(key);
      const ifMatch = endpoint.takesIfMatch && entityTagsSent(request);
      if (isRefusal(ifMatch)) return refuse(ifMatch);
      const format = options.streamFormat?.(parsed.body) ?? undefined;
      const isWanted = endpoint.protocol ? format !== undefined : wantsEvents(request);
      const streamed =
        caller && endpoint.streamed && isWanted
          ? streamedAnswer(kit, caller, { endpoint, request, reply }, format)
          : null;
      const events = streamed?.events ?? null;
      const settled = once(kit, endpoint, { ...parsed, request, caller, key }, (context) =>
        run({ ...parsed, caller, context, request, reply, events, ifMatch }),
      );
      const answer = await (streamed ? settled.catch(streamed.failure) : settled);
      if (isRefusal(answer)) return refuse(answer, streamed);
      if (options.recordsAuditors && caller?.role === 'Auditor') {
        await recordAuditor(kit, endpoint, caller, request);
      }
      if (streamed) return streamed.give(answer);
      if (options.answerHeaders && answer.body) {
        reply.headers(options.answerHeaders(JSON.parse(answer.body)));
      }
      return send(kit, endpoint, { request, reply }, answer);
    },
  });
}

type Asked<C> = {
  readonly request: FastifyRequest;
  readonly caller: C;
  readonly key: string | null;
  readonly params: unknown;
  readonly body: unknown;
};

/** Runs a call, once for each key. */
async function once(
  kit: Kit,
  endpoint: Endpoint,
  { request, caller, key, params, body }: Asked<Caller | null>,
  run: (context: CommandContext) => Promise<unknown>,
): Promise<Answer | Refusal> {
  const call = `${endpoint.method} ${endpoint.path}`;
  const keyed =
    caller && key !== null
      ? { owner: caller, key, asked: askedRequest(kit.box, call, params, body) }
      : null;
  const context = await contextOf(kit, request, caller, keyed);
  const work = async (takenUp: TakenUp | null): Promise<Answer | Refusal> => {
    const own = keyed && takenUp ? takenUpContext(context, keyed, takenUp) : context;
    const result = await run(own);
    if (isRefusal(result)) return result;
    return answerOf(endpoint, result, formatPosition(kit.latest.current()));
  };
  return keyed ? kit.idempotency.once(keyed.owner, keyed.key, keyed.asked, work) : work(null);
}

/** One of several calls in a request: as if it had been made alone, with its own idempotency key. */
export async function innerCall(
  kit: Kit,
  endpoint: Endpoint,
  asked: Asked<Caller>,
  run: (context: CommandContext) => Promise<unknown>,
): Promise<Answer | Refusal> {
  const { caller, request } = asked;
  const answer = await once(kit, endpoint, asked, run);
  if (isRefusal(answer)) recordRefused(kit, endpoint, {}, { refusal: answer, caller, request });
  return answer;
}

/** Records a caller's refused call in the audit log. The answer does not wait for it. */
function recordRefused(
  kit: Kit,
  { name: call }: Endpoint,
  { aboutRefused }: Options,
  refused: { readonly refusal: Refusal; readonly caller: Caller; readonly request: FastifyRequest },
) {
  const { refusal, caller, request } = refused;
  // With `aboutRefused`, all refused calls are recorded.
  if (!aboutRefused && !isAudited(refusal)) return;
  const about = aboutRefused?.(request) ?? {};
  contextOf(kit, request, caller, null)
    .then((context) => kit.recordRefused({ call, refusal, about, context }))
    .catch((error) => kit.log.error('a refused call was not recorded', errorFields(error)));
}

function answerOf(endpoint: Endpoint, result: unknown, position: string): Answer {
  const changed = typeof result === 'object' && result !== null && 'reply' in result;
  const { status, body } = changed
    ? (result as { reply: Reply<unknown> }).reply
    : { status: endpoint.status, body: result };
  return { status, body: status === 204 ? null : JSON.stringify(body), position };
}

async function send(
  kit: Kit,
  { location, hasEtag, waits }: Endpoint,
  { request, reply }: { readonly request: FastifyRequest; readonly reply: FastifyReply },
  answer: Answer,
) {
  const given = parsePosition(answer.position ?? '');
  // The caller may have seen a later position than that of a stored answer.
  const position = given && maxPosition(given, positionToPass(request) ?? given);
  if (position) {
    setPosition(reply, kit.settings.publicUrl, position);
    if (!hasPositionCookie(request)) {
      await kit.readPosition.reached(position, READ_MODELS_WAIT_MS);
    }
  }
  reply.code(answer.status);
  if (answer.isReplayed) reply.header('idempotent-replayed', 'true');
  if (hasEtag && answer.body) reply.header('etag', entityTag(JSON.parse(answer.body)));
  if (location && answer.body) {
    reply.header('location', pathOf({ path: location }, JSON.parse(answer.body)));
  }
  // The work may end soon.
  if (answer.status === 202 && !waits) reply.header('retry-after', '1');
  if (answer.body === null) return reply.send();
  return reply.type(JSON_TYPE).send(answer.body);
}

async function recordAuditor(
  kit: Kit,
  { name: call }: Endpoint,
  caller: Caller,
  request: FastifyRequest,
) {
  const { organizationId } = caller;
  const context = await contextOf(kit, request, caller, null);
  await kit.recordAuditor({ call, params: {}, context: { ...context, organizationId } });
}

function denial(
  kit: Kit,
  endpoint: Endpoint,
  { limit }: Options,
  caller: Caller | Refusal,
): Refusal | null {
  if (caller.kind === 'api-key') {
    const refused = refusalOfKey(kit, endpoint, caller, limit !== undefined);
    if (refused) return refused;
  }
  if (endpoint.isPublic) return null;
  if (isRefusal(caller)) return caller;
  if (mayCall(caller.role, endpoint)) return null;
  return RoleNotAllowed({ role: caller.role, allowed: endpoint.roles ?? [] });
}

function refusalOfKey(
  kit: Kit,
  endpoint: Endpoint,
  { signInId: digest, role }: Caller,
  isCostly: boolean,
): Refusal | null {
  const retryAfterSeconds = kit.keyCalls.count(digest, isCostly ? COSTLY_CALL_WEIGHT : 1);
  if (retryAfterSeconds !== null) return TooManyRequests({ retryAfterSeconds });
  if (!endpoint.takesApiKeys) return KeyNotAllowed({});
  // Its role is at most the current role of its creator.
  return keyReadsOnly(role, endpoint) ? KeyReadsOnly({}) : null;
}

function idempotencyKey({ headers }: FastifyRequest): string | null | Refusal {
  const key = headers['idempotency-key'];
  if (key === undefined) return null;
  if (typeof key === 'string' && key.length > 0 && key.length <= IDEMPOTENCY_KEY_LENGTH_MAX)
    return key;
  const message = `Must have 1 to ${IDEMPOTENCY_KEY_LENGTH_MAX} characters`;
  return invalidField('Idempotency-Key', message);
}

function entityTagsSent({ headers }: FastifyRequest): readonly string[] | undefined | Refusal {
  const header = headers['if-match'];
  if (header === undefined) return;
  const tags = entityTagsOf(header);
  if (tags) return tags === '*' ? undefined : tags;
  const message = 'Must be the ETag of an answer, in quotes, or *';
  return invalidField('If-Match', message);
}

/** `keyed`: the identity of a call, or null if each call is distinct. */
async function contextOf(
  kit: Kit,
  request: FastifyRequest,
  caller: Caller | null,
  keyed: Keyed | null,
): Promise<CommandContext> {
  const organizationId = caller?.organizationId ?? null;
  const actor: Actor = caller ? actorOf(caller) : { kind: 'visitor' };
  return {
    organizationId,
    actor,
    commandId: keyed ? keyedCommandId(keyed.owner, keyed.key, keyed.asked.hash) : newId(),
    ...(keyed ? {} : { isFirst: true as const }),
    correlationId: request.id,
    causationId: null,
    ...(caller ? { sourceAddress: await addressOf(kit, caller, request.ip) } : {}),
    now: new Date(),
  };
}

/** Keeps the id that the call began with, possibly under 0.1.0. */
const takenUpContext = (
  context: CommandContext,
  { owner, key }: Keyed,
  { requestHash }: TakenUp,
): CommandContext => ({
  ...context,
  commandId: keyedCommandId(owner, key, requestHash),
  isTakenUp: true,
});

/** The actor, as events name it. */
export const actorOf = ({
  kind,
  userId: id,
  signInId,
}: Pick<Caller, 'kind' | 'userId' | 'signInId'>): Actor =>
  kind === 'member' ? { kind, id, signInId } : { kind, id };

const ADDRESSES_CACHED_MAX = 5_000;
const addresses = new LRUCache<string, Ciphertext>({ max: ADDRESSES_CACHED_MAX });

/** Encrypting an address takes longer than a command; a caller's address seldom changes. */
async function addressOf(kit: Kit, caller: Caller, ip: string): Promise<Ciphertext> {
  const at = `${caller.userId} ${ip}`;
  const known = addresses.get(at);
  if (known) return known;
  const text = await kit.vault.encrypt(caller.userId, caller.organizationId, ip);
  addresses.set(at, text);
  return text;
}
