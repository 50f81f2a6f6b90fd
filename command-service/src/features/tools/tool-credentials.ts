import { setTimeout as sleep } from 'node:timers/promises';
import {
  type BoundPart,
  differingParts,
  needsCredentials,
  type ToolBinding,
} from '@tallyhand/contracts/features/tools/tool-binding';
import { derivedId, newId } from '@tallyhand/service-kit/crypto/ids';
import { errorFields } from '@tallyhand/service-kit/log';
import type { Kit } from '../../kit/app.ts';
import { boundSecrets, UnboundSecret } from '../../kit/bound-secrets.ts';
import { bindingOfFields, type ToolFields, toolStream } from './tool.decider.ts';

const TOOLS_AT_ONCE = 100;
const RETRY_MS = 60_000;

/**
 * Credentials that were stored before they were bound: binds those of a tool that has stayed as it
 * was when they were entered, and drops the others with an event. May be repeated, and may die
 * anywhere: what is done is found done.
 */
export async function bindOldCredentials(kit: Kit, toolId: string): Promise<void> {
  const secrets = boundSecrets(kit, 'tool');
  const streams = kit.streams.of(toolStream);
  const tool = await streams.load(toolId);
  const credentialsId = tool?.fields.credentials.id ?? null;
  if (tool && credentialsId) {
    const changed = await changedSinceEntered(kit, toolId, credentialsId);
    if (changed.length === 0) {
      await secrets.bind({ ownerId: toolId, id: credentialsId }, bindingOfFields(tool.fields));
    } else {
      await streams.send(
        toolId,
        { type: 'DropCredentials', data: { credentialsId, changed } },
        {
          organizationId: tool.organizationId,
          actor: { kind: 'worker' },
          commandId: derivedId(credentialsId, 'drop'),
          correlationId: newId(),
          causationId: null,
          now: new Date(),
        },
      );
    }
  }
  const { fields } = (await streams.load(toolId)) ?? {};
  await secrets.forgetUnbound(toolId, fields?.credentials.id ?? null);
}

/** What the tool's own events changed after these credentials were entered. */
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

/** Goes through all old credentials once, in the background; what fails is tried again later. */
export function bindAllOldCredentials(kit: Kit): AsyncDisposable {
  const closing = new AbortController();
  const { unboundOwners } = boundSecrets(kit, 'tool');

  /** Whether there is nothing left to do. */
  async function pass(): Promise<boolean> {
    const tools = await unboundOwners(TOOLS_AT_ONCE);
    let bound = 0;
    for (const toolId of tools) {
      if (closing.signal.aborted) return true;
      try {
        await bindOldCredentials(kit, toolId);
        bound += 1;
      } catch (error) {
        kit.log.error('credentials of earlier releases were not bound', {
          toolId,
          ...errorFields(error),
        });
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

type Own = { readonly organizationId: string; readonly toolId: string; readonly id: string };

/**
 * The credentials of tools, encrypted at rest and bound to what they were entered for. They leave
 * the process only for the tool's own host.
 */
export function toolCredentials(kit: Kit) {
  const secrets = boundSecrets(kit, 'tool');

  async function read(ownerId: string, id: string, fields: ToolFields) {
    const own = { ownerId, id };
    const binding = bindingOfFields(fields);
    try {
      return await secrets.open(own, binding);
    } catch (error) {
      if (!(error instanceof UnboundSecret)) throw error;
      await bindOldCredentials(kit, ownerId);
      return secrets.open(own, binding);
    }
  }

  return {
    /** Keeps credentials, entered for these fields, under an id that the tool's event names. */
    keep: ({ toolId: ownerId, ...own }: Own, credentials: Credentials, fields: ToolFields) =>
      secrets.keep({ ...own, ownerId }, credentials, bindingOfFields(fields)),
    /**
     * Forgets the credentials that the tool's stored events have replaced. Those that a call has
     * kept, and whose event is still to come, stay.
     */
    async forgetReplaced(toolId: string) {
      const replaced = new Set<string>();
      let current: string | null = null;
      for await (const { state } of kit.streams.of(toolStream).replay(toolId)) {
        current = state?.fields.credentials.id ?? null;
        if (current) replaced.add(current);
      }
      if (current) replaced.delete(current);
      await secrets.forget(toolId, [...replaced]);
    },
    forget: secrets.forget,
    /** Null where the credentials have to be entered again before the tool can run. */
    async open(toolId: string, fields: ToolFields): Promise<Credentials | null> {
      const { toolType: type, config, credentials } = fields;
      if (!needsCredentials({ type, config })) return {};
      if (credentials.dropped) return null;
      if (!credentials.id) return {};
      return (await read(toolId, credentials.id, fields)) as Credentials | null;
    },
  };
}
