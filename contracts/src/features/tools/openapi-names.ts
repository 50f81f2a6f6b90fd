const NAME_MAX = 64;

/** Of the operations of an OpenAPI document, in the order in which their names are chosen. */
export const OPENAPI_METHODS = [
  'get',
  'put',
  'post',
  'delete',
  'patch',
  'head',
  'options',
] as const;

export const isReadMethod = (method: string): boolean => method === 'get' || method === 'head';

/** The name by which models and policies know an operation; `names` are taken, and get it added. */
export function operationName(
  { operationId, method, path }: Record<'operationId' | 'method' | 'path', string>,
  names: Set<string>,
): string {
  const wanted = operationId || `${method}${path}`;
  const plain = wanted.replace(/[^a-zA-Z0-9_-]+/g, '_').replace(/^_+|_+$/g, '') || 'operation';
  let name = plain.slice(0, NAME_MAX);
  for (let times = 2; names.has(name); times += 1) {
    name = `${plain.slice(0, NAME_MAX - 4)}_${times}`;
  }
  names.add(name);
  return name;
}
