import type { OutboundPolicy } from '@tallyhand/agent-runtime/guard/destination';
import { OutboundFailed, OutboundRefused } from '@tallyhand/agent-runtime/guard/outbound-errors';
import { McpFailed, McpForgotten } from '@tallyhand/agent-runtime/mcp/mcp-failed';
import type { McpPicture } from '@tallyhand/agent-runtime/mcp/mcp-result';
import type {
  ListedTool,
  McpProgram,
  McpResult,
  McpServer,
  McpSession,
} from '@tallyhand/agent-runtime/mcp/mcp-session';
import { ToolCallRefused } from '@tallyhand/agent-runtime/tools/api-url';
import { getImage } from '@tallyhand/contracts/features/sessions/sessions.endpoints';
import {
  isMcpRead,
  mcpDefinitionOf,
  mcpTitleOf,
} from '@tallyhand/contracts/features/tools/mcp-definition';
import type { McpOffer, OfferedMcpTool } from '@tallyhand/contracts/features/tools/tools.endpoints';
import type { McpTool, ToolConfig } from '@tallyhand/contracts/features/tools/tools.fields';
import { pathOf } from '@tallyhand/contracts/kernel/endpoint';
import { localServerIn } from '@tallyhand/contracts/kernel/local-mcp-server';
import { localServersFor } from '@tallyhand/service-kit/local-mcp-servers';
import { LRUCache } from 'lru-cache';
import type { CommandSettings, Kit } from '../../kit/app.ts';
import { outboundPolicyOf } from '../../kit/outbound.ts';
import { keepImage, readPng } from '../../kit/stored-content.ts';

/** How much work may have open sessions at once. */
const WORKS_MAX = 5_000;
const PICTURE_BYTES_MAX = 2_000_000;

type McpCall = {
  readonly organizationId: string;
  readonly workId: string;
  readonly tool: McpTool;
  readonly args: Readonly<Record<string, unknown>>;
};

/** The sessions with MCP servers that running work has. */
export class McpServers {
  readonly #kit: Pick<Kit, 'settings' | 'pool'>;
  readonly #policy: OutboundPolicy;
  readonly #works = new LRUCache<string, Map<string, Promise<McpSession>>>({
    max: WORKS_MAX,
    dispose: (sessions) => {
      for (const session of sessions.values()) end(session);
    },
  });

  constructor(kit: Pick<Kit, 'settings' | 'pool'>) {
    this.#kit = kit;
    this.#policy = outboundPolicyOf(kit.settings);
  }

  /** Calls a tool in the work's session with its server. Rejects as McpSession does. */
  async call(
    server: McpServer & { readonly id: string },
    { organizationId, workId, tool, args }: McpCall,
    signal: AbortSignal,
  ): Promise<McpResult> {
    const asked = { name: tool.name, text: tool.definition };
    const keep = (picture: McpPicture) => this.#keep(organizationId, picture);
    const { config } = server;
    const program = programFor(this.#kit.settings, organizationId, config);
    const started = { ...server, program };
    const session = await this.#session(started, workId, signal);
    try {
      return await session.call(asked, args, signal, keep);
    } catch (error) {
      // It has not run the call that it could not assign.
      if (!(error instanceof McpForgotten)) throw error;
      this.#works.get(workId)?.delete(server.id);
      const next = await this.#session(started, workId, signal);
      return next.call(asked, args, signal, keep);
    }
  }

  /** Ends the work's sessions in the background. */
  close(workId: string): void {
    this.#works.delete(workId);
  }

  async #session(
    server: McpServer & { readonly id: string },
    workId: string,
    signal: AbortSignal,
  ): Promise<McpSession> {
    const sessions = this.#works.get(workId) ?? new Map<string, Promise<McpSession>>();
    this.#works.set(workId, sessions);
    const opened = sessions.get(server.id) ?? openSession(server, this.#policy, signal);
    sessions.set(server.id, opened);
    try {
      return await opened;
    } catch (error) {
      if (sessions.get(server.id) === opened) sessions.delete(server.id);
      throw error;
    }
  }

  async #keep(organizationId: string, { data }: McpPicture): Promise<string | null> {
    if (data.length > PICTURE_BYTES_MAX) return null;
    const picture = readPng(data);
    if (!picture) return null;
    return pathOf(getImage, { hash: await keepImage(this.#kit.pool, organizationId, picture) });
  }
}

/**
 * The program of a server that the operator has set up on this machine. Throws ToolCallRefused for
 * one that the organization may not use.
 */
export function programFor(
  { localMcpServers = {} }: Pick<CommandSettings, 'localMcpServers'>,
  organizationId: string,
  { baseUrl }: Pick<ToolConfig, 'baseUrl'>,
): McpProgram | undefined {
  const name = localServerIn(baseUrl);
  if (name === null) return undefined;
  const isAllowed = localServersFor(localMcpServers, organizationId).includes(name);
  const program = isAllowed ? localMcpServers[name] : undefined;
  if (program) return program;
  throw new ToolCallRefused('The operator no longer offers this MCP server.');
}

/** Loads the client of MCP with the first session: many installations have none. */
const openSession: (typeof McpSession)['open'] = async (...server) => {
  const { McpSession } = await import('@tallyhand/agent-runtime/mcp/mcp-session');
  return McpSession.open(...server);
};

function end(session: Promise<McpSession>): void {
  session.then((opened) => opened[Symbol.asyncDispose]()).catch(() => undefined);
}

/** The enabled tools of an MCP server, as agents see them. */
export function mcpOperationsOf({ mcpTools = [] }: ToolConfig) {
  return mcpTools.flatMap((tool) => {
    const definition = tool.enabled ? mcpDefinitionOf(tool.definition) : undefined;
    if (!definition) return [];
    const { $schema: _, ...parameters } = definition.inputSchema;
    const name = tool.alias ?? tool.name;
    const title = mcpTitleOf(definition);
    const description = [title === name ? '' : title, definition.description ?? '']
      .filter((text) => text !== '')
      .join(': ');
    return [{ name, description, parameters, isRead: isMcpRead(definition), tool }];
  });
}

/** What the server offers now, beside what the config has of it. */
export async function offerOf(
  server: McpServer & { readonly config: ToolConfig },
  {
    policy,
    settings,
    organizationId,
  }: {
    readonly policy: OutboundPolicy;
    readonly settings: Pick<CommandSettings, 'localMcpServers'>;
    readonly organizationId: string;
  },
  signal: AbortSignal,
): Promise<McpOffer> {
  const started = Date.now();
  try {
    const program = programFor(settings, organizationId, server.config);
    await using session = await openSession({ ...server, program }, policy, signal);
    const listed = await session.tools(signal);
    const tools = offeredTools(listed, server.config.mcpTools ?? []);
    const executionTimeMs = Date.now() - started;
    return { success: true, error: null, server: session.server, tools, executionTimeMs };
  } catch (error) {
    if (!KNOWN.some((kind) => error instanceof kind)) throw error;
    return { ...notOffered((error as Error).message), executionTimeMs: Date.now() - started };
  }
}

const KNOWN = [ToolCallRefused, OutboundRefused, OutboundFailed, McpFailed];

export const notOffered = (error: string): McpOffer => ({
  success: false,
  error,
  server: null,
  tools: [],
  executionTimeMs: 0,
});

function offeredTools(listed: readonly ListedTool[], kept: readonly McpTool[]): OfferedMcpTool[] {
  const offered = listed.map(({ text, definition }) => {
    const before = kept.find(({ name }) => name === definition.name);
    const isSame = before?.definition === text;
    return toolOf(text, before ? (isSame ? 'same' : 'changed') : 'new');
  });
  const gone = kept
    .filter(({ name }) => !listed.some(({ definition }) => definition.name === name))
    .map(({ definition }) => toolOf(definition, 'gone'));
  return [...offered, ...gone].filter((tool) => tool !== undefined);
}

function toolOf(text: string, state: OfferedMcpTool['state']): OfferedMcpTool | undefined {
  const definition = mcpDefinitionOf(text);
  if (!definition) return undefined;
  const { name, description = '' } = definition;
  const isRead = isMcpRead(definition);
  return { name, title: mcpTitleOf(definition), description, definition: text, isRead, state };
}
