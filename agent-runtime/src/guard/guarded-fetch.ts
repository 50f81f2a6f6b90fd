import { tracingChannel } from 'node:diagnostics_channel';
import type { LookupFunction } from 'node:net';
import { pipeline, type Readable, Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { Client, type Dispatcher } from 'undici';
import { addressesOf, type CheckedAddress, type OutboundPolicy, readUrl } from './destination.ts';
import { failureOf, OutboundRefused, outboundFailure, reportFailure } from './outbound-errors.ts';
import { hostOf } from './own-origins.ts';
import { readHeaders, withoutBody, withoutSecrets } from './request-headers.ts';

export type OutboundLimits = {
  /** From the call to the last byte of the body, redirects included. */
  totalMs: number;
  /** From the call to the headers of the final answer, redirects included. */
  headersMs: number;
  /** Of the body, before and after unpacking. */
  bodyBytes: number;
  headerBytes: number;
};

export type OutboundInit = {
  /** GET when absent. */
  method?: string;
  headers?: Record<string, string>;
  body?: string | Uint8Array;
  signal?: AbortSignal;
  limits?: Partial<OutboundLimits>;
  /** Decides whether to follow a redirect; by default all that pass the guard. */
  mayFollow?: (target: URL) => boolean;
};

export type GuardedResponse = {
  /** The URL of the answer, after redirects. */
  url: string;
  status: number;
  /** Lower-case names; repeated headers are joined with commas. */
  headers: Record<string, string>;
  /** The unpacked body; can be read once. Breaking out of the loop ends the connection. */
  body: AsyncIterable<Uint8Array>;
  bytes(): Promise<Uint8Array>;
  /** The body as UTF-8. */
  text(): Promise<string>;
  /** Ends the connection; for answers whose body is not read. */
  discard(): void;
};

const defaultLimits: OutboundLimits = {
  totalMs: 30_000,
  headersMs: 20_000,
  bodyBytes: 5_000_000,
  headerBytes: 32_768,
};
const redirectsMax = 5;
/** For tracing of requests. */
const channel = tracingChannel('tallyhand:outbound');
const methods = /^(GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS)$/;

type Hop = {
  url: URL;
  method: string;
  headers: Record<string, string>;
  body: string | Uint8Array | undefined;
};

type Answer = { client: Client; data: Dispatcher.ResponseData };

/**
 * A request like `fetch`, including redirects, but only to destinations that the policy allows.
 * Each hop resolves its name once, checks every address, and connects only to the checked
 * addresses, on a separate connection. Proxies of the environment are ignored. Rejects only with
 * OutboundRefused or OutboundFailed; so does reading the body.
 */
export async function guardedFetch(
  url: string | URL,
  init: OutboundInit,
  policy: OutboundPolicy,
): Promise<GuardedResponse> {
  try {
    const { method = 'GET' } = init;
    const response = await channel.tracePromise(() => untilAnswered(url, init, policy), { method });
    policy.onOutbound?.('answered', 'none');
    return response;
  } catch (error) {
    reportFailure(error, policy.onOutbound);
    throw error;
  }
}

async function untilAnswered(
  url: string | URL,
  init: OutboundInit,
  policy: OutboundPolicy,
): Promise<GuardedResponse> {
  const limits = { ...defaultLimits, ...init.limits };
  let hop = firstHop(url, init);
  const end = endOf(limits, init.signal, () => hostOf(hop.url));
  try {
    for (let redirects = 0; ; redirects += 1) {
      const answer = await send(hop, policy, limits, end.signal);
      const target = redirectOf(answer.data);
      if (target === undefined) {
        end.headersCame();
        return responseOf(hop, answer, limits, end);
      }
      leave(answer);
      if (redirects === redirectsMax) throw outboundFailure('redirects', hostOf(hop.url));
      hop = nextHop(hop, target, answer.data.statusCode);
      if (init.mayFollow?.(hop.url) === false) {
        throw new OutboundRefused('redirect', 'The answer redirects to a place not allowed.');
      }
    }
  } catch (error) {
    end.done();
    throw end.signal.aborted ? end.signal.reason : failureOf(error, hostOf(hop.url));
  }
}

function firstHop(url: string | URL, { method = 'GET', headers = {}, body }: OutboundInit): Hop {
  const upper = method.toUpperCase();
  if (!methods.test(upper)) throw new OutboundRefused('method', 'This method is not supported.');
  const target = readUrl(typeof url === 'string' ? url : url.href);
  return { url: target, method: upper, headers: readHeaders(headers), body };
}

/** One signal for everything that ends a request; its reason is the error to throw. */
function endOf(limits: OutboundLimits, outer: AbortSignal | undefined, host: () => string) {
  const controller = new AbortController();
  const timeOut = () => controller.abort(outboundFailure('timeout', host()));
  const abort = () => controller.abort(outboundFailure('aborted', host()));
  const total = setTimeout(timeOut, limits.totalMs);
  const untilHeaders = setTimeout(timeOut, limits.headersMs);
  if (outer?.aborted) abort();
  outer?.addEventListener('abort', abort, { once: true });
  return {
    signal: controller.signal,
    headersCame: () => clearTimeout(untilHeaders),
    done() {
      clearTimeout(total);
      clearTimeout(untilHeaders);
      outer?.removeEventListener('abort', abort);
    },
  };
}

async function send(
  { url, method, headers, body }: Hop,
  policy: OutboundPolicy,
  { headerBytes }: OutboundLimits,
  signal: AbortSignal,
): Promise<Answer> {
  const addresses = await addressesOf(url, policy, signal);
  const client = new Client(url.origin, {
    allowH2: false,
    useMilo: false,
    pipelining: 1,
    maxHeaderSize: headerBytes,
    // The signal replaces these time-outs.
    connectTimeout: 0,
    headersTimeout: 0,
    bodyTimeout: 0,
    connect: {
      lookup: pinnedTo(addresses),
      autoSelectFamily: true,
      rejectUnauthorized: true,
      timeout: 0,
    },
  });
  try {
    const data = await client.request({
      method: method as Dispatcher.HttpMethod,
      path: `${url.pathname}${url.search}`,
      headers: { 'user-agent': 'Tallyhand', ...headers, 'accept-encoding': acceptedEncodings },
      body: body ?? null,
      signal,
    });
    return { client, data };
  } catch (error) {
    void client.destroy().catch(() => undefined);
    throw error;
  }
}

/** A lookup that returns the checked addresses, so that there is no second DNS query. */
export function pinnedTo(addresses: CheckedAddress[]): LookupFunction {
  return (_host, options, callback) => {
    if (options.all === true) {
      callback(null, addresses);
      return;
    }
    const [first] = addresses;
    callback(null, first?.address ?? '', first?.family);
  };
}

function redirectOf({ statusCode, headers }: Dispatcher.ResponseData): string | undefined {
  const location = Array.isArray(headers.location) ? headers.location[0] : headers.location;
  return [301, 302, 303, 307, 308].includes(statusCode) ? location : undefined;
}

/** Like `fetch`: after 303, and for a POST after 301 or 302, the next request is a GET. */
function nextHop(hop: Hop, location: string, status: number): Hop {
  const url = readUrl(location, hop.url);
  const headers = url.origin === hop.url.origin ? hop.headers : withoutSecrets(hop.headers);
  const becomesGet =
    status === 303 ? hop.method !== 'HEAD' : status <= 302 && hop.method === 'POST';
  if (!becomesGet) return { ...hop, url, headers };
  return { url, method: 'GET', headers: withoutBody(headers), body: undefined };
}

function responseOf(
  { url, method }: Hop,
  answer: Answer,
  { bodyBytes }: OutboundLimits,
  end: ReturnType<typeof endOf>,
): GuardedResponse {
  const { statusCode: status, body: source } = answer.data;
  const headers = joined(answer.data.headers);
  const host = hostOf(url);
  const hasBody = method !== 'HEAD' && status !== 204 && status !== 304;
  const encoding = hasBody ? (headers['content-encoding'] ?? '') : '';
  const discard = () => {
    end.done();
    leave(answer);
  };
  // The body may never be read: the deadline then ends the connection with this error.
  source.on('error', () => undefined);
  end.signal.addEventListener('abort', discard, { once: true });
  async function* read() {
    try {
      yield* unpacked(source, encoding, bodyBytes, host);
    } catch (error) {
      throw end.signal.aborted ? end.signal.reason : error;
    } finally {
      discard();
    }
  }
  const body = read();
  const bytes = async () => Buffer.concat(await Array.fromAsync(body));
  const text = async () => new TextDecoder().decode(await bytes());
  return { url: url.href, status, headers, body, bytes, text, discard };
}

function leave({ client, data }: Answer): void {
  data.body.on('error', () => undefined).destroy();
  void client.destroy().catch(() => undefined);
}

function joined(headers: Dispatcher.ResponseData['headers']): Record<string, string> {
  const entries = Object.entries(headers).map(([name, value]) => [
    name.toLowerCase(),
    Array.isArray(value) ? value.join(', ') : (value ?? ''),
  ]);
  return Object.fromEntries(entries);
}

/** The value of accept-encoding; other encodings are not unpacked. */
const acceptedEncodings = 'gzip, deflate, br';

const encodingsMax = 2;

/**
 * The chunks of a body, unpacked. Rejects with OutboundFailed, `too-large` when the body has more
 * than `bytesMax` bytes before or after unpacking: neither an endless stream nor a decompression
 * bomb is buffered. The source is always destroyed at the end.
 */
async function* unpacked(
  source: Readable,
  contentEncoding: string,
  bytesMax: number,
  host: string,
): AsyncGenerator<Uint8Array, void, undefined> {
  try {
    const stages: (NodeJS.ReadableStream & NodeJS.WritableStream)[] = [
      counted(bytesMax, host),
      ...decodersOf(contentEncoding, host),
      counted(bytesMax, host),
    ];
    // The callback prevents uncaught errors; the loop below handles them.
    const last = pipeline([source, ...stages], () => undefined) as unknown as Readable;
    for await (const chunk of last) yield chunk as Uint8Array;
  } catch (error) {
    throw failureOf(error, host);
  } finally {
    source.on('error', () => undefined).destroy();
  }
}

function counted(bytesMax: number, host: string): Transform {
  let bytes = 0;
  return new Transform({
    transform(chunk: Uint8Array, _encoding, done) {
      bytes += chunk.byteLength;
      if (bytes > bytesMax) done(outboundFailure('too-large', host));
      else done(null, chunk);
    },
  });
}

/** Encodings are undone in reverse order. */
function decodersOf(contentEncoding: string, host: string): Transform[] {
  const names = contentEncoding
    .toLowerCase()
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '' && name !== 'identity');
  if (names.length > encodingsMax) throw outboundFailure('protocol', host);
  return names.reverse().map((name) => {
    if (name === 'gzip' || name === 'x-gzip') return createGunzip();
    if (name === 'deflate') return createInflate();
    if (name === 'br') return createBrotliDecompress();
    throw outboundFailure('protocol', host);
  });
}
