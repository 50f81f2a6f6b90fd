import { env } from 'node:process';
import { parseAllowedHosts } from '@tallyhand/agent-runtime/guard/allowed-hosts';
import type { OutboundPolicy } from '@tallyhand/agent-runtime/guard/destination';
import { McpFailed } from '@tallyhand/agent-runtime/mcp/mcp-errors';
import { McpSession, type McpTokens } from '@tallyhand/agent-runtime/mcp/mcp-session';
import {
  beginSignIn,
  completeSignIn,
  type McpGrant,
  renewGrant,
} from '@tallyhand/agent-runtime/mcp/mcp-sign-in';
import { SignInFailed } from '@tallyhand/agent-runtime/mcp/sign-in-errors';
import { followPages } from './oauth-server.ts';

/** A client of the conformance suite: the product's session and sign-in, and a member who always agrees. */
const RETURN = 'http://127.0.0.1/tools/signed-in';
const METADATA_URL = 'https://conformance-test.local/client-metadata.json';
const SIGN_INS_MAX = 3;

const baseUrl = process.argv.at(-1) ?? '';
const isAuth = env.MCP_CONFORMANCE_SCENARIO?.startsWith('auth/') ?? false;
const given = JSON.parse(env.MCP_CONFORMANCE_CONTEXT ?? '{}') as Record<string, string>;
const config = { baseUrl, authType: isAuth ? 'oauth' : 'none', extras: {} } as const;
const policy: OutboundPolicy = {
  ownOrigins: [],
  allowedHosts: parseAllowedHosts('localhost,127.0.0.0/8,::1'),
};
const { signal } = new AbortController();
const outbound = { policy, signal };

let grant: McpGrant | undefined;
let lacking: string | undefined;

const tokens: McpTokens = {
  current: async () => grant?.accessToken,
  async refused() {
    if (!grant?.refreshToken) throw new SignInFailed('Sign in.');
    grant = await renewGrant(grant, Date.now(), outbound);
  },
  async lacked(scope) {
    lacking = [grant?.scope, scope].filter(Boolean).join(' ');
  },
};

async function signIn() {
  const client = given.client_id
    ? { client_id: given.client_id, client_secret: given.client_secret }
    : undefined;
  const state = crypto.randomUUID();
  const asked = { config, redirectUrl: RETURN, state, client, scope: lacking };
  const begun = await beginSignIn({ ...asked, clientMetadataUrl: METADATA_URL }, outbound);
  const { searchParams } = await followPages(begun.authorizationUrl, RETURN);
  if (searchParams.get('state') !== state) throw new SignInFailed('Another state came back.');
  const answer = {
    code: searchParams.get('code') ?? '',
    iss: searchParams.get('iss') ?? undefined,
  };
  grant = await completeSignIn(begun.pending, answer, Date.now(), outbound);
}

/** Calls each tool once, with a number or text for each argument. */
async function callTools() {
  const server = { config, credentials: {}, ...(isAuth && { tokens }) };
  await using session = await McpSession.open(server, policy, signal);
  for (const { definition, text } of await session.tools(signal)) {
    const { properties = {} } = definition.inputSchema as {
      properties?: Record<string, { type?: string }>;
    };
    const args = Object.entries(properties).map(([name, { type }]) => [
      name,
      type === 'number' || type === 'integer' ? 5 : 'text',
    ]);
    const asked = { name: definition.name, text };
    await session.call(asked, Object.fromEntries(args), signal, async () => null);
  }
}

for (let signIns = 0; ; signIns += 1) {
  try {
    await callTools();
    break;
  } catch (error) {
    if (!(error instanceof McpFailed) || !isAuth || signIns === SIGN_INS_MAX) throw error;
    await signIn();
  }
}
