/** What of OpenAPI 3.1 and JSON Schema our own document uses. */
export type Schema = {
  type?: string | string[];
  format?: string;
  description?: string;
  enum?: unknown[];
  const?: unknown;
  default?: unknown;
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  anyOf?: Schema[];
  oneOf?: Schema[];
  allOf?: Schema[];
  additionalProperties?: Schema | boolean;
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  minItems?: number;
  maxItems?: number;
  $ref?: string;
};
type Content = Record<string, { schema?: Schema; example?: unknown }>;
export type Parameter = { name: string; in: string; required?: boolean; schema?: Schema };
type Method = 'get' | 'post' | 'put' | 'delete';

type Described = {
  operationId: string;
  tags: string[];
  summary: string;
  /** Empty where everybody may call. */
  security?: Record<string, unknown>[];
  'x-roles'?: string[];
  parameters?: Parameter[];
  requestBody?: { content: Content };
  responses: Record<string, { description: string; content?: Content }>;
};
export type Operation = Described & { method: Method; path: string };

export type ApiDocument = {
  info: { version: string };
  paths: Record<string, Partial<Record<Method, Described>>>;
  components: { schemas: Record<string, Schema> };
};

/** The calls by the part of the product that they are of, in the document's order. */
export function groupsOf({ paths }: ApiDocument): Map<string, Operation[]> {
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      ...(operation as Described),
      method: method as Method,
      path,
    })),
  );
  return Map.groupBy(operations, ({ tags }) => tags[0] ?? '');
}

/** What events hold, by type: everything among the schemas that is not a part of an answer. */
export function eventsOf({ components }: ApiDocument): [string, Schema][] {
  const { Problem: _, ...events } = components.schemas;
  return Object.entries(events).sort(([a], [b]) => a.localeCompare(b));
}

export const isFound = ({ operationId, summary, path, method }: Operation, words: string) =>
  words
    .toLowerCase()
    .split(/\s+/)
    .every((word) => `${operationId} ${summary} ${method} ${path}`.toLowerCase().includes(word));
