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
};
type Content = Record<string, { schema?: Schema; example?: unknown }>;
export type Parameter = {
  name: string;
  in: string;
  required?: boolean;
  description?: string;
  schema?: Schema;
};
type Method = 'get' | 'post' | 'put' | 'delete';

type Described = {
  operationId: string;
  tags: string[];
  summary: string;
  /** Paragraphs; the second one says who may call and how the answer is read. */
  description: string;
  /** Empty where everybody may call. */
  security: Record<string, unknown>[];
  'x-roles'?: string[];
  parameters?: Parameter[];
  requestBody?: { content: Content };
  responses: Record<string, { description: string; content?: Content }>;
};
export type Operation = Described & { method: Method; path: string };

export type ApiDocument = {
  info: { version: string };
  paths: Record<string, Partial<Record<Method, Described>>>;
  /** Each event that a webhook may receive, by its type. */
  webhooks: Record<string, unknown>;
  components: { schemas: Record<string, Schema> };
};

/** The document with what its references name in their place. */
export function resolvedDocument(document: unknown): ApiDocument {
  const known = new Map<string, object>();
  const resolved = (node: unknown): unknown => {
    if (Array.isArray(node)) return node.map(resolved);
    if (typeof node !== 'object' || node === null) return node;
    const { $ref, ...beside } = node as { $ref?: unknown };
    if (typeof $ref !== 'string') {
      return Object.fromEntries(Object.entries(node).map(([name, one]) => [name, resolved(one)]));
    }
    const target = known.get($ref) ?? targetOf($ref);
    return Object.keys(beside).length > 0 ? { ...target, ...beside } : target;
  };
  function targetOf(ref: string): object {
    // Known before it is complete: a schema may refer to itself.
    const target = {};
    known.set(ref, target);
    const steps = ref.replace(/^#\//, '').split('/');
    const found = steps.reduce<unknown>(
      (node, step) => (node as Record<string, unknown> | undefined)?.[step],
      document,
    );
    return Object.assign(target, resolved(found));
  }
  return resolved(document) as ApiDocument;
}

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

/** The data of each event, by its type. */
export function eventsOf({ webhooks, components }: ApiDocument): [string, Schema][] {
  const types = Object.keys(webhooks).sort((a, b) => a.localeCompare(b));
  return types.map((type) => [type, components.schemas[type] ?? {}]);
}

/** Who may make a call that is not limited to roles. */
export function callersOf({ method, security }: Pick<Operation, 'method' | 'security'>) {
  if (security.length === 0) return 'everybody';
  if (!security.some((way) => 'apiKey' in way)) return 'people';
  return method === 'get' ? 'members' : 'membersWrite';
}

export const isFound = ({ operationId, summary, path, method }: Operation, words: string) =>
  words
    .toLowerCase()
    .split(/\s+/)
    .every((word) => `${operationId} ${summary} ${method} ${path}`.toLowerCase().includes(word));
