import { parseAllowedHosts } from '@tallyhand/agent-runtime/guard/allowed-hosts';
import type { OutboundPolicy } from '@tallyhand/agent-runtime/guard/destination';
import { McpFailed, SignInFailed } from '@tallyhand/agent-runtime/mcp/mcp-failed';
import { McpSession, type McpTokens } from '@tallyhand/agent-runtime/mcp/mcp-session';
import {
  beginSignIn,
  completeSignIn,
  type McpGrant,
  renewGrant,
} from '@tallyhand/agent-runtime/mcp/mcp-sign-in';
import { followPages } from './oauth-server.ts';

/** A scenario of the conformance suite, and its server. */
export type Scenario = {
  readonly scenario: string;
  readonly baseUrl: string;
  readonly context: Readonly<Record<string, string>>;
};

const RETURN = 'http://127.0.0.1/tools/signed-in';
const METADATA_URL = 'https://conformance-test.local/client-metadata.json';
const SIGN_INS_MAX = 3;

const policy: OutboundPolicy = {
  ownOrigins: [],
  allowedHosts: parseAllowedHosts('localhost,127.0.0.0/8,::1'),
};

/** Plays a scenario with the product's session and sign-in, as a member who always agrees. */
export async function playScenario(scenario: Scenario): Promise<void> {
  const client = new ConformanceClient(scenario);
  for (let signIns = 0; ; signIns += 1) {
    try {
      return await client.callTools();
    } catch (error) {
      const isLast = !client.isAuth || signIns === SIGN_INS_MAX;
      if (!(error instanceof McpFailed) || isLast) throw error;
      await client.signIn();
    }
  }
}

class ConformanceClient {
  readonly isAuth: boolean;
  readonly #given: Readonly<Record<string, string>>;
  readonly #config: {
    readonly baseUrl: string;
    readonly authType: 'oauth' | 'none';
    readonly extras: Readonly<Record<string, string>>;
  };
  readonly #outbound = { policy, signal: new AbortController().signal };
  #grant: McpGrant | undefined;
  #lacking: string | undefined;

  constructor({ scenario, baseUrl, context }: Scenario) {
    this.isAuth = scenario.startsWith('auth/');
    this.#given = context;
    this.#config = { baseUrl, authType: this.isAuth ? 'oauth' : 'none', extras: {} };
  }

  #tokens(): McpTokens {
    return {
      current: async () => this.#grant?.accessToken,
      refused: async () => {
        if (!this.#grant?.refreshToken) throw new SignInFailed('Sign in.');
        this.#grant = await renewGrant(this.#grant, Date.now(), this.#outbound);
      },
      lacked: async (scope) => {
        this.#lacking = [this.#grant?.scope, scope].filter(Boolean).join(' ');
      },
    };
  }

  async signIn(): Promise<void> {
    const { client_id, client_secret } = this.#given;
    const client = client_id ? { client_id, client_secret } : undefined;
    const state = crypto.randomUUID();
    const asked = {
      config: this.#config,
      redirectUrl: RETURN,
      state,
      client,
      scope: this.#lacking,
    };
    const begun = await beginSignIn({ ...asked, clientMetadataUrl: METADATA_URL }, this.#outbound);
    const { searchParams } = await followPages(begun.authorizationUrl, RETURN);
    if (searchParams.get('state') !== state) throw new SignInFailed('Another state came back.');
    const answer = {
      code: searchParams.get('code') ?? '',
      iss: searchParams.get('iss') ?? undefined,
    };
    this.#grant = await completeSignIn(begun.pending, answer, Date.now(), this.#outbound);
  }

  /** Calls each tool once, with a number or text for each argument. */
  async callTools(): Promise<void> {
    const tokens = this.isAuth && { tokens: this.#tokens() };
    const server = { config: this.#config, credentials: {}, ...tokens };
    const { signal } = this.#outbound;
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
}
