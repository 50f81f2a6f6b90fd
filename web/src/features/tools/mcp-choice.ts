import type { OfferedMcpTool, Tool } from '@tallyhand/contracts/features/tools/tools.endpoints';
import type { McpTool, ToolChange } from '@tallyhand/contracts/features/tools/tools.fields';
import {
  type PolicyChoice,
  policiesOf,
  policyValuesOf,
  samePolicies,
  withOperation,
} from './tool-policies.ts';

/** What the user has decided about a tool of an MCP server. */
export type McpChoice = {
  readonly enabled: boolean;
  readonly alias: string;
  readonly policy: PolicyChoice;
};

/** The choice by name. */
export type McpChoices = Readonly<Record<string, McpChoice>>;

/**
 * What is chosen when the dialog opens. Of a new server the tools that only read are on; what its
 * server describes in other words than before is off until the user turns it on again.
 */
export function choicesOf(
  offered: readonly OfferedMcpTool[],
  tool: Pick<Tool, 'config' | 'policies'>,
): McpChoices {
  const kept = tool.config.mcpTools;
  const policies = new Map(Object.entries(tool.policies?.operations ?? {}));
  return Object.fromEntries(
    offered
      .filter(({ state }) => state !== 'gone')
      .map(({ name, state, isRead }) => {
        const before = kept?.find((one) => one.name === name);
        const enabled = state === 'same' ? before?.enabled === true : !kept && isRead;
        return [name, { enabled, alias: before?.alias ?? '', policy: policies.get(name) ?? '' }];
      }),
  );
}

/**
 * The change of the tool that makes the choices hold. Tools that are gone go; changed ones stay as they
 * were reviewed, unless the member may review them.
 */
export function changeFor(
  tool: Pick<Tool, 'config' | 'policies'>,
  offered: readonly OfferedMcpTool[],
  choices: McpChoices,
  mayReview: boolean,
): ToolChange {
  const mcpTools = offered.flatMap(({ name, definition, state }): McpTool[] => {
    const choice = choices[name];
    if (!choice) return [];
    if (state === 'changed' && !mayReview) {
      return tool.config.mcpTools?.filter((one) => one.name === name) ?? [];
    }
    const alias = choice.alias.trim();
    return [{ name, definition, enabled: choice.enabled, ...(alias === '' ? {} : { alias }) }];
  });
  const values = Object.entries(choices).reduce(
    (all, [name, { policy }]) => withOperation(all, name, policy),
    policyValuesOf(tool),
  );
  const policies = policiesOf(values);
  const config = { ...tool.config, mcpTools };
  return policies && !samePolicies(policies, tool.policies) ? { config, policies } : { config };
}
