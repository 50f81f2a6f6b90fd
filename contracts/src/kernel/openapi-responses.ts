import { z } from 'zod';
import { type Endpoint, EVENT_STREAM, type Protocol, takesIdempotencyKey } from './endpoint.ts';
import { openAiStatus } from './openai-error.ts';
import { type Json, type SchemaCatalog, schemaRef } from './openapi-schemas.ts';
import {
  AuditorAccessEnded,
  DependencyDown,
  ForeignOrigin,
  IdempotencyKeyReused,
  InternalFault,
  KeyNotAllowed,
  KeyReadsOnly,
  MalformedRequest,
  NotFound,
  NotSignedIn,
  PayloadTooLarge,
  Problem,
  ReadModelsBehind,
  RoleNotAllowed,
  TooManyRequests,
  UnsupportedContentEncoding,
  UnsupportedMediaType,
  ValidationFailed,
} from './problem.ts';
import type { DeclaredRefusal } from './refusal.ts';
import { VersionChanged } from './versioned-object.ts';

/** Statuses whose answers have `Retry-After`. */
const RETRIED: readonly number[] = [TooManyRequests.status, DependencyDown.status];

const responseHeaders: Readonly<Record<string, Json>> = {
  'Tallyhand-Correlation-Id': {
    description: 'Names this call in logs, in the audit log and in problems.',
    schema: { type: 'string' },
  },
  'Tallyhand-Position': {
    description:
      'How far the answer goes. Sent back as `Tallyhand-At-Least`, a read holds at least that much.',
    schema: { type: 'string' },
  },
  'X-RateLimit-Limit': {
    description: 'Calls that one network address may make in the current minute.',
    schema: { type: 'integer' },
  },
  'X-RateLimit-Remaining': {
    description: 'Calls that are left of the limit.',
    schema: { type: 'integer' },
  },
  'X-RateLimit-Reset': {
    description: 'Seconds until the limit starts again.',
    schema: { type: 'integer' },
  },
  'Idempotent-Replayed': {
    description: '`true` if this is the stored answer of an earlier call with the same key.',
    schema: { type: 'string', enum: ['true'] },
  },
  'WWW-Authenticate': {
    description: 'How to authenticate: with an API key as a bearer token.',
    schema: { type: 'string' },
  },
  'Retry-After': {
    description: 'Seconds to wait before trying again.',
    schema: { type: 'integer' },
  },
  Link: {
    description: 'The address of the next page, as `<…>; rel="next"`; absent on the last one.',
    schema: { type: 'string' },
  },
  ETag: {
    description: 'The state of the object, for `If-Match`: its version in quotes.',
    schema: { type: 'string' },
  },
  Location: {
    description: 'The address to read what the call started.',
    schema: { type: 'string', format: 'uri-reference' },
  },
};

const protocolHeaders: Readonly<Record<string, Json>> = {
  'X-Request-Id': {
    description: 'The `Tallyhand-Correlation-Id`, under the name that OpenAI gives it.',
    schema: { type: 'string' },
  },
  'Tallyhand-Task-Id': {
    description: 'The id of the task that the call has run.',
    schema: { type: 'string' },
  },
  'Tallyhand-Credits': {
    description: 'The credits that the call cost. In a stream, those that were set aside for it.',
    schema: { type: 'integer' },
  },
};

const deprecatedHeaders: Readonly<Record<string, Json>> = {
  Deprecation: {
    description: 'Since when the call is deprecated: `@` and seconds since 1970 (RFC 9745).',
    schema: { type: 'string' },
  },
  Sunset: {
    description: 'Until when a deprecated call works (RFC 8594).',
    schema: { type: 'string' },
  },
};

/** The headers that the answers of these calls refer to, by their names as components. */
export const headersOfAnswers = (endpoints: readonly Endpoint[]) => {
  const headers = {
    ...responseHeaders,
    ...(endpoints.some(({ protocol }) => protocol) && protocolHeaders),
    ...(endpoints.some(({ deprecated }) => deprecated) && deprecatedHeaders),
  };
  return Object.fromEntries(
    Object.entries(headers).map(([name, header]) => [componentOf(name), header]),
  );
};

/** Each answer refers to several headers: short names make the document a tenth smaller. */
const componentOf = (header: string) =>
  header.replace(/^(?:Tallyhand|X-RateLimit|Idempotent)-/, '');

const EVERYWHERE = [
  'Tallyhand-Correlation-Id',
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
];

const headersOf = (names: readonly string[]): Json => ({
  headers: Object.fromEntries(
    names.map((name) => [name, { $ref: `#/components/headers/${componentOf(name)}` }]),
  ),
});

/** Every refusal that a call may have: the general ones and its own. */
export const refusalsOf = (endpoint: Endpoint): readonly DeclaredRefusal[] => [
  ...new Set([...generalRefusals(endpoint), ...(endpoint.refusals ?? [])]),
];

/** Responses and examples that operations refer to, by their names. */
export type SharedParts = {
  readonly responses: Record<string, Json>;
  readonly examples: Record<string, Json>;
};

/** Every answer of a call by its status. Refusals are components, because calls share them. */
export function responsesOf(
  endpoint: Endpoint,
  catalog: SchemaCatalog,
  { responses, examples }: SharedParts,
): Json {
  const { protocol, answerExample } = endpoint;
  const example = exampleName(endpoint, catalog);
  if (example) put(examples, example, { value: answerExample });
  const byStatus = Map.groupBy(refusalsOf(endpoint), ({ status }) =>
    protocol ? openAiStatus(status) : status,
  );
  return {
    [endpoint.status]: success(),
    ...(endpoint.accepted && {
      202: unfinished(endpoint, endpoint.accepted, catalog, ACCEPTED),
    }),
    ...(endpoint.waits && { 202: unfinished(endpoint, endpoint.waits, catalog, WAITS) }),
    ...Object.fromEntries(
      [...byStatus].sort(([a], [b]) => a - b).map(([status, kinds]) => [status, refused(kinds)]),
    ),
  };

  function success(): Json {
    const response = successOf(endpoint, catalog, example);
    if (response.content) return response;
    // What has no body differs in its headers only.
    const own = answerHeaders(endpoint, endpoint.status).filter(
      (name) => !EVERYWHERE.includes(name),
    );
    const name = ['done', ...own.map((header) => componentOf(header).toLowerCase())].join('-');
    responses[name] = response;
    return { $ref: `#/components/responses/${name}` };
  }

  function refused(kinds: readonly DeclaredRefusal[]): Json {
    const own = componentOfRefusals(kinds);
    const name = protocol ? `${protocol}-${own}` : own;
    const response = refusalOf(kinds, protocol);
    // Initials are short, but not unique by themselves.
    put(responses, name, response);
    return { $ref: `#/components/responses/${name}` };
  }
}

/** Adds a part, or finds it; there may be no other of the name. */
function put(parts: Record<string, Json>, name: string, part: Json): void {
  const known = parts[name] ?? part;
  if (JSON.stringify(known) !== JSON.stringify(part)) {
    throw new Error(`Two parts of the API document are named ${name}`);
  }
  parts[name] = part;
}

/** Their examples are published under the names of the calls, although the schemas have names. */
const NAMED_BY_CALL = ['listApprovals', 'setChatBudget'];

/** An example has the name of the answer's schema, or of the call if the schema has none. */
function exampleName({ name, answer, answerExample }: Endpoint, catalog: SchemaCatalog) {
  if (!answer || answerExample === undefined) return undefined;
  if (NAMED_BY_CALL.includes(name)) return name;
  if (!(answer instanceof z.ZodArray)) return catalog.nameOf(answer) ?? name;
  const element = catalog.nameOf(answer.element as z.ZodType);
  return element === undefined ? name : `${element}List`;
}

/**
 * A refusal's code; of several their initials and status, as `rna-fo-403`. Generators make a type
 * of each name, so that none may begin with a digit.
 */
function componentOfRefusals(kinds: readonly DeclaredRefusal[]): string {
  const [first] = kinds;
  if (first && kinds.length === 1) return first.code;
  return [...kinds.map(({ code }) => code.replace(/(\w)\w*-?/g, '$1')), first?.status].join('-');
}

function successOf(endpoint: Endpoint, catalog: SchemaCatalog, example: string | undefined): Json {
  const { answer, waits, query, media, streamed, status, protocol } = endpoint;
  const headers = headersOf(answerHeaders(endpoint, status));
  if (media === EVENT_STREAM && streamed) {
    return { description: 'The stream.', ...headers, content: streamOf(streamed, catalog) };
  }
  if (media) return { description: fileDescription(query), ...headers, content: file(media) };
  if (!answer) return { description: 'Done, without a body.', ...headers };
  const reply = waits ? z.union([answer, waits]) : answer;
  const all = protocol ? streamed : { ...streamed, reply, failed: Problem };
  const events = streamed && all && streamOf(all, catalog, protocol);
  return {
    description: 'Done.',
    ...headers,
    content: {
      'application/json': {
        schema: catalog.of(answer, 'output'),
        ...(example && { examples: { answer: { $ref: `#/components/examples/${example}` } } }),
      },
      ...events,
    },
  };
}

const answerHeaders = (endpoint: Endpoint, status: number) => [
  ...EVERYWHERE,
  'Tallyhand-Position',
  ...(takesIdempotencyKey(endpoint) ? ['Idempotent-Replayed'] : []),
  ...(endpoint.hasEtag ? ['ETag'] : []),
  ...(endpoint.deprecated ? Object.keys(deprecatedHeaders) : []),
  ...(endpoint.location ? ['Location'] : []),
  ...(status === 202 && !endpoint.waits ? ['Retry-After'] : []),
  ...(isPaged(endpoint) ? ['Link'] : []),
  ...(endpoint.protocol ? ['X-Request-Id'] : []),
  ...(endpoint.protocol && endpoint.streamed ? ['Tallyhand-Task-Id', 'Tallyhand-Credits'] : []),
];

const fileDescription = (query: unknown) =>
  query ? 'The file, of what the parameters choose.' : 'The file.';

const file = (media: string): Json => ({
  [media]: { schema: { type: 'string', contentMediaType: media } },
});

const ACCEPTED = 'Accepted: the work continues. `Location` is the address of its outcome.';
const WAITS = 'The work waits for a person, and continues after the decision.';

const unfinished = (
  endpoint: Endpoint,
  answer: z.ZodType,
  catalog: SchemaCatalog,
  description: string,
): Json => ({
  description,
  ...headersOf(answerHeaders(endpoint, 202)),
  content: { 'application/json': { schema: catalog.of(answer, 'output') } },
});

/** Server-sent events. The schema is that of one event, as tools that know streams read it. */
function streamOf(
  events: NonNullable<Endpoint['streamed']>,
  catalog: SchemaCatalog,
  protocol?: Protocol,
): Json {
  const kinds = Object.entries(events).map(([name, schema]) => ({
    type: 'object',
    properties: {
      ...(!protocol && { event: { type: 'string', const: name } }),
      data: catalog.of(schema, 'output'),
    },
    required: protocol ? ['data'] : ['event', 'data'],
  }));
  const schema = kinds.length === 1 ? kinds[0] : { oneOf: kinds };
  return { [EVENT_STREAM]: { schema: { description: 'One event of the stream.', ...schema } } };
}

/** Whether the call is a list of pages: each continues where the one before it ended. */
export const isPaged = ({ query }: Endpoint): boolean => {
  const fields = query && 'shape' in query ? (query.shape as object) : {};
  return 'limit' in fields && ('cursor' in fields || 'after' in fields);
};

function generalRefusals(endpoint: Endpoint): readonly DeclaredRefusal[] {
  const { method, params, isPublic, takesApiKeys } = endpoint;
  const isRead = method === 'GET';
  return [
    MalformedRequest,
    ...(isPublic ? [] : [NotSignedIn, AuditorAccessEnded, RoleNotAllowed]),
    ...(takesApiKeys ? [] : [KeyNotAllowed]),
    ...(isRead || !takesApiKeys ? [] : [KeyReadsOnly]),
    ...(isRead ? [ReadModelsBehind] : [ForeignOrigin]),
    ...(takesIdempotencyKey(endpoint) ? [IdempotencyKeyReused] : []),
    ...(params ? [NotFound] : []),
    ...(endpoint.takesIfMatch ? [VersionChanged] : []),
    // Also without a declared body: one may be sent.
    ...(isRead ? [] : [PayloadTooLarge, UnsupportedContentEncoding, UnsupportedMediaType]),
    ValidationFailed,
    TooManyRequests,
    InternalFault,
    DependencyDown,
  ];
}

function refusalOf(kinds: readonly DeclaredRefusal[], protocol?: Protocol): Json {
  const code = { type: 'string', enum: kinds.map((kind) => kind.code) };
  const isRetried = kinds.some(({ status }) => RETRIED.includes(status));
  return {
    description: kinds.map((kind) => `\`${kind.code}\`: ${kind.title}.`).join(' '),
    ...headersOf([
      ...EVERYWHERE,
      ...(isRetried ? ['Retry-After'] : []),
      ...(kinds[0]?.status === NotSignedIn.status ? ['WWW-Authenticate'] : []),
    ]),
    content: protocol ? openAiErrors(code) : problems(code),
  };
}

const problems = (code: Json): Json => ({
  'application/problem+json': {
    schema: { allOf: [schemaRef('Problem'), { type: 'object', properties: { code } }] },
  },
});

const openAiErrors = (code: Json): Json => ({
  'application/json': {
    schema: {
      allOf: [
        schemaRef('OpenAiError'),
        { type: 'object', properties: { error: { type: 'object', properties: { code } } } },
      ],
    },
  },
});
