import { Readable } from 'node:stream';
import type { McpServer, RequestId, Server, ServerContext } from '@modelcontextprotocol/server';
import { MCP_PATH, PROTECTED_RESOURCE_PATHS } from '@tallyhand/contracts/features/mcp/mcp-paths';
import { MEMBERS, mayCall } from '@tallyhand/contracts/kernel/access';
import {
  ForeignOrigin,
  MalformedRequest,
  RoleNotAllowed,
  TooManyRequests,
} from '@tallyhand/contracts/kernel/problem';
import { isRefusal, type Refusal } from '@tallyhand/contracts/kernel/refusal';
import { derivedId, newId } from '@tallyhand/service-kit/crypto/ids';
import { hasKey } from '@tallyhand/service-kit/http/credentials';
import { problemOf, refusalOf } from '@tallyhand/service-kit/http/problem';
import { hasDirectHost } from '@tallyhand/service-kit/http/server';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Caller } from '../../kit/app.ts';

/** A task's input of 32,000 characters of three bytes each, escaped, still fits. */
const BODY_BYTES_MAX = 1024 * 1024;
/** As long as the longest call may work. */
const CALL_MS_MAX = 11 * 60_000;
const SESSION_HEADER = 'mcp-session-id';
const SESSION_ID = /^[\x21-\x7e]{1,100}$/;

/** One HTTP request. */
export type McpRequest = {
  readonly request: FastifyRequest;
  readonly caller: Caller;
  readonly isBatch: boolean;
  /** Aborted when the client cancels this call. */
  cancellationOf(context: ServerContext): Disposable & { readonly signal: AbortSignal };
};

export type McpEndpoint = {
  readonly publicUrl: string;
  /** The owner of the API key, if it is valid. */
  authenticate(request: FastifyRequest): Promise<Caller | Refusal>;
  /** Null, or after how many seconds the key may call again. */
  countCall(caller: Caller): number | null;
  /** Announces cancelled calls to all processes. */
  readonly signals: {
    announce(id: string): Promise<void>;
    wait(id: string, timeoutMs: number): { readonly ended: Promise<unknown>; cancel(): void };
  };
  serverOf(request: McpRequest): Server | McpServer | Promise<Server>;
};

/**
 * The Model Context Protocol over HTTP: revision 2026-07-28, and the earlier ones without state.
 * Any process answers any request.
 */
export async function mcpEndpoint(app: FastifyInstance, endpoint: McpEndpoint): Promise<void> {
  const { publicUrl } = endpoint;
  for (const path of PROTECTED_RESOURCE_PATHS) {
    app.get(path, async () => resourceMetadata(publicUrl));
  }
  await app.register(async (scope) => {
    scope.setErrorHandler((error, request, reply) => {
      const refused = refusalOf(error, BODY_BYTES_MAX);
      // Faults are logged and answered as everywhere.
      if (refused.status >= 500) throw error;
      return sendError(publicUrl, request, reply, refused);
    });
    scope.route({
      method: ['GET', 'PUT', 'DELETE', 'PATCH'],
      url: MCP_PATH,
      handler: (_request, reply) => reply.code(405).header('allow', 'POST').send(),
    });
    scope.post(MCP_PATH, { bodyLimit: BODY_BYTES_MAX }, (request, reply) =>
      answer(endpoint, request, reply),
    );
  });
}

async function answer(endpoint: McpEndpoint, request: FastifyRequest, reply: FastifyReply) {
  const { publicUrl } = endpoint;
  const refuse = (refusal: Refusal) => sendError(publicUrl, request, reply, refusal);
  if (!isOwnSite(request, publicUrl)) return refuse(ForeignOrigin({}));
  const caller = await endpoint.authenticate(request);
  if (isRefusal(caller)) return refuse(caller);
  if (!mayCall(caller.role, MEMBERS)) {
    return refuse(RoleNotAllowed({ role: caller.role, allowed: MEMBERS.roles }));
  }
  const retryAfterSeconds = endpoint.countCall(caller);
  if (retryAfterSeconds !== null) return refuse(TooManyRequests({ retryAfterSeconds }));
  const { body } = request;
  if (body === undefined) return refuse(MalformedRequest({ reason: 'The body is empty.' }));
  const messages = (Array.isArray(body) ? body : [body]).map(messageOf);
  const session = sessionOf(request);
  for (const { method, params } of messages) {
    const cancelled = method === 'notifications/cancelled' ? params?.requestId : undefined;
    const id = cancelled !== undefined && callId(caller, session, cancelled);
    if (id) await endpoint.signals.announce(id);
  }
  // Loaded with the first call: many installations get none.
  const { createMcpHandler } = await import('@modelcontextprotocol/server');
  const handler = createMcpHandler(
    ({ era }) =>
      endpoint.serverOf({
        request,
        caller,
        isBatch: Array.isArray(body),
        cancellationOf: ({ mcpReq }) =>
          era === 'modern'
            ? { signal: mcpReq.signal, [Symbol.dispose]() {} }
            : cancellation(endpoint, callId(caller, session, mcpReq.id)),
      }),
    {
      // A call may take minutes: comments keep its connection open.
      responseMode: messages.some(({ method }) => method === 'tools/call') ? 'sse' : 'auto',
      // No list announces its changes.
      maxSubscriptions: 0,
    },
  );
  const response = await handler.fetch(webRequest(request, reply), { parsedBody: body });
  if (messages[0]?.method === 'initialize' && response.ok) reply.header(SESSION_HEADER, newId());
  return sendResponse(reply, response);
}

type Message = {
  readonly method?: unknown;
  readonly params?: { readonly requestId?: unknown } | undefined;
};

const messageOf = (value: unknown): Message =>
  typeof value === 'object' && value !== null ? (value as Message) : {};

/**
 * Since 2025-03-26 a request has no Origin, or one that the server knows. The Host is checked too: a
 * page whose own name leads here (DNS rebinding) sends that name.
 */
function isOwnSite(request: FastifyRequest, publicUrl: string): boolean {
  const { host, protocol, headers } = request;
  const own = new URL(publicUrl);
  if (host !== own.host && !hasDirectHost(request.raw)) return false;
  return [undefined, own.origin, `${protocol}://${host}`].includes(headers.origin);
}

/**
 * The id that the answer to `initialize` named. It holds no state: it tells the calls of two clients
 * with the same key apart, whose JSON-RPC ids are the same.
 */
function sessionOf({ headers }: FastifyRequest): string | null {
  const id = headers[SESSION_HEADER];
  return typeof id === 'string' && SESSION_ID.test(id) ? id : null;
}

/** Identifies a call in all processes; null where it could be another client's. */
const callId = ({ signInId }: Caller, session: string | null, id: RequestId | unknown) =>
  session && derivedId('mcp-call', signInId, session, JSON.stringify(id));

/** Before 2026-07-28 a client that leaves has not cancelled: it sends a notification for that. */
function cancellation(
  { signals }: McpEndpoint,
  id: string | null,
): Disposable & { readonly signal: AbortSignal } {
  const controller = new AbortController();
  if (!id) return { signal: controller.signal, [Symbol.dispose]() {} };
  let isDone = false;
  const waiting = signals.wait(id, CALL_MS_MAX);
  waiting.ended.then(() => {
    if (!isDone) controller.abort();
  });
  return {
    signal: controller.signal,
    [Symbol.dispose]() {
      isDone = true;
      waiting.cancel();
    },
  };
}

/** The request as the SDK reads it; the body is passed apart. Aborted when the caller leaves. */
function webRequest({ raw }: FastifyRequest, reply: FastifyReply): Request {
  const headers = Object.entries(raw.headers).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, [value].flat().join(', ')] as [string, string]],
  );
  const left = new AbortController();
  reply.raw.once('close', () => left.abort());
  const { signal } = left;
  return new Request(`http://localhost${MCP_PATH}`, { method: 'POST', headers, signal });
}

function sendResponse(reply: FastifyReply, response: Response) {
  for (const name of ['content-type', 'x-accel-buffering', 'allow']) {
    const value = response.headers.get(name);
    if (value) reply.header(name, value);
  }
  reply.code(response.status);
  return reply.send(response.body ? Readable.fromWeb(response.body) : undefined);
}

/** A refusal of the whole request, as a JSON-RPC error with the problem in `data`. */
function sendError(
  publicUrl: string,
  request: FastifyRequest,
  reply: FastifyReply,
  refused: Refusal,
) {
  const { status, params } = refused;
  if (params.retryAfterSeconds !== undefined) {
    reply.header('retry-after', String(params.retryAfterSeconds));
  }
  if (status === 401) reply.header('www-authenticate', challenge(publicUrl, request));
  const error = {
    code: codeOf(refused),
    message: refused.detail,
    data: { problem: problemOf(refused, request.id) },
  };
  return reply
    .code(status)
    .type('application/json')
    .send(JSON.stringify({ jsonrpc: '2.0', id: null, error }));
}

/** Of JSON-RPC 2.0. */
const PARSE_ERROR = -32_700;
const INVALID_REQUEST = -32_600;
/** Defined by the implementation. */
export const SERVER_ERROR = -32_000;

function codeOf({ status, code }: Refusal): number {
  if (code === MalformedRequest.code) return PARSE_ERROR;
  return status === 422 ? INVALID_REQUEST : SERVER_ERROR;
}

/** RFC 6750, and RFC 9728 for what clients do without OAuth: they show the documentation. */
function challenge(publicUrl: string, request: FastifyRequest): string {
  const metadata = `resource_metadata="${publicUrl}${PROTECTED_RESOURCE_PATHS[1]}"`;
  const wrong = hasKey(request) ? ', error="invalid_token"' : '';
  return `Bearer realm="Tallyhand"${wrong}, ${metadata}`;
}

const resourceMetadata = (publicUrl: string) => ({
  resource: `${publicUrl}${MCP_PATH}`,
  resource_name: 'Tallyhand',
  bearer_methods_supported: ['header'],
  resource_documentation: `${publicUrl}/documentation`,
});
