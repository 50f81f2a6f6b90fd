import { setTimeout as sleep } from 'node:timers/promises';
import { SignInFailed, SignInRefused } from '@tallyhand/agent-runtime/mcp/mcp-failed';
import type { McpTokens } from '@tallyhand/agent-runtime/mcp/mcp-session';
import type { McpGrant } from '@tallyhand/agent-runtime/mcp/mcp-sign-in';
import { derivedId } from '@tallyhand/service-kit/crypto/ids';
import type { Kit } from '../../kit/app.ts';
import { backgroundContext } from '../../kit/context.ts';
import { outboundPolicyOf } from '../../kit/outbound.ts';
import { CREDENTIALS_MISSING } from './run-tool.ts';
import { type ToolFields, toolStream } from './tool.decider.ts';
import {
  type Credentials,
  namesOf,
  type SignInSecret,
  ToolCredentials,
} from './tool-credentials.ts';

/** Longer than a renewal can take. */
const CLAIM_SECONDS = 60;
const WAIT_MS_MAX = 30_000;
const PAUSE_MS = { first: 50, most: 1_000 };
/** A server that refuses each new token is not asked for ever. */
const REFUSALS_MAX = 5;

export const NOT_SIGNED_IN =
  'This tool is not signed in at its MCP server. Open the tools page and choose Sign In.';
const SIGN_IN_AGAIN =
  'The sign-in of this tool at its MCP server has ended. Open the tools page and sign in again.';
const BUSY = 'The sign-in at the MCP server is being renewed. Try again in a minute.';

/** What a call of a tool authenticates with. */
export type ToolAccess = { readonly credentials: Credentials; readonly tokens?: McpTokens };

type Tool = { readonly id: string; readonly organizationId: string; readonly fields: ToolFields };

/** What the tool is called with, or the sentence that says what a member must do first. */
export async function accessOf(kit: Kit, tool: Tool): Promise<ToolAccess | string> {
  const { id, fields } = tool;
  const vault = new ToolCredentials(kit);
  if (fields.config.authType !== 'oauth') {
    const credentials = await vault.open(id, fields);
    return credentials ? { credentials } : CREDENTIALS_MISSING;
  }
  const grant = (await vault.openSignIn(id, fields))?.grant;
  if (grant) return { credentials: {}, tokens: new ToolTokens(kit, tool, grant) };
  return fields.credentials.dropped ? SIGN_IN_AGAIN : NOT_SIGNED_IN;
}

/** The tokens of one sign-in. They are renewed by one process at a time, which stores them. */
class ToolTokens implements McpTokens {
  readonly #kit: Kit;
  readonly #tool: Tool;
  readonly #vault: ToolCredentials;
  #grant: McpGrant;
  #refusals = 0;

  constructor(kit: Kit, tool: Tool, grant: McpGrant) {
    this.#kit = kit;
    this.#tool = tool;
    this.#vault = new ToolCredentials(kit);
    this.#grant = grant;
  }

  async current(): Promise<string> {
    const { accessToken, refreshToken, renewAt, expiresAt } = this.#grant;
    if (renewAt === undefined || refreshToken === undefined || Date.now() < renewAt) {
      return accessToken;
    }
    try {
      this.#grant = await this.#renewed(accessToken);
    } catch (error) {
      // The token still works; a later call may succeed in renewing it.
      const isUsable = expiresAt !== undefined && Date.now() < expiresAt;
      if (!isUsable || error instanceof SignInEnded) throw error;
    }
    return this.#grant.accessToken;
  }

  async refused(token: string | undefined, answer: Response): Promise<void> {
    await answer.body?.cancel();
    this.#refusals += 1;
    if (this.#refusals > REFUSALS_MAX) {
      throw new SignInFailed('The MCP server refuses every new access token.');
    }
    if (token === this.#grant.accessToken) this.#grant = await this.#renewed(token);
  }

  /** The next sign-in requests these scopes too. */
  async lacked(scope: string): Promise<void> {
    const { id, fields } = this.#tool;
    const wantedScope = [this.#grant.scope, scope].filter(Boolean).join(' ');
    await this.#vault.claimed(id, fields, CLAIM_SECONDS, async (secret) => ({
      ...secret,
      wantedScope,
    }));
  }

  /** The grant after the one with this token, by this process or another one. */
  async #renewed(token: string): Promise<McpGrant> {
    const { id, fields } = this.#tool;
    const until = Date.now() + WAIT_MS_MAX;
    for (let pauseMs = PAUSE_MS.first; ; pauseMs = Math.min(2 * pauseMs, PAUSE_MS.most)) {
      const secret = await this.#vault.claimed(id, fields, CLAIM_SECONDS, (found) =>
        found.grant?.accessToken === token ? this.#renew(found, found.grant) : found,
      );
      const { grant } = secret ?? (await this.#vault.openSignIn(id, fields)) ?? {};
      if (!grant) {
        // No event names what is empty.
        if (secret && namesOf(secret).length === 0) {
          await this.#vault.forget(id, [fields.credentials.id ?? '']);
        }
        throw new SignInEnded();
      }
      if (grant.accessToken !== token) return grant;
      if (Date.now() > until) throw new SignInFailed(BUSY);
      await sleep(pauseMs);
    }
  }

  /** Not aborted with the call: the server may already have replaced the refresh token. */
  async #renew(secret: SignInSecret, grant: McpGrant): Promise<SignInSecret> {
    const outbound = {
      policy: outboundPolicyOf(this.#kit.settings),
      signal: new AbortController().signal,
    };
    if (grant.refreshToken === undefined) return this.#end(secret);
    try {
      const { renewGrant } = await import('@tallyhand/agent-runtime/mcp/mcp-sign-in');
      return { ...secret, grant: await renewGrant(grant, Date.now(), outbound) };
    } catch (error) {
      if (error instanceof SignInRefused && error.isForGood) return this.#end(secret);
      throw error;
    }
  }

  /** Records that the tool needs another sign-in. A client that was registered by hand stays. */
  async #end({ grant, ...rest }: SignInSecret): Promise<SignInSecret> {
    const { id, organizationId, fields } = this.#tool;
    const credentialsId = fields.credentials.id ?? '';
    const kept = namesOf(rest);
    const dropped = namesOf({ grant });
    const context = backgroundContext('worker', organizationId, {
      commandId: derivedId(credentialsId, 'refused'),
    });
    const data = { credentialsId, kept, dropped };
    await this.#kit.streams.of(toolStream).send(id, { type: 'EndSignIn', data }, context);
    return rest;
  }
}

class SignInEnded extends SignInFailed {
  constructor() {
    super(SIGN_IN_AGAIN);
    this.name = 'SignInEnded';
  }
}
