import type { OfferedMcpTool, Tool } from '@tallyhand/contracts/features/tools/tools.endpoints';
import type { McpTool } from '@tallyhand/contracts/features/tools/tools.fields';

/** What the user has decided about a tool of an MCP server. */
export type McpChoice = { readonly enabled: boolean; readonly alias: string };

/** The choice by name. */
export type McpChoices = Readonly<Record<string, McpChoice>>;

/**
 * What is chosen when the dialog opens. Of a new server the tools that only read are on; what its
 * server describes in other words than before is off until the user turns it on again.
 */
export function choicesOf(
  offered: readonly OfferedMcpTool[],
  kept: readonly McpTool[] | undefined,
): McpChoices {
  return Object.fromEntries(
    offered
      .filter(({ state }) => state !== 'gone')
      .map(({ name, state, isRead }) => {
        const before = kept?.find((one) => one.name === name);
        const enabled = state === 'same' ? before?.enabled === true : !kept && isRead;
        return [name, { enabled, alias: before?.alias ?? '' }];
      }),
  );
}

/** The change of the tool that makes the choices hold. Tools that are gone go. */
export function changeFor(
  tool: Pick<Tool, 'config'>,
  offered: readonly OfferedMcpTool[],
  choices: McpChoices,
) {
  const mcpTools = offered.flatMap(({ name, definition }): McpTool[] => {
    const choice = choices[name];
    if (!choice) return [];
    const alias = choice.alias.trim();
    return [{ name, definition, enabled: choice.enabled, ...(alias === '' ? {} : { alias }) }];
  });
  return { config: { ...tool.config, mcpTools } };
}
