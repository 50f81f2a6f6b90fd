import { z } from 'zod';

/** What happens when an agent calls a tool: it runs, waits for a person, or is refused. */
export const TOOL_POLICIES = ['allow', 'ask', 'never'] as const;
export const ToolPolicy = z.enum(TOOL_POLICIES, {
  error: `Must be one of ${TOOL_POLICIES.join(', ')}`,
});
export type ToolPolicy = z.infer<typeof ToolPolicy>;

const OPERATIONS_MAX = 500;
const NAME_MAX = 200;

/** Who decides on the calls of a tool. */
export const ToolPolicies = z.strictObject(
  {
    /** For calls that may change something. Calls that only read are allowed. */
    changes: ToolPolicy,
    /** For single operations of the tool, by name; for `mcp` the server's name of the tool. */
    operations: z
      .record(z.string().min(1).max(NAME_MAX), ToolPolicy, {
        error: 'operations must be names with policies',
      })
      .refine(
        (all) => Object.keys(all).length <= OPERATIONS_MAX,
        `At most ${OPERATIONS_MAX} operations`,
      )
      .default({}),
  },
  { error: (issue) => (issue.code === 'invalid_type' ? 'policies must be an object' : undefined) },
);
export type ToolPolicies = z.infer<typeof ToolPolicies>;

/** The policies of a tool that was created before policies existed, until a member sets them. */
export const ALLOW_ALL: ToolPolicies = { changes: 'allow', operations: {} };

type ToolType = 'browser' | 'api' | 'custom' | 'mcp';

/** The actions of a browser can't wait for a person: the page would be closed. */
export const defaultPolicies = (type: ToolType): ToolPolicies => ({
  changes: type === 'browser' ? 'allow' : 'ask',
  operations: {},
});

const ownPolicy = ({ operations }: ToolPolicies, name: string): ToolPolicy | undefined =>
  Object.hasOwn(operations, name) ? operations[name] : undefined;

export function policyFor(
  policies: ToolPolicies | null,
  { name, mayChange }: { readonly name: string; readonly mayChange: boolean },
): ToolPolicy {
  const all = policies ?? ALLOW_ALL;
  return ownPolicy(all, name) ?? (mayChange ? all.changes : 'allow');
}

const STRICTNESS: Readonly<Record<ToolPolicy, number>> = { allow: 0, ask: 1, never: 2 };
export const isLooser = (after: ToolPolicy, before: ToolPolicy) =>
  STRICTNESS[after] < STRICTNESS[before];

/** Whether `next` allows something that `present` does not, whatever the operations do. */
export function loosens(present: ToolPolicies, next: ToolPolicies): boolean {
  if (isLooser(next.changes, present.changes)) return true;
  const names = new Set([...Object.keys(present.operations), ...Object.keys(next.operations)]);
  return [...names].some((name) => {
    const before = ownPolicy(present, name);
    const after = ownPolicy(next, name);
    // Without its own policy, an operation may be allowed because it only reads.
    if (after === undefined) return before !== undefined && before !== 'allow';
    return isLooser(after, before ?? present.changes);
  });
}

/**
 * Whether only an Admin can change what a tool with these policies does: they allow changes, or name
 * operations, which could be renamed. Tools without policies are not restricted.
 */
export const isForAdmins = (type: ToolType, policies: ToolPolicies | null | undefined): boolean =>
  type !== 'browser' &&
  policies != null &&
  (policies.changes === 'allow' || Object.keys(policies.operations).length > 0);
