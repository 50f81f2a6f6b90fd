import type { Tool } from '@modelcontextprotocol/server';
import {
  type Agent,
  type AgentSummary,
  getAgent,
  listAgentSummaries,
  listAgents,
} from '@tallyhand/contracts/features/agents/agents.endpoints';
import { ExecuteInput } from '@tallyhand/contracts/features/tasks/tasks.endpoints';
import { z } from 'zod';
import { execute } from './execute.ts';
import { idIn, nameFor } from './names.ts';
import { isRefused, type ProductApi, type Refused } from './product-api.ts';
import { TaskResult } from './task-results.ts';
import { type Outcome, schemaOf, type ToolCall } from './tool.ts';

/** Each page has so many agents; the summaries of as many are read at once. */
const PAGE_LENGTH = 100;
const PREFIX = 'ask';

const AgentToolInput = z.strictObject({
  input: ExecuteInput.shape.input.describe('The question or the instructions for the agent'),
});
const INPUT_SCHEMA = schemaOf(AgentToolInput);
const OUTPUT_SCHEMA = schemaOf(TaskResult);

/** The tools of active agents, newest agent first, from the cursor on. */
export async function listAgentTools(
  api: ProductApi,
  cursor: string | undefined,
): Promise<{ readonly tools: Tool[]; readonly nextCursor?: string | undefined } | Refused> {
  const query = { isActive: 'true', limit: PAGE_LENGTH, cursor };
  const agents = await api.read(listAgents, { query });
  if (isRefused(agents)) return agents;
  const ids = agents.body.map(({ id }) => id).join(',');
  const summaries = ids ? await api.read(listAgentSummaries, { query: { ids } }) : { body: [] };
  if (isRefused(summaries)) return summaries;
  const byId = new Map(summaries.body.map((summary) => [summary.agentId, summary]));
  const tools = agents.body.map((agent) => toolOf(agent, byId.get(agent.id)));
  return { tools, nextCursor: agents.nextCursor };
}

function toolOf({ id, name, description, personaConfig }: Agent, summary?: AgentSummary): Tool {
  const { role, expertise } = personaConfig;
  const knows = expertise.length > 0 ? ` Expertise: ${expertise.join(', ')}.` : '';
  // Without tools an agent only reads its articles.
  const hasTools = (summary?.tools.length ?? 1) > 0;
  return {
    name: nameFor(PREFIX, name, id),
    title: name,
    description: `${description || name}\n\nAsks the agent "${name}" (${role}).${knows} Each successful answer costs credits.`,
    inputSchema: INPUT_SCHEMA,
    outputSchema: OUTPUT_SCHEMA,
    annotations: {
      title: name,
      readOnlyHint: false,
      destructiveHint: hasTools,
      idempotentHint: false,
      openWorldHint: hasTools,
    },
  };
}

/** The agent that a tool stands for; null for the name of another tool. */
export const agentOfTool = (name: string): string | null =>
  name.startsWith(`${PREFIX}_`) ? idIn(name) : null;

/** The id of an agent that is named by its tool, or by its id. */
export const agentNamed = (name: string): string => agentOfTool(name) ?? name;

/** Null if the organization has no such agent. */
export async function runAgentTool(
  agentId: string,
  given: unknown,
  call: ToolCall,
): Promise<Outcome<TaskResult> | z.ZodError | null> {
  const { data, error } = AgentToolInput.safeParse(given ?? {});
  if (!error) return execute(agentId, { input: data.input, type: 'query' }, call);
  const agent = await call.api.read(getAgent, { params: { id: agentId } });
  return isRefused(agent) && agent.problem.status === 404 ? null : error;
}
