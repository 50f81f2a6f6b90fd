import {
  type BoundPart,
  bindingOf,
  differingParts,
  type ToolBinding,
} from '@tallyhand/contracts/features/tools/tool-binding';
import type { ToolPolicies } from '@tallyhand/contracts/features/tools/tool-policy';
import {
  ToolChanged,
  ToolCreated,
  ToolCredentialsDropped,
  ToolDeleted,
  type ToolEvent,
  ToolRestored,
  toolEvents,
} from '@tallyhand/contracts/features/tools/tools.events';
import type {
  DROP_REASONS,
  ToolConfig,
  ToolInput,
} from '@tallyhand/contracts/features/tools/tools.fields';
import type { EventValue } from '@tallyhand/contracts/kernel/messages';
import { isRefusal } from '@tallyhand/contracts/kernel/refusal';
import {
  type Versioned,
  type VersionedDecider,
  versionedDecider,
  versionedStream,
} from '../../kit/versioned-object.decider.ts';

type DropReason = (typeof DROP_REASONS)[number];

export type ToolFields = {
  readonly name: string;
  readonly description: string;
  readonly toolType: ToolInput['type'];
  readonly config: ToolConfig;
  /** Absent until they are set on a tool from before policies: all calls are allowed. */
  readonly policies?: ToolPolicies | undefined;
  readonly credentials: {
    readonly id: string | null;
    readonly names: string[];
    /** They were removed and must be entered again. */
    readonly dropped?: { readonly reason: DropReason; readonly names: string[] };
  };
};

/** These credentials don't belong to the tool's current host, kind of access or script. */
type DropCredentials = EventValue<
  'DropCredentials',
  { readonly credentialsId: string; readonly changed: BoundPart[] }
>;

/**
 * A change with new credentials. `enteredFor` is what they are bound to. Another change may have
 * moved the tool in the meantime.
 */
type EnterCredentials = EventValue<
  'EnterCredentials',
  {
    readonly organizationId: string;
    readonly ifMatch?: readonly string[] | undefined;
    readonly change: Partial<ToolFields>;
    readonly enteredFor: ToolBinding;
  }
>;

export type ToolCommand = DropCredentials | EnterCredentials;

type Tool = Versioned<ToolFields>;

export const bindingOfFields = ({ toolType: type, config }: ToolFields) =>
  bindingOf({ type, config });

const events = {
  created: ToolCreated,
  changed: ToolChanged,
  deleted: ToolDeleted,
  restored: ToolRestored,
};
// Restoring an older version restores neither its credentials nor its policies.
const versioned = versionedDecider<ToolFields, ToolEvent>('tool', events, [
  'credentials',
  'policies',
]);

/** Credentials are bound to what they were entered for: events that change it also drop them. */
export const toolDecider: VersionedDecider<ToolFields, ToolEvent, ToolCommand> = {
  initialState: versioned.initialState,
  decide(command, tool) {
    if (command.type === 'DropCredentials') {
      const { credentialsId, changed } = command.data;
      if (tool?.fields.credentials.id !== credentialsId) return [];
      return [dropped(tool, 'upgraded', changed)];
    }
    if (command.type === 'EnterCredentials') {
      const { enteredFor, ...data } = command.data;
      const events = versioned.decide({ type: 'Change', data }, tool);
      if (isRefusal(events) || !tool) return events;
      return [...events, ...dropsAfter(tool, events, { enteredFor, reason: 'changed' })];
    }
    const events = versioned.decide(command, tool);
    if (isRefusal(events) || !tool) return events;
    const reason = command.type === 'Restore' ? 'restored' : 'changed';
    const enteredFor = bindingOfFields(tool.fields);
    return [...events, ...dropsAfter(tool, events, { enteredFor, reason })];
  },
  evolve(tool, event, at) {
    if (event.type !== 'ToolCredentialsDropped') return versioned.evolve(tool, event, at);
    return tool && { ...tool, fields: { ...tool.fields, credentials: event.data.credentials } };
  },
};

function dropsAfter(
  before: Tool,
  events: readonly ToolEvent[],
  { enteredFor, reason }: { readonly enteredFor: ToolBinding; readonly reason: DropReason },
): ToolEvent[] {
  const after = events.reduce<Tool | null>(
    (tool, event) => versioned.evolve(tool, event, ''),
    before,
  );
  if (!after?.fields.credentials.id) return [];
  const changed = differingParts(enteredFor, bindingOfFields(after.fields));
  return changed.length === 0 ? [] : [dropped(after, reason, changed)];
}

function dropped({ id, organizationId, fields }: Tool, reason: DropReason, changed: BoundPart[]) {
  const { names } = fields.credentials;
  return ToolCredentialsDropped({
    toolId: id,
    organizationId,
    credentials: { id: null, names: [], dropped: { reason, names } },
    changed,
  });
}

export const toolStream = versionedStream('tool', toolDecider, toolEvents);
