const METHODS = ['get', 'put', 'post', 'delete', 'patch', 'head', 'options'];
const READING = ['get', 'head'];
const NAME_MAX = 64;

/** By the name that agents call it, and whether it only reads. */
export type OpenapiOperation = { name: string; isRead: boolean };

type OpenapiSummary =
  | { kind: 'operations'; count: number; operations: OpenapiOperation[] }
  | { kind: 'unread' | 'not-json' | 'not-openapi' | 'no-operations' };

/**
 * What an OpenAPI document offers, as far as it can be told at a glance. YAML and what lies at an
 * address are `unread`: the server reads them.
 */
export function openapiSummary(document: string): OpenapiSummary {
  if (!/^\ufeff?\s*[{[]/.test(document)) return { kind: 'unread' };
  let root: unknown;
  try {
    root = JSON.parse(document.replace(/^\ufeff/, ''));
  } catch {
    return { kind: 'not-json' };
  }
  if (!isObject(root) || typeof root.openapi !== 'string' || !/^3\.[01]\./.test(root.openapi)) {
    return { kind: 'not-openapi' };
  }
  const operations = operationsOf(isObject(root.paths) ? root.paths : {});
  const count = operations.length;
  return count > 0 ? { kind: 'operations', count, operations } : { kind: 'no-operations' };
}

function operationsOf(paths: Readonly<Record<string, unknown>>): OpenapiOperation[] {
  const names = new Set<string>();
  return Object.entries(paths).flatMap(([path, item]) =>
    METHODS.flatMap((method) => {
      const operation = isObject(item) ? item[method] : undefined;
      if (!isObject(operation)) return [];
      const { operationId } = operation;
      const own = typeof operationId === 'string' ? operationId.trim() : '';
      return [
        { name: uniqueName(own || `${method}${path}`, names), isRead: READING.includes(method) },
      ];
    }),
  );
}

/** The name by which the server and models know an operation. */
function uniqueName(wanted: string, names: Set<string>): string {
  const plain = wanted.replace(/[^a-zA-Z0-9_-]+/g, '_').replace(/^_+|_+$/g, '') || 'operation';
  let name = plain.slice(0, NAME_MAX);
  for (let times = 2; names.has(name); times += 1) {
    name = `${plain.slice(0, NAME_MAX - 4)}_${times}`;
  }
  names.add(name);
  return name;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
