import { createHash, randomBytes } from 'node:crypto';
import { addressesOf, type OutboundPolicy } from '@tallyhand/agent-runtime/guard/destination';
import { OutboundFailed, OutboundRefused } from '@tallyhand/agent-runtime/guard/outbound-errors';
import { McpFailed, refusedWith, SignInFailed } from '@tallyhand/agent-runtime/mcp/mcp-failed';
import type { McpGrant, PendingSignIn } from '@tallyhand/agent-runtime/mcp/mcp-sign-in';
import { ToolCallRefused } from '@tallyhand/agent-runtime/tools/api-url';
import { SIGNED_IN_PATH } from '@tallyhand/contracts/features/tools/oauth-client';
import {
  SignInAnsweredByOther,
  SignInElsewhere,
  SignInMoved,
  SignInNotTaken,
  SignInOld,
  SignInUnknown,
  SignInWithoutCode,
} from '@tallyhand/contracts/features/tools/sign-in-failures';
import {
  getOAuthClient,
  type SignInAnswer,
} from '@tallyhand/contracts/features/tools/tools.endpoints';
import { ToolSignInFailed } from '@tallyhand/contracts/features/tools/tools.refusals';
import { NotFound } from '@tallyhand/contracts/kernel/problem';
import { isRefusal, type Refusal } from '@tallyhand/contracts/kernel/refusal';
import type { Caller, Kit } from '../../kit/app.ts';
import { digestOf } from '../../kit/bound-secrets.ts';
import { type CommandContext, idFor } from '../../kit/context.ts';
import { outboundPolicyOf } from '../../kit/outbound.ts';
import type { Versioned } from '../../kit/versioned-object.decider.ts';
import type { VersionedObjects } from '../../kit/versioned-objects.ts';
import { bindingOfFields, type ToolCommand, type ToolFields } from './tool.decider.ts';
import { namesOf, type SignInSecret, ToolCredentials } from './tool-credentials.ts';

const MINUTES_MAX = 10;
const CLAIM_SECONDS = 10;

type Tools = Pick<VersionedObjects<ToolFields, ToolCommand>, 'find' | 'send'>;

type Call = {
  readonly caller: Caller;
  readonly context: CommandContext;
  readonly signal: AbortSignal;
};

type Row = {
  readonly toolId: string;
  readonly sealed: Buffer;
  readonly boundTo: string;
  readonly isOld: boolean;
};

/** Sign-ins of members at MCP servers, from the authorization page until the tokens are stored. */
export class ToolSignIns {
  readonly #kit: Kit;
  readonly #tools: Tools;
  readonly #vault: ToolCredentials;
  readonly #policy: OutboundPolicy;
  readonly #redirectUrl: string;
  readonly #clientUrl: URL;

  constructor(kit: Kit, tools: Tools) {
    this.#kit = kit;
    this.#tools = tools;
    this.#vault = new ToolCredentials(kit);
    this.#policy = outboundPolicyOf(kit.settings);
    this.#redirectUrl = new URL(SIGNED_IN_PATH, kit.settings.publicUrl).href;
    this.#clientUrl = new URL(getOAuthClient.path, kit.settings.publicUrl);
  }

  begin(toolId: string, { caller, signal }: Call) {
    return refusing(async () => {
      const tool = await this.#tools.find(toolId, caller.organizationId);
      if (!tool) return NotFound({ what: 'tool' });
      const { config } = tool.fields;
      if (config.authType !== 'oauth') throw new SignInFailed(SignInNotTaken({}));
      const secret = await this.#vault.openSignIn(toolId, tool.fields);
      const state = randomBytes(32).toString('base64url');
      const { beginSignIn } = await import('@tallyhand/agent-runtime/mcp/mcp-sign-in');
      const { authorizationUrl, pending } = await beginSignIn(
        {
          config,
          state,
          redirectUrl: this.#redirectUrl,
          client: secret?.clientId
            ? {
                client_id: secret.clientId,
                client_secret: secret.clientSecret,
                issuer: secret.clientIssuer,
              }
            : undefined,
          scope: secret?.wantedScope,
          clientMetadataUrl: await publicAddress(this.#clientUrl, signal),
        },
        { policy: this.#policy, signal },
      );
      if (secret?.clientId) await this.#bindClient(tool, pending.issuer);
      await this.#keep(tool, caller, state, pending);
      return { authorizationUrl, issuer: pending.issuer };
    });
  }

  complete({ state, code, iss, error }: SignInAnswer, { caller, context, signal }: Call) {
    return refusing(async () => {
      const { row, contextOf } = await this.#take(state, caller);
      const tool = await this.#tools.find(row.toolId, caller.organizationId);
      if (!tool) return NotFound({ what: 'tool' });
      const enteredFor = bindingOfFields(tool.fields);
      if (row.boundTo !== digestOf(enteredFor)) throw new SignInFailed(SignInMoved({}));
      const bytes = this.#kit.box.open(row.sealed, contextOf(row));
      const pending = JSON.parse(bytes.toString('utf8')) as PendingSignIn;
      // An answer of another server could bring in its error as well as its code.
      if (iss !== undefined && iss !== pending.issuer)
        throw new SignInFailed(SignInAnsweredByOther({}));
      if (error !== undefined) throw refusedWith(error);
      if (code === undefined) throw new SignInFailed(SignInWithoutCode({}));
      const outbound = { policy: this.#policy, signal };
      const { completeSignIn } = await import('@tallyhand/agent-runtime/mcp/mcp-sign-in');
      const grant = await completeSignIn(pending, { code, iss }, Date.now(), outbound);
      return this.#enter(tool, grant, { caller, context });
    });
  }

  /** A client that was registered by hand is for the authorization server of its first sign-in. */
  async #bindClient({ id, fields }: Versioned<ToolFields>, issuer: string) {
    const bound = (found: SignInSecret) => ({ clientIssuer: issuer, ...found });
    const claimed = await this.#vault.claimed(id, fields, CLAIM_SECONDS, bound);
    // Null while another process claims it, which may have bound it already.
    const secret = claimed ?? (await this.#vault.openSignIn(id, fields));
    if (secret?.clientIssuer === issuer) return;
    throw new SignInFailed(secret?.clientIssuer ? SignInElsewhere({}) : SignInMoved({}));
  }

  /** Stores the tokens under a new id, which the tool's event names. */
  async #enter(
    { id: toolId, fields }: Versioned<ToolFields>,
    grant: McpGrant,
    { caller, context }: Omit<Call, 'signal'>,
  ) {
    const { organizationId, role } = caller;
    const before = await this.#vault.openSignIn(toolId, fields);
    const { clientId, clientSecret, clientIssuer } = before ?? {};
    const secret: SignInSecret = {
      ...(clientId !== undefined && { clientId, clientSecret, clientIssuer }),
      grant,
    };
    const credentials = { id: idFor(context, 'credentials'), names: namesOf(secret) };
    const own = { organizationId, toolId, id: credentials.id };
    await this.#vault.keep(own, secret, fields);
    const enteredFor = bindingOfFields(fields);
    const data = { organizationId, role, change: { credentials }, enteredFor };
    const command = { type: 'EnterCredentials', data } as const;
    const answer = await this.#tools.send(toolId, command, context);
    if (isRefusal(answer)) await this.#vault.forget(toolId, [credentials.id]);
    else await this.#vault.forgetReplaced(toolId);
    return answer;
  }

  async #keep(
    { id: toolId, fields }: Versioned<ToolFields>,
    caller: Caller,
    state: string,
    pending: PendingSignIn,
  ) {
    const stateHash = hashOf(state);
    const boundTo = digestOf(bindingOfFields(fields)) ?? '';
    const bytes = Buffer.from(JSON.stringify(pending));
    const sealed = this.#kit.box.seal(bytes, sealContext(stateHash, caller, { toolId, boundTo }));
    await this.#kit.pool.query(
      `insert into operational.tool_sign_ins
         (state_hash, tool_id, organization_id, user_id, sealed, bound_to)
       values ($1, $2, $3, $4, $5, $6)`,
      [stateHash, toolId, caller.organizationId, caller.userId, sealed, boundTo],
    );
  }

  /** Each state is taken once, by the member who began. */
  async #take(state: string, caller: Caller) {
    const stateHash = hashOf(state);
    const { rows } = await this.#kit.pool.query<Row>(
      `delete from operational.tool_sign_ins
       where state_hash = $1 and organization_id = $2 and user_id = $3
       returning tool_id as "toolId", sealed, bound_to as "boundTo",
         begun_at < now() - make_interval(mins => $4) as "isOld"`,
      [stateHash, caller.organizationId, caller.userId, MINUTES_MAX],
    );
    const row = rows[0];
    if (!row) throw new SignInFailed(SignInUnknown({}));
    if (row.isOld) throw new SignInFailed(SignInOld({ minutes: MINUTES_MAX }));
    return { row, contextOf: (found: Row) => sealContext(stateHash, caller, found) };
  }
}

/** The address, if an authorization server on the internet can read it. */
async function publicAddress(url: URL, signal: AbortSignal): Promise<string | undefined> {
  if (url.protocol !== 'https:') return undefined;
  const nothingPrivate = { ownOrigins: [], allowedHosts: [] };
  const addresses = await addressesOf(url, nothingPrivate, signal).catch(() => []);
  return addresses.length > 0 ? url.href : undefined;
}

function sealContext(
  stateHash: string,
  { organizationId, userId }: Caller,
  { toolId, boundTo }: Pick<Row, 'toolId' | 'boundTo'>,
): string {
  return ['tool-sign-in', stateHash, toolId, organizationId, userId, boundTo].join(' ');
}

const hashOf = (state: string) => createHash('sha256').update(state).digest('hex');

const KNOWN = [McpFailed, OutboundRefused, OutboundFailed, ToolCallRefused];

/** Expected failures become a refusal with their sentence. */
async function refusing<T>(work: () => Promise<T>): Promise<T | Refusal> {
  try {
    return await work();
  } catch (error) {
    if (!KNOWN.some((kind) => error instanceof kind)) throw error;
    const { message: reason } = error as Error;
    if (!(error instanceof SignInFailed && error.sentence)) return ToolSignInFailed({ reason });
    const { code, params } = error.sentence;
    return ToolSignInFailed({ reason, cause: { code, params } });
  }
}
