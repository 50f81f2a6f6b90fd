import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import {
  type Agent,
  assignResources,
  createAgent,
} from '@tallyhand/contracts/features/agents/agents.endpoints';
import { AgentInput } from '@tallyhand/contracts/features/agents/agents.fields';
import {
  type CurrentUser,
  registerUser,
} from '@tallyhand/contracts/features/identity/identity.endpoints';
import {
  type Article,
  createArticle,
} from '@tallyhand/contracts/features/knowledge/knowledge.endpoints';
import { type Endpoint, pathOf } from '@tallyhand/contracts/kernel/endpoint';
import { OpenAiError } from '@tallyhand/contracts/kernel/openai-error';
import { refusalsOf } from '@tallyhand/contracts/kernel/openapi-responses';
import { Problem } from '@tallyhand/contracts/kernel/problem';

export type ApiAnswer<B = unknown> = {
  readonly status: number;
  readonly headers: Headers;
  readonly body: B;
};

type CallOptions = {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  /** Sent unchanged, without a content type. */
  readonly raw?: string;
  readonly headers?: Readonly<Record<string, string>>;
};

/** A caller of the API. It keeps cookies as a browser does, or only its sign-in as a script does. */
export type ApiClient = {
  call<B = unknown>(endpoint: Endpoint, options?: CallOptions): Promise<ApiAnswer<B>>;
  send<B = unknown>(method: string, path: string, options?: CallOptions): Promise<ApiAnswer<B>>;
  readonly cookies: Map<string, string>;
};

/** The header `cookie` of a caller, for requests that are made without it. */
export const cookieOf = ({ cookies }: Pick<ApiClient, 'cookies'>): string =>
  [...cookies].map((pair) => pair.join('=')).join('; ');

export function apiClient(
  url: string,
  keeps: 'all cookies' | 'sign-in only' = 'all cookies',
): ApiClient {
  const cookies = new Map<string, string>();
  async function send<B>(method: string, path: string, options: CallOptions = {}) {
    const { body, raw, query, headers = {} } = options;
    const search = query ? `?${new URLSearchParams(query)}` : '';
    const response = await fetch(`${url}${path}${search}`, {
      method,
      redirect: 'manual',
      headers: {
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(cookies.size ? { cookie: cookieOf({ cookies }) } : {}),
        ...headers,
      },
      ...(method === 'GET' || method === 'HEAD' ? {} : { body: raw ?? JSON.stringify(body) }),
    });
    for (const cookie of response.headers.getSetCookie()) {
      const [name = '', value = ''] = (cookie.split(';')[0] ?? '').split('=');
      if (keeps === 'sign-in only' && name !== 'tallyhand') continue;
      if (value === '') cookies.delete(name);
      else cookies.set(name, value);
    }
    const text = await response.text();
    const isJson = response.headers.get('content-type')?.includes('json');
    const { status, headers: answered } = response;
    return {
      status,
      headers: answered,
      body: (isJson && text !== '' ? JSON.parse(text) : text) as B,
    };
  }
  return { cookies, send, call: callBy(send) };
}

/**
 * Makes calls of the contracts. Throws if a call is refused for a reason that it does not declare, or
 * if its answer is not as the API document says.
 */
const callBy =
  (send: ApiClient['send']): ApiClient['call'] =>
  async (endpoint, options = {}) => {
    const answer = await send<never>(endpoint.method, pathOf(endpoint, options.params), options);
    const code = refusalCodeOf(answer.body);
    if (code && !refusalsOf(endpoint).some((declared) => declared.code === code)) {
      throw new Error(`${endpoint.name} was refused with ${code}, which it does not declare`);
    }
    if (answer.status === endpoint.status) checkAnswer(endpoint, answer);
    return answer;
  };

/** The code of a problem, or of an error of OpenAI's protocol; undefined for other answers. */
export const refusalCodeOf = (body: unknown): string | undefined =>
  Problem.safeParse(body).data?.code ?? OpenAiError.safeParse(body).data?.error.code;

const JSON_MEDIA = 'application/json';

/** An answer matches its schema, and has no field that the schema or the example lacks. */
function checkAnswer(endpoint: Endpoint, { headers, body }: ApiAnswer) {
  if (!endpoint.answer || !headers.get('content-type')?.startsWith(JSON_MEDIA)) return;
  const { data, error } = endpoint.answer.safeParse(body);
  const wrong =
    error?.message ??
    ((!isDeepStrictEqual(data, body) && 'a field that its schema lacks') ||
      (/"[\d-]+T[\d:.]+[+-]\d\d:\d\d"/.test(JSON.stringify(body)) && 'an instant without Z'));
  if (wrong) throw new Error(`${endpoint.name} answered ${wrong}: ${JSON.stringify(body)}`);
  // Calls between processes are in no document.
  if (endpoint.answerExample === undefined) return;
  const [shown] = [endpoint.answerExample].flat();
  for (const one of [body].flat()) {
    const lacking = keysOf(one).filter((key) => !keysOf(shown).includes(key));
    if (lacking.length > 0) throw new Error(`The example of ${endpoint.name} lacks ${lacking}`);
  }
}

const keysOf = (value: unknown) =>
  typeof value === 'object' && value !== null ? Object.keys(value) : [];

export const testPassword = 'correct horse battery';

/** A caller that goes by an API key, as a script does. */
export function keyClient(url: string, key: string): ApiClient {
  const client = apiClient(url);
  const send: ApiClient['send'] = (method, path, options = {}) =>
    client.send(method, path, {
      ...options,
      headers: { authorization: `Bearer ${key}`, ...options.headers },
    });
  return { cookies: client.cookies, send, call: callBy(send) };
}

/** A new organization and its Admin, signed in. */
export async function registerOrganization(
  url: string,
  keeps?: 'all cookies' | 'sign-in only',
): Promise<{ client: ApiClient; user: CurrentUser }> {
  const client = apiClient(url, keeps);
  const name = randomUUID().slice(0, 8);
  const { status, body } = await client.call<{ user: CurrentUser }>(registerUser, {
    body: {
      email: `${name}@example.com`,
      username: `User ${name}`,
      password: testPassword,
      organizationName: `Organization ${name}`,
    },
  });
  if (status !== 201) throw new Error(`Registration answered ${status}: ${JSON.stringify(body)}`);
  return { client, user: body.user };
}

export const agentInput = AgentInput.parse(createAgent.example);

/** An agent with one article assigned to it, ready to run tasks. */
export async function agentWithArticle(
  client: ApiClient,
  article = { title: 'Returns', content: 'Items can be returned within 30 days of delivery.' },
): Promise<{ agent: Agent; article: Article }> {
  const agent = await client.call<Agent>(createAgent, { body: agentInput });
  const written = await client.call<Article>(createArticle, {
    body: { ...article, category: 'General' },
  });
  const id = agent.body.id;
  await client.call(assignResources, { params: { id }, body: { articles: [written.body.id] } });
  return { agent: agent.body, article: written.body };
}

export const playbookInput = {
  title: 'Refund a customer',
  description: 'What to do when a customer wants money back',
  steps: ['Find the order', 'Check its date', 'Say what was decided'],
  category: 'Customer Support',
};

export const toolInput = {
  name: 'Orders',
  description: 'Looks orders up in the shop',
  type: 'api',
  config: { baseUrl: 'https://shop.example.com/api', authType: 'bearer' },
  authCredentials: { token: 'a-token-of-the-shop' },
};
