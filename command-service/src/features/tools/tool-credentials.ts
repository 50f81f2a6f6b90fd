import { setTimeout as sleep } from 'node:timers/promises';
import type { McpGrant } from '@tallyhand/agent-runtime/mcp/mcp-sign-in';
import {
  type BoundPart,
  differingParts,
  needsCredentials,
  type ToolBinding,
} from '@tallyhand/contracts/features/tools/tool-binding';
import { derivedId } from '@tallyhand/service-kit/crypto/ids';
import { errorFields } from '@tallyhand/service-kit/log';
import type { Kit } from '../../kit/app.ts';
import { BoundSecrets, UnboundSecret } from '../../kit/bound-secrets.ts';
import { backgroundContext } from '../../kit/context.ts';
import { bindingOfFields, type ToolFields, toolStream } from './tool.decider.ts';

const TOOLS_AT_ONCE = 100;
const RETRY_MS = 60_000;

/**
 * Handles credentials of releases that did not bind them. If the tool has not changed since they were
 * entered, they are bound; otherwise an event drops them. May be repeated after a crash.
 */
export async function bindOldCredentials(kit: Kit, toolId: string): Promise<void> {
  const secrets = new BoundSecrets(kit, 'tool');
  const streams = kit.streams.of(toolStream);
  const tool = await streams.load(toolId);
  const credentialsId = tool?.fields.credentials.id ?? null;
  if (tool && credentialsId) {
    const changed = await changedSinceEntered(kit, toolId, credentialsId);
    if (changed.length === 0) {
      await secrets.bind({ ownerId: toolId, id: credentialsId }, bindingOfFields(tool.fields));
    } else {
      const command = { type: 'DropCredentials', data: { credentialsId, changed } } as const;
      const commandId = derivedId(credentialsId, 'drop');
      const context = backgroundContext('worker', tool.organizationId, { commandId });
      await streams.send(toolId, command, context);
    }
  }
  const { fields } = (await streams.load(toolId)) ?? {};
  await secrets.forgetUnbound(toolId, fields?.credentials.id ?? null);
}

/** The bound parts that events have changed since these credentials were entered. */
async function changedSinceEntered(
  kit: Kit,
  toolId: string,
  credentialsId: string,
): Promise<BoundPart[]> {
  let fields: ToolFields | undefined;
  let entered: ToolBinding | null = null;
  const changed = new Set<BoundPart>();
  for await (const { state } of kit.streams.of(toolStream).replay(toolId)) {
    fields = state?.fields;
    if (fields?.credentials.id !== credentialsId) continue;
    const binding = bindingOfFields(fields);
    entered ??= binding;
    for (const part of differingParts(entered, binding)) changed.add(part);
  }
  if (fields?.toolType === 'custom' && !fields.config.allowedHosts?.length)
    changed.add('allowedHosts');
  return [...changed].sort();
}

/** Binds all old credentials once, in the background. Failures are retried. */
export function bindAllOldCredentials(kit: Kit): AsyncDisposable {
  const closing = new AbortController();
  const secrets = new BoundSecrets(kit, 'tool');

  /** Returns whether nothing is left to do. */
  async function pass(): Promise<boolean> {
    const tools = await secrets.unboundOwners(TOOLS_AT_ONCE);
    let bound = 0;
    for (const toolId of tools) {
      if (closing.signal.aborted) return true;
      try {
        await bindOldCredentials(kit, toolId);
        bound += 1;
      } catch (error) {
        const fields = { toolId, ...errorFields(error) };
        kit.log.error('credentials of earlier releases were not bound', fields);
      }
    }
    return tools.length === 0 || (bound > 0 && (await pass()));
  }

  async function untilDone(): Promise<void> {
    while (!closing.signal.aborted) {
      const isDone = await pass().catch((error) => {
        kit.log.error('credentials of earlier releases were not checked', errorFields(error));
        return false;
      });
      if (isDone) return;
      await sleep(RETRY_MS, undefined, { signal: closing.signal }).catch(() => undefined);
    }
  }

  const running = untilDone();
  return {
    async [Symbol.asyncDispose]() {
      closing.abort();
      await running;
    },
  };
}

export type Credentials = Readonly<Record<string, string>>;

/** What is stored of a tool with `oauth`: a client that was registered by hand, and the sign-in. */
export type SignInSecret = {
  readonly clientId?: string | undefined;
  readonly clientSecret?: string | undefined;
  /** The authorization server of the first sign-in that was begun with the client. */
  readonly clientIssuer?: string | undefined;
  readonly grant?: McpGrant | undefined;
  /** Scopes that a call has lacked. */
  readonly wantedScope?: string | undefined;
};

/** The names of what is stored, as events have them. */
export function namesOf({ clientId, clientSecret, grant }: SignInSecret): string[] {
  const stored = {
    accessToken: grant?.accessToken,
    clientId,
    clientSecret,
    refreshToken: grant?.refreshToken,
  };
  return Object.entries(stored).flatMap(([name, value]) => (value === undefined ? [] : [name]));
}

type Own = { readonly organizationId: string; readonly toolId: string; readonly id: string };

/**
 * The credentials of tools, encrypted at rest and bound to what they were entered for. They leave
 * the process only for the tool's own host.
 */
export class ToolCredentials {
  readonly #kit: Kit;
  readonly #secrets: BoundSecrets;

  constructor(kit: Kit) {
    this.#kit = kit;
    this.#secrets = new BoundSecrets(kit, 'tool');
  }

  /** Stores credentials, entered for these fields, under an id that the tool's event names. */
  keep(
    { toolId: ownerId, ...own }: Own,
    credentials: Credentials | SignInSecret,
    fields: ToolFields,
  ) {
    return this.#secrets.keep({ ...own, ownerId }, credentials, bindingOfFields(fields));
  }

  /** Null if the credentials must be entered again before the tool can run. */
  async open(toolId: string, fields: ToolFields): Promise<Credentials | null> {
    const { toolType: type, config, credentials } = fields;
    if (!needsCredentials({ type, config })) return {};
    if (credentials.dropped) return null;
    if (!credentials.id) return {};
    const own = { ownerId: toolId, id: credentials.id };
    const binding = bindingOfFields(fields);
    try {
      return (await this.#secrets.open(own, binding)) as Credentials | null;
    } catch (error) {
      if (!(error instanceof UnboundSecret)) throw error;
      await bindOldCredentials(this.#kit, toolId);
      return (await this.#secrets.open(own, binding)) as Credentials | null;
    }
  }

  /** Of a tool with `oauth`; null without any. */
  async openSignIn(toolId: string, fields: ToolFields): Promise<SignInSecret | null> {
    const { id } = fields.credentials;
    if (!id) return null;
    const binding = bindingOfFields(fields);
    return (await this.#secrets.open({ ownerId: toolId, id }, binding)) as SignInSecret | null;
  }

  /** Replaces what is stored of a sign-in, as `BoundSecrets.claimed` does. */
  async claimed(
    toolId: string,
    fields: ToolFields,
    seconds: number,
    change: (secret: SignInSecret) => Promise<SignInSecret> | SignInSecret,
  ): Promise<SignInSecret | null> {
    const { id } = fields.credentials;
    if (!id) return null;
    return this.#secrets.claimed({ ownerId: toolId, id }, bindingOfFields(fields), seconds, change);
  }

  /**
   * Deletes the credentials that the tool's stored events have replaced. Credentials of a call whose
   * event is not stored yet stay.
   */
  async forgetReplaced(toolId: string) {
    const replaced = new Set<string>();
    let current: string | null = null;
    for await (const { state } of this.#kit.streams.of(toolStream).replay(toolId)) {
      current = state?.fields.credentials.id ?? null;
      if (current) replaced.add(current);
    }
    if (current) replaced.delete(current);
    await this.forget(toolId, [...replaced]);
  }

  forget(toolId: string, ids: readonly string[]) {
    return this.#secrets.forget(toolId, ids);
  }
}
