import type { OutboundPolicy } from '@tallyhand/agent-runtime/guard/destination';
import { guardedFetch } from '@tallyhand/agent-runtime/guard/guarded-fetch';
import { OutboundFailed, OutboundRefused } from '@tallyhand/agent-runtime/guard/outbound-errors';
import { type ScriptPool, ScriptRefused } from '@tallyhand/agent-runtime/sandbox/script-pool';
import type { Json } from '@tallyhand/agent-runtime/sandbox/script-run';
import { callApi } from '@tallyhand/agent-runtime/tools/api-tool';
import { ToolCallRefused } from '@tallyhand/agent-runtime/tools/api-url';
import { operationsOf } from '@tallyhand/agent-runtime/tools/openapi-operations';
import { OpenApiRefused } from '@tallyhand/agent-runtime/tools/openapi-schema';
import { readToolInput } from '@tallyhand/agent-runtime/tools/tool-input';
import type { ToolTestResult } from '@tallyhand/contracts/features/tools/tools.endpoints';
import type { ToolConfig, ToolInput } from '@tallyhand/contracts/features/tools/tools.fields';

const OUTPUT_MAX = 20_000;
const SCRIPT_FETCH_BYTES_MAX = 2_000_000;

type RunnableTool = {
  readonly type: ToolInput['type'];
  readonly config: ToolConfig;
  readonly credentials: Readonly<Record<string, string>>;
};

/** What tools work with: where they may go, and where scripts run. */
export type ToolGround = { readonly policy: OutboundPolicy; readonly scripts: ScriptPool };

/** Runs a tool once, as it was typed; whatever goes wrong is told in a sentence. */
export async function runTool(
  tool: RunnableTool,
  input: string,
  ground: ToolGround,
  signal: AbortSignal,
): Promise<ToolTestResult> {
  const started = Date.now();
  const failed = (error: string): ToolTestResult => ({
    ...{ success: false, output: null, error, status: null },
    executionTimeMs: Date.now() - started,
  });
  try {
    const ran = await run(tool, input, ground, signal);
    return { ...ran, executionTimeMs: Date.now() - started };
  } catch (error) {
    const isKnown = KNOWN.some((kind) => error instanceof kind);
    if (error instanceof Error && isKnown) return failed(error.message);
    if (error instanceof ScriptRefused) return failed('Too many scripts are waiting; try again.');
    throw error;
  }
}

const KNOWN = [ToolCallRefused, OpenApiRefused, OutboundRefused, OutboundFailed];

type Ran = Omit<ToolTestResult, 'executionTimeMs'>;

function run(tool: RunnableTool, input: string, ground: ToolGround, signal: AbortSignal) {
  switch (tool.type) {
    case 'api':
      return callOnce(tool, input, ground.policy, signal);
    case 'custom':
      return runOnce(tool, input, ground, signal);
    case 'browser':
      throw new ToolCallRefused('A browser tool runs within autonomous sessions.');
  }
}

async function callOnce(
  tool: RunnableTool,
  input: string,
  policy: OutboundPolicy,
  signal: AbortSignal,
): Promise<Ran> {
  if (tool.config.baseUrl === '') throw new ToolCallRefused('This tool has no base URL.');
  const { operations, apiKeyPlace } = operationsOf(tool.config.openapi);
  const { operation, args } = readToolInput(input, operations);
  const config = { ...tool.config, ...(apiKeyPlace ? { apiKeyPlace } : {}) };
  const limits = { bodyCharactersMax: OUTPUT_MAX };
  const call = operation.toCall(args);
  const api = { config, credentials: tool.credentials };
  const { status, body } = await callApi(api, call, policy, { signal, limits });
  const success = status < 400;
  const error = success ? null : `The tool's server answered with status ${status}.`;
  return { success, output: body, status, error };
}

async function runOnce(
  { config, credentials }: RunnableTool,
  input: string,
  { policy, scripts }: ToolGround,
  signal: AbortSignal,
): Promise<Ran> {
  const { script } = config.extras;
  if (!script?.trim()) throw new ToolCallRefused('This tool has no script.');
  const result = await scripts.runScript({
    ...{ script, input: jsonOrText(input), secrets: { ...credentials }, signal },
    fetch: async ({ url, method, headers, body }, stop) => {
      const init = { method, headers, ...(body === undefined ? {} : { body }), signal: stop };
      const limits = { bodyBytes: SCRIPT_FETCH_BYTES_MAX };
      const response = await guardedFetch(url, { ...init, limits }, policy);
      return {
        status: response.status,
        headers: response.headers,
        body: await response.text(),
      };
    },
  });
  const logs = result.logs.length > 0 ? `\n\n${result.logs.join('\n')}` : '';
  if (!result.ok) {
    const { message, line } = result.error;
    const where = line === undefined ? '' : ` (line ${line})`;
    return {
      success: false,
      output: logs.trim() || null,
      error: `${message}${where}`,
      status: null,
    };
  }
  const value = typeof result.value === 'string' ? result.value : JSON.stringify(result.value);
  const output = `${value}${logs}`.slice(0, OUTPUT_MAX);
  return { success: true, output, error: null, status: null };
}

/** A script gets what was typed: JSON as its value, anything else as text. */
function jsonOrText(input: string): Json {
  try {
    return JSON.parse(input) as Json;
  } catch {
    return input;
  }
}
