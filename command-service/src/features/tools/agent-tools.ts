import {
  EngineFailure,
  type EngineTool,
  type JsonObject,
  type ToolOperation,
} from '@tallyhand/agent-runtime/engine';
import { isGenericRead } from '@tallyhand/agent-runtime/tools/api-operation';
import {
  operationsOf,
  readingOperationsOf,
} from '@tallyhand/agent-runtime/tools/openapi-operations';
import { OpenApiRefused } from '@tallyhand/agent-runtime/tools/openapi-schema';
import type { FormPolicy } from '@tallyhand/contracts/features/agents/agents.fields';
import { WorkCancelled } from '@tallyhand/contracts/features/tasks/work-failures';
import {
  ALLOW_ALL,
  policyFor,
  type ToolPolicy,
} from '@tallyhand/contracts/features/tools/tool-policy';
import { isRefusal } from '@tallyhand/contracts/kernel/refusal';
import { errorFields } from '@tallyhand/service-kit/log';
import type { Kit } from '../../kit/app.ts';
import { outboundPolicyOf } from '../../kit/outbound.ts';
import type { Versioned } from '../../kit/versioned-object.decider.ts';
import { BROWSER_OPERATIONS } from './browser-tool.ts';
import { mcpOperationsOf } from './mcp-tool.ts';
import type { OpenTools } from './open-tools.ts';
import { callTool, SCRIPT_OPERATION, startUrlOf, type ToolEnvironment } from './run-tool.ts';
import type { ToolFields } from './tool.decider.ts';
import { accessOf } from './tool-tokens.ts';
import type { Tools } from './tools.routes.ts';

/** A version of a tool, ready for use. */
export type AgentTool = {
  readonly version: number;
  readonly tool: EngineTool;
  /** Whether a call waits for a person first. */
  readonly asks: (operation: ToolOperation, args: JsonObject) => boolean;
  /** Of browser tools only. */
  readonly browser: { readonly startUrl: string | null } | null;
};

export type ToolUse = {
  /** Leaves out scripts, MCP servers and all operations that may change something. */
  readonly readsOnly?: boolean;
  /** The agent's; absent for those that send all forms. */
  readonly formPolicy?: FormPolicy | undefined;
};

/**
 * Finds the tools that a task, reply or session can call, in order. Deleted tools, and those with an
 * unreadable OpenAPI document, are left out.
 */
export function agentToolsOf(kit: Kit, tools: Pick<Tools, 'find'>, openTools: OpenTools) {
  const policy = outboundPolicyOf(kit.settings);
  return async (
    ids: readonly string[],
    organizationId: string,
    workId: string,
    { readsOnly = false, formPolicy = 'allow' }: ToolUse = {},
  ): Promise<AgentTool[]> => {
    const environment = {
      policy,
      scripts: kit.scripts,
      openTools,
      organizationId,
      workId,
      readsOnly,
      maySendForms: formPolicy === 'allow',
    };
    const found = await Promise.all(ids.map((id) => tools.find(id, organizationId)));
    return found.flatMap((one) => {
      if (!one) return [];
      const policyOf = policiesOf(one.fields);
      const operations = operationsFor(one.fields, readsOnly).filter(
        (operation) => policyOf(operation) !== 'never',
      );
      if (operations.length === 0) return [];
      const asks: AgentTool['asks'] = (operation, args) => policyOf(operation, args) === 'ask';
      const tool = withPolicies(toolFor(kit, one, operations, environment), policyOf, readsOnly);
      const isBrowser = one.fields.toolType === 'browser';
      const browser = isBrowser ? { startUrl: startUrlOf(one.fields.config) } : null;
      return [{ version: one.version, tool, asks, browser }];
    });
  };
}

const NOT_ASKED =
  'This call needs the approval of a person, and a comparison does not wait for one.';
const NEVER = 'The policies of this tool do not allow this call.';

/** Refuses what is never called, and what a person would have to be asked for. */
function withPolicies(
  tool: EngineTool,
  policyOf: ReturnType<typeof policiesOf>,
  readsOnly: boolean,
): EngineTool {
  return {
    ...tool,
    async call(operation, args, signal) {
      const policy = policyOf(operation, args);
      if (policy === 'never') return { success: false, output: NEVER };
      if (policy === 'ask' && readsOnly) return { success: false, output: NOT_ASKED };
      return tool.call(operation, args, signal);
    },
  };
}

function operationsFor(
  { toolType, config }: ToolFields,
  readsOnly: boolean,
): EngineTool['operations'] {
  switch (toolType) {
    case 'browser':
      return BROWSER_OPERATIONS.filter(({ isRead }) => isRead || !readsOnly);
    case 'custom':
      return readsOnly ? [] : [SCRIPT_OPERATION];
    case 'api':
      return apiOperations(config, readsOnly);
    case 'mcp':
      return readsOnly ? [] : mcpOperationsOf(config);
  }
}

/** None if the document can't be read. */
function apiOperations(
  { openapi }: ToolFields['config'],
  readsOnly: boolean,
): EngineTool['operations'] {
  try {
    const { operations } = readsOnly ? readingOperationsOf(openapi) : operationsOf(openapi);
    return operations.map(({ name, description, parameters, isRead }) => ({
      name,
      description,
      isRead,
      parameters: { ...parameters },
    }));
  } catch (error) {
    if (error instanceof OpenApiRefused) return [];
    throw error;
  }
}

function toolFor(
  kit: Kit,
  { id, fields }: Versioned<ToolFields>,
  operations: EngineTool['operations'],
  environment: ToolEnvironment,
): EngineTool {
  const { name: title, description, toolType: type, config } = fields;
  async function run(call: Parameters<typeof callTool>[1], signal: AbortSignal) {
    const access = await accessOf(kit, {
      id,
      organizationId: environment.organizationId,
      fields,
    });
    if (typeof access === 'string') return { success: false, output: null, error: access };
    return callTool({ id, type, config, ...access }, call, environment, signal);
  }
  return {
    id,
    title,
    description,
    operations,
    async call({ name: operation }, args, signal) {
      if (signal.aborted) throw cancelled();
      const ran = await run({ operation, args }, signal).catch((error) => {
        if (signal.aborted) throw cancelled();
        kit.log.error('a tool could not be called', { toolId: id, ...errorFields(error) });
        return { success: false, output: null, error: 'The tool could not be called.' };
      });
      if (signal.aborted) throw cancelled();
      if (isRefusal(ran)) return { success: false, output: ran.detail };
      return { success: ran.success, output: [ran.error, ran.output].filter(Boolean).join('\n') };
    },
  };
}

const cancelled = () => new EngineFailure(WorkCancelled({}));

/**
 * The policy of each call of a tool. Without arguments, of an operation: an API without a document
 * has one operation for all methods, of which some only read.
 */
function policiesOf({ toolType, config, policies = ALLOW_ALL, credentials }: ToolFields) {
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
