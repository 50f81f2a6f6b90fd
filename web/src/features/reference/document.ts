/** What of OpenAPI 3.1 and JSON Schema our own document uses. */
export type Schema = {
  type?: string | string[];
  format?: string;
  description?: string;
  enum?: unknown[];
  const?: unknown;
  default?: unknown;
  examples?: unknown[];
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
type Media = {
  schema?: Schema;
  example?: unknown;
  examples?: Record<string, { value?: unknown }>;
};
type Content = Record<string, Media>;
export type Parameter = {
  name: string;
  in: string;
  required?: boolean;
  description?: string;
  schema?: Schema;
};
export type Method = 'get' | 'post' | 'put' | 'delete';

type Described = {
  operationId: string;
  tags: string[];
  summary: string;
  /** Paragraphs; the second one says who may call and how the answer is read. */
  description: string;
  /** Empty where everybody may call. */
  security: Record<string, unknown>[];
  'x-roles'?: string[];
  /** Of the client library, such as `agents.create`. */
  'x-client-method'?: string;
  parameters?: Parameter[];
  requestBody?: { content: Content };
  responses: Record<string, { description: string; content?: Content }>;
};
export type Operation = Described & { method: Method; path: string };

export type ApiDocument = {
  info: { version: string };
  tags: { name: string; description: string }[];
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

const METHODS: readonly Method[] = ['get', 'post', 'put', 'delete'];

export type Group = { tag: string; description: string; operations: readonly Operation[] };

/** The calls by their tag, in the order of the tags, of their paths, and with reads first. */
export function groupsOf({ tags, paths }: ApiDocument): readonly Group[] {
  const operations = Object.entries(paths)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([path, methods]) =>
      METHODS.flatMap((method) => {
        const operation = methods[method];
        return operation ? [{ ...operation, method, path }] : [];
      }),
    );
  return tags.map(({ name, description }) => ({
    tag: name,
    description,
    operations: operations.filter((one) => one.tags[0] === name),
  }));
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

/** Whether each of the words is in the call's name, method, path, summary or description. */
export function isFound(operation: Operation, words: string): boolean {
  const { operationId, summary, description, path, method } = operation;
  const text = `${operationId} ${method} ${path} ${summary} ${description}`.toLowerCase();
  return words
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}
