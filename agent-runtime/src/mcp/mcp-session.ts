import {
  type AuthProvider,
  Client,
  InsufficientScopeError,
  SSEClientTransport,
  StreamableHTTPClientTransport,
  type Transport,
} from '@modelcontextprotocol/client';
import { getDefaultEnvironment, StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import {
  MCP_DEFINITION_MAX,
  MCP_DEFINITIONS_MAX,
  MCP_TOOLS_MAX,
  type McpDefinition,
  mcpDefinitionOf,
  mcpDefinitionText,
} from '@tallyhand/contracts/features/tools/mcp-definition';
import type { OutboundPolicy } from '../guard/destination.ts';
import { fetchThroughGuard } from '../guard/fetch-through-guard.ts';
import {
  type ApiCredentials,
  type ApiToolConfig,
  authorizationOf,
  headersOf,
  secretsOf,
} from '../tools/api-headers.ts';
import { secretMask } from '../tools/api-secret-mask.ts';
import { ToolCallRefused } from '../tools/api-url.ts';
import { mcpFailure, statusOf } from './mcp-errors.ts';
import { McpFailed, McpForgotten } from './mcp-failed.ts';
import { type KeepPicture, textOfResult } from './mcp-result.ts';

/** A program that is an MCP server, as the operator set it up. */
export type McpProgram = {
  readonly command: string;
  readonly args: readonly string[];
  /** All that it gets besides PATH, HOME and the like. */
  readonly env: Readonly<Record<string, string>>;
  readonly cwd?: string | undefined;
};

/** The access tokens of a sign-in at an MCP server. Methods reject with McpFailed. */
export type McpTokens = {
  /** The token for the next request. */
  current(): Promise<string | undefined>;
  /** The server has refused this token; resolves once there is another one. */
  refused(token: string | undefined, answer: Response): Promise<void>;
  /** The server has refused a call that needs these scopes. */
  lacked(scope: string): Promise<void>;
};

/** An MCP server, with the credentials that were entered for it. */
export type McpServer = {
  readonly config: ApiToolConfig;
  readonly credentials: ApiCredentials;
  /** Of a server with `oauth`. */
  readonly tokens?: McpTokens | undefined;
  /** Started instead of a connection to the address; it talks over its standard streams. */
  readonly program?: McpProgram | undefined;
};

/** A tool as the server describes it. */
export type ListedTool = { readonly text: string; readonly definition: McpDefinition };

/** What a tool answered. `isError`: the tool itself says that it failed. */
export type McpResult = { readonly isError: boolean; readonly text: string };

export type McpLimits = {
  /** For the connection, and for each list. */
  listMs: number;
  /** For a call without news of its progress. */
  callMs: number;
  /** For a call in all. */
  callTotalMs: number;
  /** For a stream that the server may use for what it sends by itself. */
  streamMs: number;
  /** Of one answer, or one stream. */
  bytes: number;
  /** Of a session: a server can make the client ask again. */
  requests: number;
};

const LIMITS: McpLimits = {
  listMs: 15_000,
  callMs: 60_000,
  callTotalMs: 180_000,
  streamMs: 600_000,
  bytes: 4_000_000,
  requests: 500,
};
const PAGES_MAX = 10;
const SELF = { name: 'tallyhand', version: '1' };
/** Servers of before 2025 answer the first request of a newer client with one of these. */
const OLD_SERVER = [400, 404, 405];

/** Results are checked by their use; compiling a stranger's schema could take for ever. */
const noValidation = {
  getValidator: () => (data: unknown) => ({
    valid: true as const,
    data: data as never,
    errorMessage: undefined,
  }),
};

/**
 * A connection to an MCP server: through the guard, over Streamable HTTP, or over the older SSE
 * where the server knows nothing else; or with a program, which ends with the session. All methods
 * reject with McpFailed, ToolCallRefused, the errors of the guard, or the reason of the aborted signal.
 */
export class McpSession implements AsyncDisposable {
  readonly #client: Client;
  readonly #limits: McpLimits;
  readonly #mask: (text: string) => string;
  readonly #tokens: McpTokens | undefined;
  #listed: Promise<ListedTool[]> | undefined;

  private constructor(
    client: Client,
    limits: McpLimits,
    mask: (text: string) => string,
    tokens: McpTokens | undefined,
  ) {
    this.#client = client;
    this.#limits = limits;
    this.#mask = mask;
    this.#tokens = tokens;
    client.setNotificationHandler('notifications/tools/list_changed', () => {
      this.#listed = undefined;
    });
  }

  static async open(
    server: McpServer,
    policy: OutboundPolicy,
    signal: AbortSignal,
    given: Partial<McpLimits> = {},
  ): Promise<McpSession> {
    const limits = { ...LIMITS, ...given };
    const { config, credentials, program, tokens } = server;
    const secrets = [...secretsOf(config, credentials), ...Object.values(program?.env ?? {})];
    const sent = new Set<string>();
    const mask = (text: string) => secretMask([...secrets, ...sent])(text);
    const client = new Client(SELF, { capabilities: {}, jsonSchemaValidator: noValidation });
    const session = new McpSession(client, limits, mask, tokens);
    if (program) {
      const transport = programTransport(program, limits);
      await session.#guarded(signal, () => connect(client, transport, limits, signal));
      return session;
    }
    const transports = transportsOf(server, policy, limits, tokens && providerOf(tokens, sent));
    await session.#guarded(signal, async () => {
      try {
        await connect(client, transports.current(), limits, signal);
      } catch (error) {
        if (!OLD_SERVER.includes(statusOf(error) ?? 0)) throw error;
        await connect(client, transports.old(), limits, signal);
      }
    });
    return session;
  }

  /** The name and version that the server gives itself. */
  get server(): { readonly name: string; readonly version: string } {
    const { name = '', version = '' } = this.#client.getServerVersion() ?? {};
    return { name: name.slice(0, 200), version: version.slice(0, 100) };
  }

  /** The server's tools. Read again after the server said that they changed. */
  tools(signal: AbortSignal): Promise<ListedTool[]> {
    const listed = this.#listed ?? this.#guarded(signal, () => this.#list(signal));
    this.#listed = listed;
    listed.catch(() => {
      if (this.#listed === listed) this.#listed = undefined;
    });
    return listed;
  }

  /**
   * Calls a tool, if the server still describes it in these words. `text` is untrusted, with secrets
   * masked; `keep` stores its pictures.
   */
  async call(
    { name, text }: { readonly name: string; readonly text: string },
    args: Readonly<Record<string, unknown>>,
    signal: AbortSignal,
    keep: KeepPicture,
  ): Promise<McpResult> {
    const now = (await this.tools(signal)).find(({ definition }) => definition.name === name);
    if (!now) throw new ToolCallRefused('The MCP server no longer offers this tool.');
    if (now.text !== text) {
      throw new ToolCallRefused(
        'The MCP server has changed the description of this tool. It must be reviewed before agents can use it again.',
      );
    }
    const { callMs, callTotalMs } = this.#limits;
    const result = await this.#guarded(signal, () =>
      this.#client.request(
        { method: 'tools/call', params: { name, arguments: { ...args } } },
        {
          signal,
          timeout: callMs,
          maxTotalTimeout: callTotalMs,
          resetTimeoutOnProgress: true,
          onprogress: () => undefined,
        },
      ),
    );
    const isError = result.isError === true;
    return { isError, text: this.#mask(await textOfResult(result, keep)) };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const { transport } = this.#client;
    if (transport instanceof StreamableHTTPClientTransport) {
      // Servers need not allow it; theirs end by themselves.
      await transport.terminateSession().catch(() => undefined);
    }
    await this.#client.close().catch(() => undefined);
  }

  async #list(signal: AbortSignal): Promise<ListedTool[]> {
    const found: ListedTool[] = [];
    let size = 0;
    let cursor: string | undefined;
    for (let page = 0; page < PAGES_MAX; page += 1) {
      const { tools, nextCursor } = await this.#client.request(
        { method: 'tools/list', params: cursor === undefined ? {} : { cursor } },
        { signal, timeout: this.#limits.listMs, maxTotalTimeout: this.#limits.listMs },
      );
      for (const tool of tools) {
        const text = mcpDefinitionText(tool);
        const definition = text.length > MCP_DEFINITION_MAX ? undefined : mcpDefinitionOf(text);
        const isRepeated = found.some((one) => one.definition.name === tool.name);
        if (!definition || isRepeated) continue;
        size += text.length;
        if (found.length === MCP_TOOLS_MAX || size > MCP_DEFINITIONS_MAX) return found;
        found.push({ text, definition });
      }
      if (nextCursor === undefined) break;
      cursor = nextCursor;
    }
    return found;
  }

  async #guarded<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    signal.throwIfAborted();
    try {
      return await work();
    } catch (error) {
      signal.throwIfAborted();
      if (this.#client.transport && statusOf(error) === 404) throw new McpForgotten();
      if (error instanceof InsufficientScopeError && error.requiredScope) {
        await this.#tokens?.lacked(error.requiredScope);
      }
      throw mcpFailure(error, this.#mask);
    }
  }
}

function connect(
  client: Client,
  transport: Transport,
  { listMs }: McpLimits,
  signal: AbortSignal,
): Promise<void> {
  return client.connect(transport, { signal, timeout: listMs, maxTotalTimeout: listMs });
}

/** It is stopped when the session ends, or when a message is too large. */
function programTransport(
  { command, args, env, cwd }: McpProgram,
  { bytes }: McpLimits,
): Transport {
  return new StdioClientTransport({
    command,
    args: [...args],
    env: { ...getDefaultEnvironment(), ...env },
    stderr: 'ignore',
    maxBufferSize: bytes,
    ...(cwd === undefined ? {} : { cwd }),
  });
}

/** `sent` gets each token, so that results can be masked. */
function providerOf(tokens: McpTokens, sent: Set<string>): AuthProvider {
  let last: string | undefined;
  return {
    async token() {
      last = await tokens.current();
      if (last !== undefined) sent.add(last);
      return last;
    },
    onUnauthorized: ({ response }) => tokens.refused(last, response),
  };
}

function transportsOf(
  server: McpServer,
  policy: OutboundPolicy,
  limits: McpLimits,
  authProvider: AuthProvider | undefined,
) {
  const { config, credentials } = server;
  if (config.baseUrl === '') throw new ToolCallRefused('This tool has no address.');
  const url = new URL(config.baseUrl);
  const { headers, query } = authProvider
    ? { headers: {}, query: [] }
    : authorizationOf(config, credentials);
  if (query.length > 0) throw new ToolCallRefused("A key in the address can't be sent.");
  const { accept: _, ...extras } = headersOf(config, undefined);
  const fetch = boundedFetch(policy, limits);
  const requestInit = { headers: { ...extras, ...headers } };
  const options = { fetch, requestInit, ...(authProvider && { authProvider }) };
  return {
    current: () => new StreamableHTTPClientTransport(url, options) as Transport,
    old: () => new SSEClientTransport(url, options) as Transport,
  };
}

/** `fetch` of one session. GET opens streams, which stay open longer than answers come. */
function boundedFetch(policy: OutboundPolicy, limits: McpLimits): typeof fetch {
  const { listMs: headersMs, callTotalMs, streamMs, bytes: bodyBytes, requests } = limits;
  const answers = fetchThroughGuard(policy, {
    headersMs: callTotalMs,
    totalMs: callTotalMs,
    bodyBytes,
  });
  const streams = fetchThroughGuard(policy, { headersMs, totalMs: streamMs, bodyBytes });
  let sent = 0;
  return (input, init) => {
    sent += 1;
    if (sent > requests) {
      return Promise.reject(new McpFailed('The MCP server needs too many requests.'));
    }
    return init?.method === 'GET' || init?.method === undefined
      ? streams(input, init)
      : answers(input, init);
  };
}
