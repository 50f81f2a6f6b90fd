import type { ApiCall } from './api-tool.ts';
import { type QueryPairs, ToolCallRefused } from './api-url.ts';
import { isObject, type JsonObject, type JsonSchema } from './openapi-schema.ts';

/** An operation of an API, as a model sees it. */
export type ToolOperation = {
  /** Letters, digits, _ and -, at most 64; unique within a tool. */
  name: string;
  description: string;
  /** JSON Schema of the arguments: an object, without references. */
  parameters: JsonSchema;
  /** GET and HEAD, which change nothing. */
  isRead: boolean;
  /** Throws ToolCallRefused, with the correction, for arguments that make no call. */
  toCall(args: unknown): ApiCall;
};

/** How the values of a query argument are written: OpenAPI's styles. */
export type QueryStyle = 'repeated' | 'comma' | 'space' | 'pipe' | 'deep' | 'json';

/** For a tool without an OpenAPI document: any call below its base URL. */
export const genericOperation: ToolOperation = {
  name: 'request',
  description: "Makes any HTTP request below the tool's base URL.",
  isRead: false,
  parameters: {
    type: 'object',
    properties: {
      method: { type: 'string', enum: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD'] },
      path: { type: 'string', description: 'Below the base URL, as /orders/7.' },
      query: { type: 'object', description: 'Names and values of the query.' },
      body: { description: 'The JSON body, for methods that have one.' },
    },
    required: ['method', 'path'],
    additionalProperties: false,
  },
  toCall(args) {
    const names = ['method', 'path', 'query', 'body'];
    const { method, path, query = {}, body } = readArguments(args, names, ['method', 'path']);
    if (typeof method !== 'string' || typeof path !== 'string') {
      throw new ToolCallRefused('The method and the path must be text.');
    }
    if (!isObject(query)) throw new ToolCallRefused('The query must be an object.');
    const pairs = Object.entries(query).flatMap(([name, value]) =>
      queryOf(name, value, 'repeated'),
    );
    return { method, path, query: pairs, body };
  },
};

const READING = ['GET', 'HEAD'];

/** Whether these arguments of the generic operation change nothing. */
export const isGenericRead = ({ method }: Readonly<Record<string, unknown>>): boolean =>
  typeof method === 'string' && READING.includes(method);

/** The same for work that must change nothing. */
export const genericReadOperation: ToolOperation = {
  name: 'request',
  description: "Reads from an address below the tool's base URL.",
  isRead: true,
  parameters: {
    type: 'object',
    properties: {
      method: { type: 'string', enum: READING },
      path: { type: 'string', description: 'Below the base URL, as /orders/7.' },
      query: { type: 'object', description: 'Names and values of the query.' },
    },
    required: ['method', 'path'],
    additionalProperties: false,
  },
  toCall(args) {
    const call = { ...genericOperation.toCall(args), body: undefined };
    if (!READING.includes(call.method)) {
      throw new ToolCallRefused(`The method must be ${READING.join(' or ')}.`);
    }
    return call;
  },
};

/** The arguments as an object with all required and no unknown ones. */
export function readArguments(
  args: unknown,
  names: readonly string[],
  required: readonly string[],
): JsonObject {
  if (!isObject(args)) throw new ToolCallRefused('The arguments must be an object.');
  const unknown = Object.keys(args).find((name) => !names.includes(name));
  if (unknown !== undefined) {
    throw new ToolCallRefused(`There is no argument "${unknown.slice(0, 50)}".`);
  }
  // Models write null for omitted arguments.
  const given = Object.entries(args).filter(([, value]) => value !== null && value !== undefined);
  const missing = required.find((name) => !given.some(([one]) => one === name));
  if (missing !== undefined) throw new ToolCallRefused(`The argument "${missing}" is missing.`);
  // Without a prototype: an argument called "constructor" is missing when it was not given.
  return Object.assign(Object.create(null), Object.fromEntries(given));
}

/** One value of a query as it is sent. */
export function queryOf(name: string, value: unknown, style: QueryStyle): QueryPairs {
  if (value === undefined || value === null) return [];
  if (style === 'json') return [[name, JSON.stringify(value)]];
  if (Array.isArray(value)) {
    const texts = value.map(textOf);
    const separator = { comma: ',', space: ' ', pipe: '|' }[style as string];
    return separator === undefined
      ? texts.map((text): [string, string] => [name, text])
      : [[name, texts.join(separator)]];
  }
  if (isObject(value) && style === 'deep') {
    return Object.entries(value).map(([key, one]) => [`${name}[${key}]`, textOf(one)]);
  }
  return [[name, textOf(value)]];
}

/** One value of a path, in which nothing can end its segment. */
export function pathSegmentOf(name: string, value: unknown): string {
  const text = Array.isArray(value) ? value.map(textOf).join(',') : textOf(value);
  if (text === '') throw new ToolCallRefused(`The argument "${name}" must not be empty.`);
  return encodeURIComponent(text.toWellFormed());
}

function textOf(value: unknown): string {
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value);
}
