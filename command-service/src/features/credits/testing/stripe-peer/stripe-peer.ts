import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { signedHeader } from '../../stripe-signature.ts';
import { StripeAccount } from './account.ts';
import type { PeerEvent } from './objects.ts';
import {
  pairs,
  readDisputeList,
  readIntentRetrieve,
  readPayoutList,
  readSessionCreate,
  readSessionRetrieve,
  readTransactionList,
  textOf,
} from './parameters.ts';
import { ApiError, invalid } from './shapes.ts';

/** A received request, as tests need it. */
export type Received = {
  readonly method: string;
  readonly path: string;
  /** The raw query or body. */
  readonly parameters: string;
  readonly version: string | undefined;
  readonly idempotencyKey: string | undefined;
  readonly hasTelemetry: boolean;
  status: number | null;
};

/**
 * down: 503; limited: 429; silent: no answer; garbled: no JSON; dropped: the work is done, and the
 * connection ends instead of an answer.
 */
export type Trouble = 'down' | 'limited' | 'silent' | 'garbled' | 'dropped';

export type StripePeer = AsyncDisposable & {
  readonly account: StripeAccount;
  readonly url: string;
  readonly secretKey: string;
  readonly webhookSecret: string;
  readonly received: readonly Received[];
  /** Disturbs the next requests, all of them by default; null ends it. */
  trouble(kind: Trouble | null, times?: number): void;
  /** Sends signed events to an address, in order. Returns the statuses of the answers. */
  send(
    address: string,
    events?: readonly PeerEvent[],
    signing?: { readonly secret?: string; readonly now?: Date },
  ): Promise<number[]>;
};

/**
 * A local server that answers as Stripe's published API does, for the calls that the product makes,
 * and that refuses what is not published.
 */
export async function startStripePeer(port = 0): Promise<StripePeer> {
  const secretKey = `sk_test_${randomBytes(12).toString('hex')}`;
  const webhookSecret = `whsec_${randomBytes(12).toString('hex')}`;
  let url = '';
  const account = new StripeAccount(() => url);
  const answers = new IdempotentAnswers();
  const received: Received[] = [];
  let troubles: { readonly kind: Trouble; left: number } | null = null;
  const nextTrouble = () => {
    if (!troubles || troubles.left <= 0) return null;
    troubles.left -= 1;
    return troubles.kind;
  };
  const server = createServer(async (request, response) => {
    const body = await readBody(request);
    const { pathname, search } = new URL(request.url ?? '/', url);
    if (!pathname.startsWith('/v1/')) return checkoutPage(account, request, response);
    const one = receive(request, pathname, request.method === 'POST' ? body : search.slice(1));
    received.push(one);
    const kind = nextTrouble();
    if (kind === 'silent') return;
    const answer = kind && TROUBLES[kind] ? TROUBLES[kind] : answerOf(one, request);
    one.status = answer.status;
    if (kind === 'dropped') return request.socket.destroy();
    reply(response, one, answer);
  });

  function answerOf(one: Received, request: IncomingMessage): Answer {
    try {
      authorize(request, secretKey);
      if (one.version !== undefined && !/^\d{4}-\d\d-\d\d(\.\w+)?$/.test(one.version)) {
        throw invalid(undefined, `Invalid Stripe API version: ${one.version}`);
      }
      if (one.method === 'POST') return post(one, request);
      return { status: 200, body: JSON.stringify(serve(account, one)) };
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      return { status: error.status, body: JSON.stringify({ error: error.body }) };
    }
  }

  function post(one: Received, request: IncomingMessage): Answer {
    const { path: endpoint, parameters, idempotencyKey: key } = one;
    if (request.headers['content-type'] !== 'application/x-www-form-urlencoded') {
      throw invalid(undefined, 'Invalid request: the body is not form-encoded');
    }
    const known = key && answers.find(key, endpoint, parameters);
    if (known) return known;
    const answer = { status: 200, body: JSON.stringify(serve(account, one)) };
    if (key) answers.keep(key, { endpoint, parameters, answer });
    return answer;
  }

  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    account,
    url,
    secretKey,
    webhookSecret,
    received,
    trouble(kind, times = Infinity) {
      troubles = kind && { kind, left: times };
    },
    async send(address, events = account.events, { secret = webhookSecret, now } = {}) {
      const statuses: number[] = [];
      for (const event of events) {
        const body = JSON.stringify(event, null, 2);
        const headers = {
          'content-type': 'application/json; charset=utf-8',
          'stripe-signature': signedHeader(body, secret, now),
        };
        const { status } = await fetch(address, { method: 'POST', headers, body });
        statuses.push(status);
      }
      return statuses;
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

const troubleBody = (type: string, message: string) => JSON.stringify({ error: { type, message } });
const TROUBLES: Partial<Record<Trouble, Answer>> = {
  down: { status: 503, body: troubleBody('api_error', 'An unknown error occurred') },
  limited: { status: 429, body: troubleBody('invalid_request_error', 'Too many requests') },
  garbled: { status: 200, body: '<html>Bad gateway</html>' },
};

function receive(request: IncomingMessage, path: string, parameters: string): Received {
  const { headers, method = '' } = request;
  const one = (name: string) => headers[name]?.toString();
  return {
    method,
    path,
    parameters,
    version: one('stripe-version'),
    idempotencyKey: one('idempotency-key'),
    hasTelemetry: headers['x-stripe-client-telemetry'] !== undefined,
    status: null,
  };
}

/** The key comes as a bearer's token, or as the name of a Basic sign-in. */
function authorize({ headers }: IncomingMessage, secretKey: string): void {
  const [scheme = '', credentials = ''] = (headers.authorization ?? '').split(' ');
  const basic = Buffer.from(credentials, 'base64').toString('utf8').split(':')[0];
  const key = scheme === 'Basic' ? basic : scheme === 'Bearer' ? credentials : '';
  if (key === secretKey) return;
  const said = key
    ? `Invalid API Key provided: ${key.slice(0, 8)}${'*'.repeat(20)}${key.slice(-4)}`
    : 'You did not provide an API key.';
  throw new ApiError(401, { type: 'invalid_request_error', message: said });
}

/** The object that a request asks for. */
function serve(account: StripeAccount, { method, path, parameters }: Received): unknown {
  const session = /^\/v1\/checkout\/sessions\/(\w+)$/.exec(path)?.[1];
  const intent = /^\/v1\/payment_intents\/(\w+)$/.exec(path)?.[1];
  if (method === 'POST' && path === '/v1/checkout/sessions') {
    const asked = readSessionCreate(parameters, Math.floor(Date.now() / 1_000));
    return account.session(account.create(asked).id, asked.expand);
  }
  if (method === 'GET' && session) {
    return account.session(session, Object.values(pairs(readSessionRetrieve(parameters).expand)));
  }
  if (method === 'GET' && intent) {
    return account.intent(intent, Object.values(pairs(readIntentRetrieve(parameters).expand)));
  }
  if (method === 'GET' && path === '/v1/disputes') {
    const form = readDisputeList(parameters);
    const all = account.disputes(textOf(form.payment_intent) || null);
    const limit = Number(form.limit ?? 10);
    const data = all.slice(0, limit);
    return { object: 'list', url: path, has_more: all.length > limit, data };
  }
  if (method === 'GET' && path === '/v1/balance_transactions') {
    return account.balance.listTransactions(readTransactionList(parameters));
  }
  if (method === 'GET' && path === '/v1/payouts') {
    return account.balance.listPayouts(readPayoutList(parameters));
  }
  const said = `Unrecognized request URL (${method}: ${path}).`;
  throw new ApiError(404, { type: 'invalid_request_error', message: said });
}

function reply(response: ServerResponse, one: Received, { status, body }: Answer): void {
  response.writeHead(status, {
    'content-type': 'application/json',
    'request-id': `req_${randomBytes(7).toString('hex')}`,
    ...(one.version ? { 'stripe-version': one.version } : {}),
    ...(one.idempotencyKey ? { 'idempotency-key': one.idempotencyKey } : {}),
  });
  response.end(body);
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}

export type Answer = { readonly status: number; readonly body: string };

type Kept = { readonly endpoint: string; readonly parameters: string; readonly answer: Answer };

/**
 * The first answer of a key is stored and returned again to the same request. Refusals before any
 * work began are not stored, so that the request can be corrected under the same key.
 */
class IdempotentAnswers {
  readonly #kept = new Map<string, Kept>();

  /** The answer of a key that was used before for the same request. */
  find(key: string, endpoint: string, parameters: string): Answer | null {
    if (key.length > 255) throw refused(`Idempotency keys can be up to 255 characters long.`);
    const first = this.#kept.get(key);
    if (!first) return null;
    const otherKey = `Try using a key other than '${key}' if you meant to execute a different request.`;
    if (first.endpoint !== endpoint) {
      const both = `('${first.endpoint}' vs '${endpoint}')`;
      const said = 'Keys for idempotent requests can only be used for the same endpoint';
      throw refused(`${said} they were first used for ${both}. ${otherKey}`);
    }
    if (first.parameters !== parameters) {
      const said = 'Keys for idempotent requests can only be used with the same parameters';
      throw refused(`${said} they were first used with. ${otherKey}`);
    }
    return first.answer;
  }

  keep(key: string, kept: Kept): void {
    this.#kept.set(key, kept);
  }
}

const refused = (message: string) => new ApiError(400, { type: 'idempotency_error', message });

const escaped = (value: string) => value.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);

/** The hosted page, as far as a browser needs it: a button for each thing that a buyer can do. */
export function checkoutPage(
  account: StripeAccount,
  { method, url = '' }: IncomingMessage,
  response: ServerResponse,
): void {
  const [, id = '', action = ''] = /^\/c\/pay\/(\w+)(?:\/(\w+))?$/.exec(url) ?? [];
  try {
    const session = account.session(id);
    if (method === 'POST') {
      const location = act(account, id, action) ? session.success_url : session.cancel_url;
      response.writeHead(303, {
        location: action === 'decline' ? `/c/pay/${id}` : (location ?? '/'),
      });
      response.end();
      return;
    }
    const button = (name: string, label: string) =>
      `<form method="post" action="/c/pay/${id}/${name}"><button>${label}</button></form>`;
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' });
    response.end(`<!doctype html><html lang="en"><title>Checkout</title>
      <h1>${escaped(session.currency ?? '')} ${(session.amount_total ?? 0) / 100}</h1>
      ${button('pay', 'Pay')}${button('decline', 'Declined card')}${button('back', 'Back')}`);
  } catch (error) {
    response.writeHead(error instanceof ApiError ? error.status : 409);
    response.end();
  }
}

/** Whether the buyer has paid. */
function act(account: StripeAccount, id: string, action: string): boolean {
  if (action === 'pay') account.pay(id);
  if (action === 'decline') account.decline(id);
  return action === 'pay';
}
