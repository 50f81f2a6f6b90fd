import { setTimeout as sleep } from 'node:timers/promises';
import {
  type BoundPart,
  differingParts,
  type ToolBinding,
} from '@tallyhand/contracts/features/tools/tool-binding';
import { derivedId, newId } from '@tallyhand/service-kit/crypto/ids';
import { errorFields } from '@tallyhand/service-kit/log';
import type { Kit } from '../../kit/app.ts';
import { boundSecrets } from '../../kit/bound-secrets.ts';
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
