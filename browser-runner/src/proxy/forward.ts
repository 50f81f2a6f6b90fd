import { type IncomingMessage, type ServerResponse, request as send } from 'node:http';
import { pipeline, Transform } from 'node:stream';
import {
  addressesOf,
  type OutboundPolicy,
  readUrl,
} from '@tallyhand/agent-runtime/guard/destination';
import { pinnedTo } from '@tallyhand/agent-runtime/guard/guarded-fetch';
import {
  failureOf,
  OutboundFailed,
  OutboundRefused,
  tellFailure,
} from '@tallyhand/agent-runtime/guard/outbound-errors';
import { hostOf, portOf } from '@tallyhand/agent-runtime/guard/own-origins';
import { type ProxyClient, type ProxyLimits, tooLarge } from './proxy-client.ts';
import { refuse } from './refusal-page.ts';

/** Hop-by-hop headers, and those between the browser and the proxy. */
const HOP_HEADERS = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/** A plain request: sent again, to a checked address. */
export async function forward(
  request: IncomingMessage,
  response: ServerResponse,
  client: ProxyClient,
  policy: OutboundPolicy,
  limits: ProxyLimits,
): Promise<void> {
  const gone = new AbortController();
  response.once('close', () => gone.abort());
  let authority = '';
  try {
    const url = readUrl(request.url ?? '');
    authority = `${hostOf(url)}:${portOf(url)}`;
    if (url.protocol !== 'http:') throw new OutboundRefused('scheme', 'Only http is forwarded.');
    const addresses = await addressesOf(url, policy, gone.signal);
    const outgoing = send({
      agent: false,
      host: hostOf(url),
      port: portOf(url),
      method: request.method,
      path: `${url.pathname}${url.search}`,
      headers: { ...withoutHop(request.headers), host: url.host },
      setHost: false,
      lookup: pinnedTo(addresses),
      signal: gone.signal,
    });
    const connecting = setTimeout(() => outgoing.destroy(timedOut()), limits.connectMs);
    outgoing.once('socket', (socket) => {
      client.holds(socket);
      socket.once('connect', () => clearTimeout(connecting));
      socket.setTimeout(limits.idleMs, () => outgoing.destroy(timedOut()));
    });
    outgoing.once('close', () => clearTimeout(connecting));
    const meter = client.meter(hostOf(url), false);
    pipeline(request, counted(meter, false), outgoing, () => undefined);
    const answer = await new Promise<IncomingMessage>((resolve, reject) => {
      outgoing.once('response', resolve);
      outgoing.on('error', reject);
    });
    policy.hear?.('answered', 'none');
    pass(answer, response, client, meter, { host: hostOf(url), authority, limits });
  } catch (error) {
    if (gone.signal.aborted) return;
    const failure = failureOf(error, authority);
    tellFailure(failure, policy.hear);
    client.refused(authority, failure.message);
    refuse(response, failure instanceof OutboundRefused ? 403 : 502, failure.message);
  }
}

function pass(
  answer: IncomingMessage,
  response: ServerResponse,
  client: ProxyClient,
  meter: ReturnType<ProxyClient['meter']>,
  { host, authority, limits }: { host: string; authority: string; limits: ProxyLimits },
) {
  const isTooLarge = Number(answer.headers['content-length'] ?? 0) > limits.answerBytes;
  // Only this proxy may request its credentials.
  if (answer.statusCode === 407 || isTooLarge) {
    const sentence = isTooLarge ? tooLarge(host, limits) : `${host} sent an unusable answer.`;
    client.refused(authority, sentence);
    answer.destroy();
    refuse(response, 502, sentence);
    return;
  }
  response.writeHead(answer.statusCode ?? 502, answer.statusMessage, endToEnd(answer.rawHeaders));
  pipeline(answer, counted(meter, true), response, (error) => {
    if (error instanceof OutboundFailed) client.refused(authority, error.message);
  });
}

function counted(meter: ReturnType<ProxyClient['meter']>, isAnswer: boolean): Transform {
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      const sentence = meter(chunk.byteLength, isAnswer);
      if (sentence === undefined) done(null, chunk);
      else done(new OutboundFailed('too-large', sentence));
    },
  });
}

function withoutHop(headers: IncomingMessage['headers']) {
  const named = (headers.connection ?? '').toLowerCase().split(/\s*,\s*/);
  return Object.fromEntries(
    Object.entries(headers).filter(([name]) => !HOP_HEADERS.has(name) && !named.includes(name)),
  );
}

/** Names and values by turns, as they came: cookies must not be joined. */
function endToEnd(raw: string[]): string[] {
  return raw.filter((_, at) => !HOP_HEADERS.has((raw[at - (at % 2)] ?? '').toLowerCase()));
}

const timedOut = () => Object.assign(new Error('timeout'), { code: 'ETIMEDOUT' });
