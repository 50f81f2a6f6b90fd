import { z } from 'zod';
import type { Endpoint } from './endpoint.ts';
import { Problem } from './problem.ts';

type Json = Record<string, unknown>;

const VERSION = '0.1.0';
const PROBLEM = { $ref: '#/components/schemas/Problem' };

/** Refusals that every call may give. */
const GENERAL: Readonly<Record<string, string>> = {
  '400': 'The request is malformed.',
  '401': 'Not signed in.',
  '403': 'The role may not do this.',
  '404': 'Unknown, or of another organization.',
  '422': 'A field breaks a rule.',
  '429': 'Too many requests.',
  '503': 'A dependency is down, or the views are catching up.',
};

/** The API as OpenAPI 3.1, from the same contracts that the server checks by. */
export function openApiDocument(endpoints: readonly Endpoint[], serverUrl: string): Json {
  const paths: Record<string, Json> = {};
  for (const endpoint of endpoints) {
    paths[endpoint.path] = {
      ...paths[endpoint.path],
      [endpoint.method.toLowerCase()]: operationOf(endpoint),
    };
  }
  return {
    openapi: '3.1.0',
    info: { title: 'Tallyhand', version: VERSION },
    servers: [{ url: serverUrl }],
    paths,
    components: {
      schemas: { Problem: schemaOf(Problem, 'output') },
      securitySchemes: { cookie: { type: 'apiKey', in: 'cookie', name: 'tallyhand' } },
    },
    security: [{ cookie: [] }],
  };
}

function operationOf(endpoint: Endpoint): Json {
  const { name, feature, summary, body, status, answer, refusals } = endpoint;
  const success = answer
    ? {
        description: 'Done.',
        content: { 'application/json': { schema: schemaOf(answer, 'output') } },
      }
    : { description: 'Done; no content.' };
  const described = refusals?.length ? ` Refusals: ${refusals.join(', ')}.` : '';
  return {
    operationId: name,
    tags: [feature],
    summary,
    ...(described ? { description: described.trim() } : {}),
    parameters: [
      ...parametersOf(endpoint.params, 'path'),
      ...parametersOf(endpoint.query, 'query'),
    ],
    ...(body
      ? {
          requestBody: {
            required: true,
            content: { 'application/json': { schema: schemaOf(body, 'input') } },
          },
        }
      : {}),
    responses: {
      [String(status)]: success,
      ...Object.fromEntries(
        Object.entries(GENERAL).map(([code, description]) => [
          code,
          { description, content: { 'application/problem+json': { schema: PROBLEM } } },
        ]),
      ),
    },
  };
}

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
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io, unrepresentable: 'any' });
  return rest;
}
