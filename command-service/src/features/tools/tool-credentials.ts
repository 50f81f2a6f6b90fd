import { needsCredentials } from '@tallyhand/contracts/features/tools/tool-binding';
import type { Kit } from '../../kit/app.ts';
import { boundSecrets, UnboundSecret } from '../../kit/bound-secrets.ts';
import { bindOldCredentials } from './old-credentials.ts';
import { bindingOfFields, type ToolFields, toolStream } from './tool.decider.ts';

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
