import { z } from 'zod';
import type { Endpoint } from './endpoint.ts';
import { refusalResponses } from './openapi-responses.ts';
import { Problem } from './problem.ts';

type Json = Record<string, unknown>;

type OpenApiOptions = {
  readonly title: string;
  readonly version: string;
  readonly serverUrl: string;
  /** The name of the sign-in cookie. */
  readonly signInCookie: string;
  /** The schemas of event data by type, for clients that replay events. */
  readonly events: Readonly<Record<string, { readonly schema: z.ZodType }>>;
};

/** The API as OpenAPI 3.1, from the contracts that the server validates with. */
export function openApiDocument(endpoints: readonly Endpoint[], options: OpenApiOptions): Json {
  const { title, version, serverUrl, signInCookie } = options;
  const paths: Record<string, Json> = {};
  for (const endpoint of endpoints) {
    paths[endpoint.path] = {
      ...paths[endpoint.path],
      [endpoint.method.toLowerCase()]: operationOf(endpoint),
    };
  }
  return {
    openapi: '3.1.0',
    info: { title, version },
    servers: [{ url: serverUrl }],
    paths,
    components: {
      schemas: {
        Problem: schemaOf(Problem, 'output'),
        ...Object.fromEntries(
          Object.entries(options.events).map(([type, { schema }]) => [
            type,
            // A newer writer may add fields.
            schemaOf(schema, 'input'),
          ]),
        ),
      },
      securitySchemes: {
        cookie: { type: 'apiKey', in: 'cookie', name: signInCookie },
        apiKey: { type: 'http', scheme: 'bearer', description: 'An API key: th_…' },
      },
    },
    security: [{ cookie: [] }, { apiKey: [] }],
  };
}

function operationOf(endpoint: Endpoint): Json {
  const { name, feature, summary, status, roles } = endpoint;
  return {
    operationId: name,
    tags: [feature],
    summary,
    ...securityOf(endpoint),
    ...(roles ? { 'x-roles': roles } : {}),
    parameters: [
      ...parametersOf(endpoint.params, 'path'),
      ...parametersOf(endpoint.query, 'query'),
    ],
    ...requestBodyOf(endpoint),
    responses: {
      [String(status)]: successOf(endpoint),
      ...refusalResponses(endpoint),
    },
  };
}

function requestBodyOf({ body, example }: Endpoint): Json {
  if (!body) return {};
  const json = { schema: schemaOf(body, 'input'), ...(example === undefined ? {} : { example }) };
  return { requestBody: { required: true, content: { 'application/json': json } } };
}

/** Only if it differs from most calls: public, or closed to API keys. */
function securityOf(endpoint: Endpoint): Json {
  if (endpoint.isPublic) return { security: [] };
  return endpoint.takesApiKeys ? {} : { security: [{ cookie: [] }] };
}

function successOf({ answer, query, media, isStreamed }: Endpoint): Json {
  if (media) {
    const schema = { type: 'string', contentMediaType: media };
    return { description: 'Done.', content: { [media]: { schema } } };
  }
  if (!answer) return { description: 'Done; no content.' };
  const link = { description: 'Leads on to the page that follows.', schema: { type: 'string' } };
  return {
    description: 'Done.',
    ...(isPaged(query) ? { headers: { Link: link } } : {}),
    content: {
      'application/json': { schema: schemaOf(answer, 'output') },
      ...(isStreamed ? { 'text/event-stream': { schema: { type: 'string' } } } : {}),
    },
  };
}

const isPaged = (query: z.ZodType | undefined) =>
  query instanceof z.ZodObject && 'limit' in query.shape;

function parametersOf(schema: z.ZodType | undefined, place: 'path' | 'query'): Json[] {
  if (!schema) return [];
  const { properties = {}, required = [] } = schemaOf(schema, 'input') as {
    properties?: Record<string, Json>;
    required?: string[];
  };
  return Object.entries(properties).map(([name, property]) => ({
    name,
    in: place,
    required: place === 'path' || required.includes(name),
    schema: property,
  }));
}

function schemaOf(schema: z.ZodType, io: 'input' | 'output'): Json {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io });
  return rest;
}
