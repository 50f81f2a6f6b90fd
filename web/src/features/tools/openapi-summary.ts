const METHODS = ['get', 'put', 'post', 'delete', 'patch', 'head', 'options'];

type OpenapiSummary =
  | { kind: 'operations'; count: number }
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
  const paths = isObject(root.paths) ? Object.values(root.paths) : [];
  const count = paths
    .filter(isObject)
    .flatMap((path) => METHODS.filter((method) => isObject(path[method]))).length;
  return count > 0 ? { kind: 'operations', count } : { kind: 'no-operations' };
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
