import type { JsonObject, ToolOperation } from '@tallyhand/agent-runtime/engine';
import { isGenericRead } from '@tallyhand/agent-runtime/tools/api-operation';
import {
  ALLOW_ALL,
  allowsChanges,
  defaultPolicies,
  loosens,
  policyFor,
  type ToolPolicies,
  type ToolPolicy,
} from '@tallyhand/contracts/features/tools/tool-policy';
import { PoliciesNeedAdmin } from '@tallyhand/contracts/features/tools/tools.refusals';
import { invalidField } from '@tallyhand/contracts/kernel/problem';
import type { Refusal } from '@tallyhand/contracts/kernel/refusal';
import type { Role } from '@tallyhand/contracts/kernel/role';
import { canonicalJson } from '@tallyhand/service-kit/crypto/hash-chain';
import { mcpOperationsOf } from './mcp-tool.ts';
import type { ToolFields } from './tool.decider.ts';

type Tool = { readonly type: ToolFields['toolType']; readonly policies: ToolPolicies };

/** Why a member with the role may not set these policies. `present`: null for a new tool. */
export function policiesRefused(
  role: Role,
  { type, policies }: Tool,
  present: ToolPolicies | null,
): Refusal | null {
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

/** What an Admin has allowed must not become something else, unless an Admin changes it. */
export function changeRefused(role: Role, present: ToolFields, next: ToolFields): Refusal | null {
  const policies = next.policies ?? ALLOW_ALL;
  const before = present.policies ?? ALLOW_ALL;
  if (next.policies) {
    const refused = policiesRefused(role, { type: next.toolType, policies }, before);
    if (refused) return refused;
  }
  // A tool from before policies goes on as it was, and browsers are allowed by default.
  if (role === 'Admin' || !next.policies || next.toolType === 'browser') return null;
  const acts = ({ toolType, config }: ToolFields) => canonicalJson({ toolType, config });
  const isOther = acts(present) !== acts(next);
  return isOther && allowsChanges(policies) ? PoliciesNeedAdmin({}) : null;
}

/**
 * The policy of each call of a tool. Without arguments, of an operation: an API without a document
 * has one operation for all methods, of which some only read.
 */
export function policiesOf({ toolType, config, policies = ALLOW_ALL, credentials }: ToolFields) {
  const servers = new Map(
    toolType === 'mcp' ? mcpOperationsOf(config).map(({ name, tool }) => [name, tool.name]) : [],
  );
  const isGeneric = toolType === 'api' && !config.openapi?.trim();
  return (
    { name, isRead }: Pick<ToolOperation, 'name' | 'isRead'>,
    args?: JsonObject,
  ): ToolPolicy => {
    const reads = isRead || (isGeneric && (!args || isGenericRead(args)));
    // A script without credentials can do nothing in the organization's name.
    const mayChange = toolType === 'custom' ? credentials.names.length > 0 : !reads;
    return policyFor(policies, { name: servers.get(name) ?? name, mayChange });
  };
}
