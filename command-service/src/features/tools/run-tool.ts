import type { OutboundPolicy } from '@tallyhand/agent-runtime/guard/destination';
import { OutboundFailed, OutboundRefused } from '@tallyhand/agent-runtime/guard/outbound-errors';
import { callApi } from '@tallyhand/agent-runtime/tools/api-tool';
import { ToolCallRefused } from '@tallyhand/agent-runtime/tools/api-url';
import { operationsOf } from '@tallyhand/agent-runtime/tools/openapi-operations';
import { OpenApiRefused } from '@tallyhand/agent-runtime/tools/openapi-schema';
import { readToolInput } from '@tallyhand/agent-runtime/tools/tool-input';
import type { ToolTestResult } from '@tallyhand/contracts/features/tools/tools.endpoints';
import type { ToolConfig, ToolInput } from '@tallyhand/contracts/features/tools/tools.fields';

const OUTPUT_MAX = 20_000;

type RunnableTool = {
  readonly type: ToolInput['type'];
  readonly config: ToolConfig;
  readonly credentials: Readonly<Record<string, string>>;
};

/** Runs a tool once, as it was typed; whatever goes wrong is told in a sentence. */
export async function runTool(
  tool: RunnableTool,
  input: string,
  policy: OutboundPolicy,
  signal: AbortSignal,
): Promise<ToolTestResult> {
  const started = Date.now();
  const failed = (error: string): ToolTestResult => ({
    ...{ success: false, output: null, error, status: null },
    executionTimeMs: Date.now() - started,
  });
  if (tool.type === 'browser') return failed('A browser tool runs within autonomous sessions.');
  if (tool.type === 'custom') return failed('Scripts can not be tried here yet.');
  if (tool.config.baseUrl === '') return failed('This tool has no base URL.');
  try {
    const { operations, apiKeyPlace } = operationsOf(tool.config.openapi);
    const { operation, args } = readToolInput(input, operations);
    const config = { ...tool.config, ...(apiKeyPlace ? { apiKeyPlace } : {}) };
    const limits = { bodyCharactersMax: OUTPUT_MAX };
    const call = operation.toCall(args);
    const api = { config, credentials: tool.credentials };
    const { status, body } = await callApi(api, call, policy, { signal, limits });
    const success = status < 400;
    return {
      ...{ success, output: body, status, executionTimeMs: Date.now() - started },
      error: success ? null : `The tool's server answered with status ${status}.`,
    };
  } catch (error) {
    const known = [ToolCallRefused, OpenApiRefused, OutboundRefused, OutboundFailed];
    if (error instanceof Error && known.some((kind) => error instanceof kind)) {
      return failed(error.message);
    }
    throw error;
  }
}
