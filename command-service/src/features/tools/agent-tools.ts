import { EngineFailure, type EngineTool } from '@tallyhand/agent-runtime/engine';
import { operationsOf } from '@tallyhand/agent-runtime/tools/openapi-operations';
import { OpenApiRefused } from '@tallyhand/agent-runtime/tools/openapi-schema';
import { errorFields } from '@tallyhand/service-kit/log';
import type { Kit } from '../../kit/app.ts';
import type { Kept } from '../../kit/kept-decider.ts';
import { keptObjects } from '../../kit/kept-objects.ts';
import { outboundPolicyOf } from '../../kit/outbound.ts';
import { callTool, SCRIPT_OPERATION, type ToolGround } from './run-tool.ts';
import { type ToolFields, toolDecider } from './tool.decider.ts';
import { toolCredentials } from './tool-credentials.ts';

/** A tool as a task uses it, and the version that it then has. */
export type AgentTool = { readonly version: number; readonly tool: EngineTool };

/**
 * The tools among these that tasks and chats can call, in their order. Those of browsers, deleted
 * ones, and those whose OpenAPI document can't be read are left out.
 */
export function agentToolsOf(kit: Kit) {
  const tools = keptObjects(kit, toolDecider);
  const ground = { policy: outboundPolicyOf(kit.settings), scripts: kit.scripts };
  return async (ids: readonly string[], organizationId: string): Promise<AgentTool[]> => {
    const found = await Promise.all(ids.map((id) => tools.find(id, organizationId)));
    return found.flatMap((one) => {
      const operations = one ? operationsFor(one.fields) : [];
      if (!one || operations.length === 0) return [];
      return [{ version: one.version, tool: toolFor(kit, one, operations, ground) }];
    });
  };
}

function operationsFor({ toolType, config }: ToolFields): EngineTool['operations'] {
  if (toolType === 'browser') return [];
  if (toolType === 'custom') return [SCRIPT_OPERATION];
  try {
    const { operations } = operationsOf(config.openapi);
    return operations.map(({ name, description, parameters, isRead }) => ({
      ...{ name, description, isRead },
      parameters: { ...parameters },
    }));
  } catch (error) {
    if (error instanceof OpenApiRefused) return [];
    throw error;
  }
}

function toolFor(
  kit: Kit,
  { id, fields }: Kept<ToolFields>,
  operations: EngineTool['operations'],
  ground: ToolGround,
): EngineTool {
  const { name: title, description, toolType: type, config, credentials } = fields;
  return {
    ...{ id, title, description, operations },
    async call({ name: operation }, args, signal) {
      if (signal.aborted) throw cancelled();
      const values = await toolCredentials(kit).read(id, credentials.id);
      const runnable = { type, config, credentials: values };
      const ran = await callTool(runnable, { operation, args }, ground, signal).catch((error) => {
        if (signal.aborted) throw cancelled();
        kit.log.error('a tool could not be called', { toolId: id, ...errorFields(error) });
        return { success: false, output: null, error: 'The tool could not be called.' };
      });
      if (signal.aborted) throw cancelled();
      return { success: ran.success, output: [ran.error, ran.output].filter(Boolean).join('\n') };
    },
  };
}

const cancelled = () => new EngineFailure('cancelled', 'The work was cancelled.');
