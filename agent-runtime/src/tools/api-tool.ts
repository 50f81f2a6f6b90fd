import type { OutboundPolicy } from '../guard/destination.ts';
import { type GuardedResponse, guardedFetch } from '../guard/guarded-fetch.ts';
import {
  type ApiCredentials,
  type ApiToolConfig,
  authorizationOf,
  headersOf,
  secretsOf,
} from './api-headers.ts';
import { longestForm, secretMask } from './api-secret-mask.ts';
import { isBelow, type QueryPairs, ToolCallRefused, urlBelow } from './api-url.ts';

/** One request below the base URL of a tool. */
export type ApiCall = {
  method: string;
  /** Below the base URL; may contain a query. */
  path: string;
  query: QueryPairs;
  /** Any JSON; nothing is sent when undefined. */
  body: unknown;
  /** The media type of the body: one of JSON, which is the default, or that of forms. */
  bodyType?: string;
};

export type ApiTool = { config: ApiToolConfig; credentials: ApiCredentials };

export type ApiToolLimits = {
  /** For the whole call. */
  timeoutMs: number;
  /** Of the returned body; the rest is never read. */
  bodyCharactersMax: number;
};

/** The answer of an API, secrets masked. Untrusted text. */
export type ApiResult = {
  status: number;
  /** Those that help the next call: limits, locations, versions. */
  headers: Record<string, string>;
  contentType: string;
  /** The text of the body; empty for other data. */
  body: string;
  /** Whether the body was longer than the returned text. */
  truncated: boolean;
  /** Milliseconds from the call to the last byte read. */
  ms: number;
};

const defaultLimits: ApiToolLimits = { timeoutMs: 30_000, bodyCharactersMax: 50_000 };
/** The media type of a body that is a form. */
export const formType = 'application/x-www-form-urlencoded';

const requestBytesMax = 1_000_000;
const headerCharactersMax = 500;
const methods = /^(GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS)$/;
const returnedHeaders = new Set([
  'allow',
  'content-language',
  'content-type',
  'etag',
  'last-modified',
  'link',
  'location',
  'retry-after',
  'x-request-id',
  'x-total-count',
]);
const textFormats = new Set([
  'json',
  'ndjson',
  'x-ndjson',
  'xml',
  'yaml',
  'csv',
  'javascript',
  'graphql',
  'x-www-form-urlencoded',
]);
const rateLimitHeader = /^(x-)?ratelimit-[a-z-]{1,30}$/;

/**
 * Makes one call of a tool of the type `api`, below its base URL only, with its credentials. Any
 * status is a result. Throws ToolCallRefused for a call or configuration that can't be sent, and
 * the errors of the guard.
 */
export async function callApi(
  { config, credentials }: ApiTool,
  call: ApiCall,
  policy: OutboundPolicy,
  options: { signal?: AbortSignal; limits?: Partial<ApiToolLimits> } = {},
): Promise<ApiResult> {
  const limits = { ...defaultLimits, ...options.limits };
  const startedAt = performance.now();
  const method = call.method.toUpperCase();
  if (!methods.test(method)) throw new ToolCallRefused('This HTTP method is not supported.');
  const secrets = secretsOf(config, credentials);
  const charactersRead = limits.bodyCharactersMax + longestForm(secrets);
  const authorization = authorizationOf(config, credentials);
  const url = urlBelow(config.baseUrl, call.path, [...call.query, ...authorization.query]);
  const body = written(call);
  const init = {
    method,
    headers: { ...headersOf(config, body?.contentType), ...authorization.headers },
    body: body?.text,
    signal: options.signal,
    limits: {
      totalMs: limits.timeoutMs,
      headersMs: limits.timeoutMs,
      // More than the returned text, so that a longer body is cut here and does not fail there.
      bodyBytes: 4 * charactersRead + 1_000_000,
    },
    mayFollow: (target: URL) => isBelow(target, config.baseUrl),
  };
  const response = await guardedFetch(url, init, policy);
  const mask = secretMask(secrets);
  const contentType = mask(response.headers['content-type'] ?? '').slice(0, headerCharactersMax);
  const read = await bodyOf(response, charactersRead);
  // The mask does not find a secret that the cut has halved: the end that could contain one is left
  // out.
  const text = read.isCut
    ? mask(read.text).slice(0, -longestForm(secrets) || undefined)
    : mask(read.text);
  return {
    status: response.status,
    headers: shown(response.headers, mask),
    contentType,
    body: text.slice(0, limits.bodyCharactersMax).toWellFormed(),
    truncated: read.isCut || text.length > limits.bodyCharactersMax,
    ms: Math.round(performance.now() - startedAt),
  };
}

function written({ body, bodyType = 'application/json' }: ApiCall) {
  if (body === undefined) return undefined;
  const text = bodyType === formType ? formOf(body) : JSON.stringify(body);
  if (Buffer.byteLength(text) > requestBytesMax) {
    throw new ToolCallRefused('The body is larger than 1 MB.');
  }
  return { text, contentType: bodyType };
}

function formOf(body: unknown): string {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    throw new ToolCallRefused('The body must be an object of fields.');
  }
  const pairs = Object.entries(body).flatMap(([name, value]) =>
    (Array.isArray(value) ? value : [value]).map((one): [string, string] => [
      name,
      typeof one === 'object' ? JSON.stringify(one) : String(one),
    ]),
  );
  return new URLSearchParams(pairs).toString();
}

/** Reads the returned part of the body, and ends the connection. */
async function bodyOf(response: GuardedResponse, charactersMax: number) {
  const { 'content-type': contentType = '' } = response.headers;
  if (!isText(contentType)) {
    response.discard();
    return { text: '', isCut: false };
  }
  const decoder = decoderOf(contentType);
  let text = '';
  let isCut = false;
  for await (const chunk of response.body) {
    text += decoder.decode(chunk, { stream: true });
    isCut = text.length > charactersMax;
    if (isCut) break;
  }
  return { text: text.slice(0, charactersMax).replaceAll('\0', ''), isCut };
}

function isText(contentType: string): boolean {
  const type = contentType.split(';')[0]?.trim().toLowerCase() ?? '';
  const format = /^(?:application|image)\/(?:.*\+)?([a-z-]+)$/.exec(type)?.[1] ?? '';
  return type === '' || type.startsWith('text/') || textFormats.has(format);
}

function decoderOf(contentType: string) {
  const charset = /charset="?([a-z0-9_-]{1,30})/i.exec(contentType)?.[1] ?? 'utf-8';
  try {
    return new TextDecoder(charset);
  } catch {
    return new TextDecoder();
  }
}

function shown(
  headers: Record<string, string>,
  mask: (text: string) => string,
): Record<string, string> {
  const entries = Object.entries(headers).filter(
    ([name]) => returnedHeaders.has(name) || rateLimitHeader.test(name),
  );
  return Object.fromEntries(
    entries.map(([name, value]) => [name, mask(value).slice(0, headerCharactersMax)]),
  );
}
