import type { z } from 'zod';
import { keyReadsOnly } from './access.ts';
import { type Endpoint, IDEMPOTENCY_KEY_LENGTH_MAX, takesIdempotencyKey } from './endpoint.ts';
import { OpenAiError } from './openai-error.ts';
import { headersOfAnswers, isPaged, responsesOf, type SharedParts } from './openapi-responses.ts';
import { type Json, SchemaCatalog } from './openapi-schemas.ts';
import { Problem } from './problem.ts';
import type { Role } from './role.ts';

type OpenApiOptions = {
  readonly title: string;
  readonly version: string;
  readonly description: string;
  readonly serverUrl: string;
  /** The name of the sign-in cookie. */
  readonly signInCookie: string;
  /** What each tag, the name of a feature, is about. */
  readonly tags: Readonly<Record<string, string>>;
  /** Schemas by the name that the document gives them. */
  readonly schemas: Readonly<Record<string, unknown>>;
  /** The data of each event, by its type. */
  readonly events: Readonly<Record<string, { readonly schema: z.ZodType }>>;
  /** The body of a webhook's delivery. */
  readonly delivery: z.ZodType;
  /** The method of the client library; undefined if it has none for the call. */
  readonly clientMethod?: (endpoint: Endpoint) => string | undefined;
};

/** The name of a delivery's header as a component: short, because every event has it. */
const deliveryParameter = (header: string) => header.replace('webhook-', 'on-');

/** The headers of a webhook's delivery. */
const deliveryHeaders: Readonly<Record<string, string>> = {
  'webhook-id': 'The same in every attempt: handle each id once.',
  'webhook-timestamp': 'Seconds since 1970 when this attempt was made.',
  'webhook-signature': 'As Standard Webhooks has it: `v1,` and the signature.',
};

const parameters: Readonly<Record<string, Json>> = {
  'Idempotency-Key': {
    in: 'header',
    description:
      'Calls with the same key, caller and content happen once within 24 hours; later ones get the first answer with `Idempotent-Replayed: true`. A refused call may be repeated with its key.',
    schema: { type: 'string', minLength: 1, maxLength: IDEMPOTENCY_KEY_LENGTH_MAX },
  },
  'Tallyhand-At-Least': {
    in: 'header',
    description:
      'The `Tallyhand-Position` of an earlier answer: the read waits until it holds that much.',
    schema: { type: 'string' },
  },
  'Last-Event-ID': {
    in: 'header',
    description: 'The `id` of the last event that was received: the stream continues after it.',
    schema: { type: 'string' },
  },
  'If-Match': {
    in: 'header',
    description:
      'The `ETag` of the state that the change is made to; any other state is refused with 412.',
    schema: { type: 'string' },
  },
  Prefer: {
    in: 'header',
    description: '`respond-async`: answer 202 as soon as the work is accepted.',
    schema: { type: 'string', enum: ['respond-async'] },
  },
  ...Object.fromEntries(
    Object.entries(deliveryHeaders).map(([name, description]) => [
      deliveryParameter(name),
      { name, in: 'header', required: true, description, schema: { type: 'string' } },
    ]),
  ),
};

const deliveryAnswers: Readonly<Record<string, Json>> = {
  received: { description: 'Received. Any other answer is tried again.' },
  gone: { description: 'Gone: the webhook is switched off.' },
};

/** The API as OpenAPI 3.1, from the contracts that the server validates with. */
export function openApiDocument(endpoints: readonly Endpoint[], options: OpenApiOptions): Json {
  const { title, version, description, serverUrl, signInCookie, tags } = options;
  const catalog = new SchemaCatalog(options.schemas);
  const shared: SharedParts = { responses: { ...deliveryAnswers }, examples: {} };
  catalog.of(Problem, 'output');
  if (endpoints.some(({ protocol }) => protocol)) catalog.of(OpenAiError, 'output');
  for (const { answer } of endpoints) if (answer) catalog.of(answer, 'output');
  const paths: Record<string, Json> = {};
  const declared = new Map(endpoints.map((one) => [one, parametersOfCall(one, catalog)]));
  const sharedParameters = repeated([...declared.values()].flat());
  for (const endpoint of endpoints) {
    const operation = {
      ...operationOf(endpoint, catalog),
      parameters: [
        ...(declared.get(endpoint) ?? []).map((one) =>
          isSame(sharedParameters[one.name], one) ? parameterRef(one.name) : one,
        ),
        ...headersTaken(endpoint).map(parameterRef),
      ],
      'x-client-method': options.clientMethod?.(endpoint),
      responses: responsesOf(endpoint, catalog, shared),
    };
    const method = endpoint.method.toLowerCase();
    paths[endpoint.path] = { ...paths[endpoint.path], [method]: operation };
  }
  const webhooks = webhooksOf(options, catalog);
  return {
    openapi: '3.1.0',
    info: {
      title,
      version,
      description,
      contact: { name: 'Support', url: `${serverUrl}/contact` },
      license: { name: 'No license chosen', identifier: 'NOASSERTION' },
    },
    servers: [{ url: serverUrl }],
    tags: Object.entries(tags).map(([name, text]) => ({ name, description: text })),
    paths,
    webhooks,
    components: {
      schemas: catalog.components,
      ...shared,
      parameters: {
        ...sharedParameters,
        ...Object.fromEntries(
          Object.entries(parameters).map(([name, parameter]) => [name, { name, ...parameter }]),
        ),
      },
      headers: headersOfAnswers(endpoints),
      securitySchemes: {
        cookie: {
          type: 'apiKey',
          in: 'cookie',
          name: signInCookie,
          description: 'Set by `POST /api/login`.',
        },
        apiKey: { type: 'http', scheme: 'bearer', description: 'An API key: `th_…`.' },
      },
    },
    security: [{ cookie: [] }, { apiKey: [] }],
  };
}

function operationOf(endpoint: Endpoint, catalog: SchemaCatalog): Json {
  const { name, feature, summary, roles, deprecated } = endpoint;
  return {
    operationId: name,
    ...(deprecated && { deprecated: true, 'x-sunset': deprecated.sunset }),
    tags: [feature],
    summary,
    description: descriptionOf(endpoint),
    security: securityOf(endpoint),
    ...(roles && { 'x-roles': roles }),
    ...requestBodyOf(endpoint, catalog),
  };
}

const parameterRef = (name: string): Json => ({ $ref: `#/components/parameters/${name}` });
const responseRef = (name: string): Json => ({ $ref: `#/components/responses/${name}` });

/** The contract's own description, and a paragraph of what follows from the rest of it. */
function descriptionOf(endpoint: Endpoint): string {
  const { description, streamed, answer, deprecated, protocol } = endpoint;
  const derived = [
    deprecated && `Deprecated: it works until ${deprecated.sunset}. ${deprecated.instead}`,
    accessOf(endpoint),
    isPaged(endpoint) &&
      'Without `limit` and `cursor`, returns up to 1,000 rows. The `Link` header points to the next page.',
    streamed &&
      answer &&
      !protocol &&
      'With `Accept: text/event-stream` the answer comes as events while it is written. The last one is `reply` or `failed`.',
  ];
  return [description, derived.filter(Boolean).join(' ')].filter(Boolean).join('\n\n');
}

function accessOf({ isPublic, roles, takesApiKeys, method }: Endpoint): string {
  if (isPublic) return 'Takes no sign-in.';
  const who = roles ? listed(roles) : 'a signed-in person';
  if (!takesApiKeys) return `For ${who}; API keys are refused.`;
  const isKept = roles?.some((role) => keyReadsOnly(role, { method }));
  return `For ${who}, with a sign-in or an API key${isKept ? '; keys of Viewers only read' : ''}.`;
}

const listed = (roles: readonly Role[]) =>
  new Intl.ListFormat('en', { type: 'conjunction' }).format(roles);

const headersTaken = (endpoint: Endpoint) => [
  ...(endpoint.method === 'GET' && !endpoint.isPublic ? ['Tallyhand-At-Least'] : []),
  ...(takesIdempotencyKey(endpoint) ? ['Idempotency-Key'] : []),
  ...(endpoint.takesIfMatch ? ['If-Match'] : []),
  ...(endpoint.takesLastEventId ? ['Last-Event-ID'] : []),
  ...(endpoint.accepted ? ['Prefer'] : []),
];

function requestBodyOf({ name, body, example, fileField }: Endpoint, catalog: SchemaCatalog): Json {
  if (!body) return {};
  const schema = catalog.named(`${name[0]?.toUpperCase()}${name.slice(1)}Body`, body, 'input');
  const upload = fileField && {
    'multipart/form-data': {
      schema: {
        type: 'object',
        properties: {
          [fileField]: { type: 'string', contentMediaType: 'application/octet-stream' },
        },
        required: [fileField],
      },
    },
  };
  return {
    requestBody: {
      required: true,
      content: { 'application/json': { schema, example }, ...upload },
    },
  };
}

function securityOf({ isPublic, takesApiKeys }: Endpoint): Json[] {
  if (isPublic) return [];
  return takesApiKeys ? [{ cookie: [] }, { apiKey: [] }] : [{ cookie: [] }];
}

type Parameter = Json & { readonly name: string };

const parametersOfCall = ({ params, query }: Endpoint, catalog: SchemaCatalog) => [
  ...parametersOf(params, 'path', catalog),
  ...parametersOf(query, 'query', catalog),
];

const isSame = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other);

/** The parameters that several calls have, by name. Of two with one name, the first. */
function repeated(all: readonly Parameter[]): Readonly<Record<string, Parameter>> {
  const counts = Map.groupBy(all, (one) => JSON.stringify(one));
  const several = all.filter((one) => (counts.get(JSON.stringify(one)) ?? []).length > 1);
  return Object.fromEntries(several.toReversed().map((one) => [one.name, one]));
}

function parametersOf(
  schema: z.ZodType | undefined,
  place: 'path' | 'query',
  catalog: SchemaCatalog,
): Parameter[] {
  if (!schema) return [];
  return catalog.fields(schema).map(({ name, isRequired, json: { description, ...json } }) => ({
    name,
    in: place,
    required: place === 'path' || isRequired,
    ...(description === undefined ? {} : { description }),
    schema: json,
  }));
}

/** Every event as a delivery that a webhook receives. */
function webhooksOf({ events, delivery }: OpenApiOptions, catalog: SchemaCatalog): Json {
  const base = catalog.named('WebhookPayload', delivery, 'output');
  return Object.fromEntries(
    Object.entries(events).map(([type, { schema }]) => [type, { post: receiverOf(type, schema) }]),
  );

  function receiverOf(type: string, schema: z.ZodType): Json {
    // A newer writer may have added to what is declared.
    const data = catalog.named(type, schema, 'input');
    const event = { type: 'object', properties: { type: { const: type }, data } };
    const body = { type: 'object', properties: { type: { const: type }, data: event } };
    return {
      operationId: `on${type}`,
      tags: ['webhooks'],
      summary: type,
      description: 'If chosen.',
      security: [],
      parameters: Object.keys(deliveryHeaders).map(deliveryParameter).map(parameterRef),
      requestBody: {
        required: true,
        content: { 'application/json': { schema: { allOf: [base, body] } } },
      },
      responses: {
        '2XX': responseRef('received'),
        '410': responseRef('gone'),
      },
    };
  }
}
