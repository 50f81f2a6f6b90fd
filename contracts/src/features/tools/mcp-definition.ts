import { z } from 'zod';

export const MCP_TOOLS_MAX = 100;
export const MCP_NAME_MAX = 128;
export const MCP_DEFINITION_MAX = 20_000;
/** Of all definitions of one server. */
export const MCP_DEFINITIONS_MAX = 200_000;

/** What an MCP server says about one of its tools. Untrusted text. */
const McpDefinition = z.looseObject({
  name: z.string().min(1).max(MCP_NAME_MAX),
  title: z.string().optional(),
  description: z.string().optional(),
  /** JSON Schema of the arguments. */
  inputSchema: z.looseObject({ type: z.literal('object') }),
  annotations: z
    .looseObject({
      title: z.string().optional(),
      readOnlyHint: z.boolean().optional(),
      destructiveHint: z.boolean().optional(),
    })
    .optional(),
});
export type McpDefinition = z.infer<typeof McpDefinition>;

/** The definition that a text has, if it is one. */
export function mcpDefinitionOf(text: string): McpDefinition | undefined {
  try {
    return McpDefinition.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

/** One text for one definition, in which order the server writes its parts. */
export function mcpDefinitionText(definition: unknown): string {
  return JSON.stringify(sorted(definition));
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([name, one]) => [name, sorted(one)]));
}

/** A tool that only reads, as its server says. What it does not say, may change something. */
export const isMcpRead = ({ annotations }: McpDefinition): boolean =>
  annotations?.readOnlyHint === true;

/** The name for people. */
export const mcpTitleOf = ({ name, title, annotations }: McpDefinition): string =>
  title || annotations?.title || name;
