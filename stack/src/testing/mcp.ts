import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import type { Agent } from '@tallyhand/contracts/features/agents/agents.endpoints';
import {
  getOrganization,
  type Organization,
} from '@tallyhand/contracts/features/organizations/organizations.endpoints';
import {
  type ApiClient,
  agentWithArticle,
  registerOrganization,
} from '@tallyhand/test-kit/api-client';
import { newKey } from './members.ts';

/** An organization with an agent that has an article, and a key of its Admin. */
export type McpParty = { readonly admin: ApiClient; readonly agent: Agent; readonly key: string };

export async function newMcpParty(url: string): Promise<McpParty> {
  const { client: admin } = await registerOrganization(url);
  const { agent } = await agentWithArticle(admin);
  const { key } = await newKey(admin, 'Admin');
  // The next reads of any caller find all of it.
  await balanceOf(admin);
  return { admin, agent, key };
}

export const balanceOf = async (admin: ApiClient) =>
  (await admin.call<Organization>(getOrganization)).body;

type Options = {
  readonly era?: 'legacy' | '2026-07-28';
  readonly headers?: Readonly<Record<string, string>>;
};

/** The official SDK's client, connected to the server at this origin. It holds no connection. */
export async function mcpClient(
  url: string,
  key: string,
  { era = 'legacy', headers }: Options = {},
): Promise<Client> {
  const mode = era === 'legacy' ? era : { pin: era };
  const client = new Client({ name: 'test', version: '1.0.0' }, { versionNegotiation: { mode } });
  const transport = new StreamableHTTPClientTransport(new URL('/mcp', url), {
    requestInit: { headers: { authorization: `Bearer ${key}`, ...headers } },
  });
  await client.connect(transport);
  return client;
}

/** The name of an agent's tool. */
export async function toolOf(client: Client, { name: title }: Agent): Promise<string> {
  const { tools } = await client.listTools();
  const found = tools.find((tool) => tool.title === title);
  if (!found) throw new Error(`There is no tool for ${title}`);
  return found.name;
}

/** A request as it is; text is sent unchanged. */
export async function postMcp(
  url: string,
  body: unknown,
  headers: Readonly<Record<string, string>>,
): Promise<{ readonly status: number; readonly headers: Headers; readonly text: string }> {
  const response = await fetch(`${url}/mcp`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...headers,
    },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

export const PING = { jsonrpc: '2.0', id: 1, method: 'ping' } as const;
/** The names in `_meta` that docs/protocols.md documents. */
export const IDEMPOTENCY = 'tallyhand/idempotency-key';
export const PROBLEM = 'tallyhand/problem';
export const QUESTION = { input: 'How long can items be returned?' };
