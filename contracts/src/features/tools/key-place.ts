type JsonObject = { readonly [name: string]: unknown };

/** Where a request carries an API key. */
export type ApiKeyPlace = { readonly in: 'header' | 'query'; readonly name: string };

export const DEFAULT_KEY_PLACE: ApiKeyPlace = { in: 'header', name: 'x-api-key' };

const REFERENCES_MAX = 10;
/** Names become part of URLs and headers. */
const PLAIN_NAME = /^[^\p{C}\s]{1,100}$/u;

/** The place of the first API key among the security schemes of an OpenAPI document. */
export function apiKeyPlaceIn(root: unknown): ApiKeyPlace | undefined {
  const components = isObject(root) ? root.components : undefined;
  const schemes = isObject(components) ? components.securitySchemes : undefined;
  for (const scheme of Object.values(isObject(schemes) ? schemes : {})) {
    const { type, in: place, name } = resolved(root, scheme) ?? {};
    if (type !== 'apiKey' || typeof name !== 'string' || !PLAIN_NAME.test(name)) continue;
    if (place === 'header' || place === 'query') return { in: place, name };
  }
  return undefined;
}

function resolved(root: unknown, value: unknown): JsonObject | undefined {
  let at = value;
  for (let hops = 0; hops <= REFERENCES_MAX; hops += 1) {
    if (!isObject(at)) return undefined;
    if (typeof at.$ref !== 'string') return at;
    at = target(root, at.$ref);
  }
  return undefined;
}

/** The target of a reference inside the document. */
function target(root: unknown, reference: string): unknown {
  if (!reference.startsWith('#/')) return undefined;
  let at = root;
  for (const part of reference.slice(2).split('/')) {
    const key = part.replaceAll('~1', '/').replaceAll('~0', '~');
    if (!isObject(at) || !Object.hasOwn(at, key)) return undefined;
    at = at[key];
  }
  return at;
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
