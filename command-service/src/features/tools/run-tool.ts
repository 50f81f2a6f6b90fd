import type { OutboundPolicy } from '@tallyhand/agent-runtime/guard/destination';
import { guardedFetch } from '@tallyhand/agent-runtime/guard/guarded-fetch';
import { OutboundFailed, OutboundRefused } from '@tallyhand/agent-runtime/guard/outbound-errors';
import { McpFailed } from '@tallyhand/agent-runtime/mcp/mcp-failed';
import type { McpTokens } from '@tallyhand/agent-runtime/mcp/mcp-session';
import type { Json } from '@tallyhand/agent-runtime/sandbox/script-run';
import type { ScriptPool } from '@tallyhand/agent-runtime/sandbox/script-thread';
import type { ToolOperation as ApiOperation } from '@tallyhand/agent-runtime/tools/api-operation';
import { callApi } from '@tallyhand/agent-runtime/tools/api-tool';
import { ToolCallRefused } from '@tallyhand/agent-runtime/tools/api-url';
import {
  operationsOf,
  readingOperationsOf,
} from '@tallyhand/agent-runtime/tools/openapi-operations';
import { OpenApiRefused } from '@tallyhand/agent-runtime/tools/openapi-schema';
import { readToolInput } from '@tallyhand/agent-runtime/tools/tool-input';
import type { ToolTestResult } from '@tallyhand/contracts/features/tools/tools.endpoints';
import type { ToolConfig, ToolInput } from '@tallyhand/contracts/features/tools/tools.fields';
import { isRefusal, type Refusal } from '@tallyhand/contracts/kernel/refusal';
import { type BrowserCall, isBrowserOperation, isBrowserRead } from './browser-tool.ts';
import { mcpOperationsOf } from './mcp-tool.ts';
import type { OpenTools } from './open-tools.ts';

const OUTPUT_MAX = 20_000;
const SCRIPT_FETCH_BYTES_MAX = 2_000_000;

export type RunnableTool = {
  readonly id: string;
  readonly type: ToolInput['type'];
  readonly config: ToolConfig;
  readonly credentials: Readonly<Record<string, string>>;
  /** Of an MCP server with `oauth`. */
  readonly tokens?: McpTokens | undefined;
};

/** What tools run with: the outbound policy, scripts and browsers, and the work they run for. */
export type ToolEnvironment = {
  readonly policy: OutboundPolicy;
  readonly scripts: ScriptPool;
  readonly openTools: OpenTools;
  readonly organizationId: string;
  /** Calls of the same work share a browser, and a session with each MCP server. */
  readonly workId: string;
  /** Whether calls that may change something are refused. */
  readonly readsOnly?: boolean;
  /** Whether a browser may send forms; it may by default. */
  readonly maySendForms?: boolean;
};

/** The error of a tool whose credentials were dropped. */
export const CREDENTIALS_MISSING =
  'The credentials of this tool must be entered again: they were entered for another host, kind of access or script.';

/** The start page of a browser tool. */
export const startUrlOf = ({ extras }: ToolConfig) => extras.startUrl?.trim() || null;

/** The operation of a script tool, which takes any input. */
export const SCRIPT_OPERATION = {
  name: 'run',
  description: 'Runs the script of the tool.',
  isRead: false,
  parameters: {
    type: 'object',
    properties: { input: { description: 'What the script works on: any JSON or text.' } },
    required: ['input'],
  },
} as const;

/**
 * Runs a tool with typed input. Expected failures become a sentence in the result. Refused when too
 * many scripts wait.
 */
export const runTool = (
  tool: RunnableTool,
  input: string,
  environment: ToolEnvironment,
  signal: AbortSignal,
): Promise<ToolTestResult | Refusal> =>
  resultOf(() => {
    switch (tool.type) {
      case 'custom':
        return runScript(tool, jsonOrText(input), environment, signal);
      case 'browser':
        return openPage(tool, input, environment, signal);
      case 'api':
        return callOnce(
          tool,
          (operations) => readToolInput(input, operations),
          environment,
          signal,
        );
      case 'mcp':
        return askMcp(tool, input, environment, signal);
    }
  });

/** Calls one operation of a tool; otherwise as `runTool`. */
export const callTool = (
  tool: RunnableTool,
  call: { readonly operation: string; readonly args: Readonly<Record<string, unknown>> },
  environment: ToolEnvironment,
  signal: AbortSignal,
): Promise<ToolTestResult | Refusal> =>
  resultOf(() => {
    const find = (operations: readonly ApiOperation[]) => {
      const operation = operations.find(({ name }) => name === call.operation);
      if (!operation) throw new ToolCallRefused(NO_OPERATION);
      return { operation, args: call.args };
    };
    switch (tool.type) {
      case 'custom':
        return runScript(tool, call.args.input as Json, environment, signal);
      case 'browser':
        return browse(tool, call, environment, signal);
      case 'api':
        return callOnce(tool, find, environment, signal);
      case 'mcp':
        return callMcp(tool, call, environment, signal);
    }
  });

async function resultOf(work: () => Promise<Ran | Refusal>): Promise<ToolTestResult | Refusal> {
  const started = Date.now();
  const failed = (error: string): ToolTestResult => ({
    success: false,
    output: null,
    error,
    status: null,
    executionTimeMs: Date.now() - started,
  });
  try {
    const ran = await work();
    if (isRefusal(ran)) return ran;
    return { ...ran, executionTimeMs: Date.now() - started };
  } catch (error) {
    const isKnown = KNOWN.some((kind) => error instanceof kind);
    if (error instanceof Error && isKnown) return failed(error.message);
    throw error;
  }
}

const NO_OPERATION = 'The tool no longer has this operation.';

const KNOWN = [ToolCallRefused, OpenApiRefused, OutboundRefused, OutboundFailed, McpFailed];

type Ran = Omit<ToolTestResult, 'executionTimeMs'>;

async function callOnce(
  tool: RunnableTool,
  choose: (operations: readonly ApiOperation[]) => {
    readonly operation: ApiOperation;
    readonly args: unknown;
  },
  { policy, readsOnly }: ToolEnvironment,
  signal: AbortSignal,
): Promise<Ran> {
  if (tool.config.baseUrl === '') throw new ToolCallRefused('This tool has no base URL.');
  const operationsIn = readsOnly ? readingOperationsOf : operationsOf;
  const { operations, apiKeyPlace } = operationsIn(tool.config.openapi);
  const { operation, args } = choose(operations);
  const config = { ...tool.config, ...(apiKeyPlace ? { apiKeyPlace } : {}) };
  const limits = { bodyCharactersMax: OUTPUT_MAX };
  const call = operation.toCall(args);
  const api = { config, credentials: tool.credentials };
  const { status, body } = await callApi(api, call, policy, { signal, limits });
  const success = status < 400;
  const error = success ? null : `The tool's server answered with status ${status}.`;
  return { success, output: body, status, error };
}

async function browse(
  { config }: RunnableTool,
  { operation, args }: Pick<BrowserCall, 'args'> & { readonly operation: string },
  { openTools, organizationId, workId, readsOnly, maySendForms = true }: ToolEnvironment,
  signal: AbortSignal,
): Promise<Ran> {
  const isKnown = isBrowserOperation(operation) && (!readsOnly || isBrowserRead(operation));
  if (!isKnown) throw new ToolCallRefused(NO_OPERATION);
  const startUrl = startUrlOf(config);
  const call = { organizationId, workId, startUrl, operation, args, maySendForms };
  const { success, output } = await openTools.browsers.call(call, signal);
  return success
    ? { success, output, error: null, status: null }
    : { success, output: null, error: output, status: null };
}

/** Opens the typed address, or the tool's start page. */
async function openPage(
  tool: RunnableTool,
  input: string,
  environment: ToolEnvironment,
  signal: AbortSignal,
) {
  const typed = input.trim();
  const url = URL.canParse(typed) ? typed : startUrlOf(tool.config);
  if (!url) throw new ToolCallRefused('Type the address of a page: this tool has no start URL.');
  try {
    return await browse(tool, { operation: 'open', args: { url } }, environment, signal);
  } finally {
    environment.openTools.close(environment.workId);
  }
}

/** Calls the tool that was typed, and ends the session. */
async function askMcp(
  tool: RunnableTool,
  input: string,
  environment: ToolEnvironment,
  signal: AbortSignal,
) {
  const operations = mcpOperationsOf(tool.config);
  if (operations.length === 0) throw new ToolCallRefused('None of its tools is enabled yet.');
  const { operation, args } = readToolInput(input, operations);
  try {
    const call = { operation: operation.name, args: args as Record<string, unknown> };
    return await callMcp(tool, call, environment, signal);
  } finally {
    environment.openTools.close(environment.workId);
  }
}

async function callMcp(
  tool: RunnableTool,
  { operation: name, args }: Parameters<typeof callTool>[1],
  { openTools, organizationId, workId, readsOnly }: ToolEnvironment,
  signal: AbortSignal,
): Promise<Ran> {
  const operation = mcpOperationsOf(tool.config).find((one) => one.name === name);
  // Whether it only reads is the server's own word.
  if (!operation || readsOnly) throw new ToolCallRefused(NO_OPERATION);
  const call = { organizationId, workId, tool: operation.tool, args };
  const { isError, text } = await openTools.mcpServers.call(tool, call, signal);
  const output = text.slice(0, OUTPUT_MAX).toWellFormed();
  const error = isError ? 'The tool reported an error.' : null;
  return { success: !isError, output, error, status: null };
}

async function runScript(
  { config, credentials }: RunnableTool,
  input: Json,
  { policy, scripts, organizationId, readsOnly }: ToolEnvironment,
  signal: AbortSignal,
): Promise<Ran | Refusal> {
  // What a script does can't be known.
  if (readsOnly) throw new ToolCallRefused(NO_OPERATION);
  const { script } = config.extras;
  if (!script?.trim()) throw new ToolCallRefused('This tool has no script.');
  const result = await scripts.runScript({
    organizationId,
    script,
    input: input ?? null,
    secrets: { ...credentials },
    allowedHosts: config.allowedHosts ?? [],
    signal,
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
  if (isRefusal(result)) return result;
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
