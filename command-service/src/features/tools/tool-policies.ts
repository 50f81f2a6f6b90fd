import type { JsonObject, ToolOperation } from '@tallyhand/agent-runtime/engine';
import { isGenericRead } from '@tallyhand/agent-runtime/tools/api-operation';
import {
  ALLOW_ALL,
  policyFor,
  type ToolPolicy,
} from '@tallyhand/contracts/features/tools/tool-policy';
import { mcpOperationsOf } from './mcp-tool.ts';
import type { ToolFields } from './tool.decider.ts';

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
