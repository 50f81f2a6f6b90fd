import {
  type BoundPart,
  bindingOf,
  differingParts,
  type ToolBinding,
} from '@tallyhand/contracts/features/tools/tool-binding';
import {
  ALLOW_ALL,
  defaultPolicies,
  isForAdmins,
  loosens,
  type ToolPolicies,
} from '@tallyhand/contracts/features/tools/tool-policy';
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
import {
  DefinitionsNeedAdmin,
  PoliciesNeedAdmin,
} from '@tallyhand/contracts/features/tools/tools.refusals';
import type { EventValue } from '@tallyhand/contracts/kernel/messages';
import { invalidField, type ValidationFailed } from '@tallyhand/contracts/kernel/problem';
import { isRefusal, type RefusalOf } from '@tallyhand/contracts/kernel/refusal';
import type { Role } from '@tallyhand/contracts/kernel/role';
import { canonicalJson } from '@tallyhand/service-kit/crypto/hash-chain';
import {
  type Versioned,
  type VersionedDecider,
  versionedDecider,
  versionedStream,
} from '../../kit/versioned-object.decider.ts';

type ToolRefusal = RefusalOf<
  typeof DefinitionsNeedAdmin | typeof PoliciesNeedAdmin | typeof ValidationFailed
>;

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
    readonly role?: Role | undefined;
    readonly change: Partial<ToolFields>;
    readonly enteredFor: ToolBinding;
  }
>;

/** The authorization server no longer accepts the sign-in with these credentials. */
type EndSignIn = EventValue<
  'EndSignIn',
  { readonly credentialsId: string; readonly kept: string[]; readonly dropped: string[] }
>;

export type ToolCommand = DropCredentials | EnterCredentials | EndSignIn;

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
export const toolDecider: VersionedDecider<ToolFields, ToolEvent, ToolCommand, ToolRefusal> = {
  initialState: versioned.initialState,
  decide(command, tool) {
    if (command.type === 'DropCredentials') {
      const { credentialsId, changed } = command.data;
      if (tool?.fields.credentials.id !== credentialsId) return [];
      return [dropped(tool, 'upgraded', changed)];
    }
    if (command.type === 'EndSignIn') {
      const { credentialsId, ...names } = command.data;
      return tool?.fields.credentials.id === credentialsId ? [ended(tool, names)] : [];
    }
    if (command.type === 'EnterCredentials') {
      const { enteredFor, ...data } = command.data;
      const events = versioned.decide({ type: 'Change', data }, tool);
      if (isRefusal(events) || !tool) return events;
      const refused = refusedFor(data.role, tool, events);
      if (refused) return refused;
      return [...events, ...dropsAfter(tool, events, { enteredFor, reason: 'changed' })];
    }
    const events = versioned.decide(command, tool);
    if (isRefusal(events) || !tool) return events;
    const refused = refusedFor(command.data.role, tool, events);
    if (refused) return refused;
    const reason = command.type === 'Restore' ? 'restored' : 'changed';
    const enteredFor = bindingOfFields(tool.fields);
    return [...events, ...dropsAfter(tool, events, { enteredFor, reason })];
  },
  evolve(tool, event, at) {
    if (event.type !== 'ToolCredentialsDropped') return versioned.evolve(tool, event, at);
    const { keptId = null, ...left } = event.data.credentials;
    return tool && { ...tool, fields: { ...tool.fields, credentials: { ...left, id: keptId } } };
  },
};

/** Checked where the change is decided: the tool may have been changed since the call began. */
function refusedFor(role: Role | undefined, before: Tool, events: readonly ToolEvent[]) {
  const after = stateAfter(before, events);
  return role && after ? changeRefused(role, before.fields, after.fields) : null;
}

const stateAfter = (before: Tool, events: readonly ToolEvent[]) =>
  events.reduce<Tool | null>((tool, event) => versioned.evolve(tool, event, ''), before);

function dropsAfter(
  before: Tool,
  events: readonly ToolEvent[],
  { enteredFor, reason }: { readonly enteredFor: ToolBinding; readonly reason: DropReason },
): ToolEvent[] {
  const after = stateAfter(before, events);
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

function ended(
  { id, organizationId, fields }: Tool,
  { kept, dropped: names }: Pick<EndSignIn['data'], 'kept' | 'dropped'>,
) {
  return ToolCredentialsDropped({
    toolId: id,
    organizationId,
    credentials: {
      id: null,
      names: kept,
      dropped: { reason: 'refused', names },
      ...(kept.length > 0 && fields.credentials.id && { keptId: fields.credentials.id }),
    },
    changed: [],
  });
}

export const toolStream = versionedStream('tool', toolDecider, toolEvents);

type PolicyTool = { readonly type: ToolFields['toolType']; readonly policies: ToolPolicies };

/** Why a member with the role may not set these policies. `present`: null for a new tool. */
export function policiesRefused(
  role: Role,
  { type, policies }: PolicyTool,
  present: ToolPolicies | null,
) {
  if (
    type === 'browser' &&
    [policies.changes, ...Object.values(policies.operations)].includes('ask')
  ) {
    return invalidField(
      'policies.changes',
      'A browser can’t wait for approval: allow it, or never',
    );
  }
  const isLooser = loosens(present ?? defaultPolicies(type), policies);
  return isLooser && role !== 'Admin' ? PoliciesNeedAdmin({}) : null;
}

/**
 * Why a member with the role may not make a tool into this one. What an Admin has allowed must not
 * become something else, and what a policy names must not get another name.
 */
export function changeRefused(role: Role, present: ToolFields, next: ToolFields) {
  const policies = next.policies ?? ALLOW_ALL;
  const before = present.policies ?? ALLOW_ALL;
  if (next.policies) {
    const refused = policiesRefused(role, { type: next.toolType, policies }, before);
    if (refused) return refused;
  }
  if (role === 'Admin') return null;
  if (hasOtherDefinitions(present, next)) return DefinitionsNeedAdmin({});
  if (!isForAdmins(next.toolType, next.policies)) return null;
  const acts = ({ toolType, config }: ToolFields) => canonicalJson({ toolType, config });
  return acts(present) === acts(next) ? null : PoliciesNeedAdmin({});
}

/** Whether a tool of an MCP server is described in other words than those that were reviewed. */
function hasOtherDefinitions({ config: present }: ToolFields, { config: next }: ToolFields) {
  const reviewed = new Map(present.mcpTools?.map((one) => [one.name, one.definition]));
  return (next.mcpTools ?? []).some(
    ({ name, definition }) => reviewed.has(name) && reviewed.get(name) !== definition,
  );
}
