import {
  isReadMethod,
  OPENAPI_METHODS,
  operationName,
} from '@tallyhand/contracts/features/tools/openapi-names';

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
    OPENAPI_METHODS.flatMap((method) => {
      const operation = isObject(item) ? item[method] : undefined;
      if (!isObject(operation)) return [];
      const operationId =
        typeof operation.operationId === 'string' ? operation.operationId.trim() : '';
      const name = operationName({ operationId, method, path }, names);
      return [{ name, isRead: isReadMethod(method) }];
    }),
  );
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
