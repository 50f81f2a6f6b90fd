import type { Assignments } from '@tallyhand/contracts/features/agents/agents.endpoints';
import type { ResourceKind } from '@tallyhand/contracts/features/agents/agents.fields';

const KINDS = ['articles', 'playbooks', 'tools'] as const;

type Lists = Record<ResourceKind, string[]>;

/**
 * What is assigned with `ids` added; undefined if they all are. What was deleted can't be assigned:
 * `there` has the ids that are left of each kind, where they are known.
 */
export function withAdded(
  assigned: Assignments,
  kind: ResourceKind,
  ids: readonly string[],
  there: Partial<Record<ResourceKind, ReadonlySet<string>>>,
): Lists | undefined {
  const added = ids.filter((id) => !assigned[kind].includes(id));
  if (added.length === 0) return undefined;
  const kept = (one: ResourceKind) => assigned[one].filter((id) => there[one]?.has(id) ?? true);
  const lists = Object.fromEntries(KINDS.map((one) => [one, kept(one)])) as Lists;
  return { ...lists, [kind]: [...lists[kind], ...added] };
}
