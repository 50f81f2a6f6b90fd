import { needsCredentials } from '@tallyhand/contracts/features/tools/tool-binding';
import type { Kit } from '../../kit/app.ts';
import { boundSecrets, UnboundSecret } from '../../kit/bound-secrets.ts';
import type { Kept } from '../../kit/kept-decider.ts';
import { decodeEvent } from '../../kit/stored-states.ts';
import { bindOldCredentials } from './old-credentials.ts';
import { bindingOfFields, type ToolFields, toolDecider } from './tool.decider.ts';

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
      let tool: Kept<ToolFields> | null = null;
      const replaced = new Set<string>();
      for await (const stored of kit.streams.eventLog.read(`tool-${toolId}`, 0n)) {
        tool = toolDecider.evolve(tool, decodeEvent(toolDecider, stored), '');
        if (tool?.fields.credentials.id) replaced.add(tool.fields.credentials.id);
      }
      replaced.delete(tool?.fields.credentials.id ?? '');
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
