import {
  type CallToolResult,
  ProtocolError,
  ProtocolErrorCode,
  ResourceNotFoundError,
  Server,
  type ServerContext,
} from '@modelcontextprotocol/server';
import {
  getArticle,
  listArticles,
} from '@tallyhand/contracts/features/knowledge/knowledge.endpoints';
import {
  getPlaybook,
  listPlaybooks,
} from '@tallyhand/contracts/features/playbooks/playbooks.endpoints';
import { executeTask } from '@tallyhand/contracts/features/tasks/tasks.endpoints';
import { IDEMPOTENCY_KEY_LENGTH_MAX } from '@tallyhand/contracts/kernel/endpoint';
import { InternalFault, ValidationFailed } from '@tallyhand/contracts/kernel/problem';
import type { Role } from '@tallyhand/contracts/kernel/role';
import { problemOf, RefusalError } from '@tallyhand/service-kit/http/problem';
import { z } from 'zod';
import manifest from '../../../package.json' with { type: 'json' };
import { agentOfTool, listAgentTools, runAgentTool } from './agent-tools.ts';
import { FIXED_TOOLS } from './fixed-tools.ts';
import { SERVER_ERROR } from './mcp-http.ts';
import { idIn } from './names.ts';
import { isRefused, type ProductApi, type Refused } from './product-api.ts';
import {
  ARTICLE_TEMPLATE,
  articleIdIn,
  MARKDOWN,
  promptOf,
  promptText,
  resourceOf,
} from './resources.ts';
import { mayMakeAll, type Outcome, type ToolCall } from './tool.ts';

/** In `_meta` of a tool call: like the header Idempotency-Key. */
export const IDEMPOTENCY_META = 'tallyhand/idempotency-key';
/** In `_meta` of a result with `isError`: the problem, as the API would answer it. */
export const PROBLEM_META = 'tallyhand/problem';

const PAGE_LENGTH = 100;
/** Clients that reset their time-out with each progress wait as long as a task works. */
const PROGRESS_EVERY_MS = 10_000;

const Key = z.string().min(1).max(IDEMPOTENCY_KEY_LENGTH_MAX);

/** What a server needs for one HTTP request. */
export type McpContext = {
  readonly role: Role;
  readonly api: ProductApi;
  readonly publicUrl: string;
  readonly correlationId: string;
  /** The header Idempotency-Key; refused for a batch, where it could belong to any call. */
  readonly headerKey: string | undefined;
  readonly isBatch: boolean;
  /** Aborted when the client cancels this call. */
  cancellationOf(context: ServerContext): Disposable & { readonly signal: AbortSignal };
  /** Logs what the client is not told. */
  readonly logFault: (error: unknown) => void;
};

/** Agents as tools, articles as resources, playbooks as prompts: those that the key may read. */
export function mcpServer(context: McpContext): Server {
  const { role, api, publicUrl } = context;
  const server = new Server(
    {
      name: 'tallyhand',
      title: 'Tallyhand',
      version: manifest.version,
      websiteUrl: publicUrl,
    },
    {
      capabilities: { tools: {}, resources: {}, prompts: {} },
      instructions:
        'Each tool named ask_… is an agent of this organization, with its own knowledge and tools. Agents and sessions cost credits when they succeed; everything else is free. Articles of the knowledge base are resources, playbooks are prompts.',
    },
  );

  server.setRequestHandler('tools/list', ({ params }) =>
    guarded(context, async () => {
      const cursor = params?.cursor;
      const fixed = FIXED_TOOLS.filter(({ calls }) => mayMakeAll(role, calls));
      const first = cursor === undefined ? fixed.map(({ shown }) => shown) : [];
      if (!mayMakeAll(role, [executeTask])) return { tools: first };
      const agents = accepted(await listAgentTools(api, cursor));
      return { tools: [...first, ...agents.tools], nextCursor: agents.nextCursor };
    }),
  );

  server.setRequestHandler('tools/call', ({ params }, call) =>
    guarded(context, () => callTool(context, params, call)),
  );

  server.setRequestHandler('resources/list', ({ params }) =>
    guarded(context, async () => {
      const query = { limit: PAGE_LENGTH, cursor: params?.cursor };
      const { body, nextCursor } = accepted(await api.read(listArticles, { query }));
      return { resources: body.map(resourceOf), nextCursor };
    }),
  );

  server.setRequestHandler('resources/templates/list', () => ({
    resourceTemplates: [ARTICLE_TEMPLATE],
  }));

  server.setRequestHandler('resources/read', ({ params: { uri } }) =>
    guarded(context, async () => {
      const id = articleIdIn(uri);
      const article = id ? await api.read(getArticle, { params: { id } }) : null;
      const isMissing = !article || (isRefused(article) && article.problem.status === 404);
      if (isMissing) throw new ResourceNotFoundError(uri);
      const { title, content } = accepted(article).body;
      return { contents: [{ uri, mimeType: MARKDOWN, text: `# ${title}\n\n${content}` }] };
    }),
  );

  server.setRequestHandler('prompts/list', ({ params }) =>
    guarded(context, async () => {
      const query = { limit: PAGE_LENGTH, cursor: params?.cursor };
      const { body, nextCursor } = accepted(await api.read(listPlaybooks, { query }));
      return { prompts: body.map(promptOf), nextCursor };
    }),
  );

  server.setRequestHandler('prompts/get', ({ params }) =>
    guarded(context, async () => {
      const id = idIn(params.name);
      const playbook = id ? await api.read(getPlaybook, { params: { id } }) : null;
      const isMissing = !playbook || (isRefused(playbook) && playbook.problem.status === 404);
      if (isMissing) throw invalid(`There is no prompt ${params.name}.`);
      return promptText(accepted(playbook).body, params.arguments?.input);
    }),
  );
  return server;
}

type CallParams = {
  readonly name: string;
  readonly arguments?: Record<string, unknown> | undefined;
};

async function callTool(
  context: McpContext,
  { name, arguments: given }: CallParams,
  call: ServerContext,
): Promise<CallToolResult> {
  using cancellation = context.cancellationOf(call);
  using progress = new Progress(call);
  const toolCall: ToolCall = {
    api: context.api,
    idempotencyKey: keyOf(context, call),
    progress: (message) => progress.report(message),
    cancelled: cancellation.signal,
  };
  const fixed = FIXED_TOOLS.find(({ shown }) => shown.name === name);
  const agentId = agentOfTool(name);
  const outcome = fixed
    ? await fixed.run(given, toolCall)
    : agentId && (await runAgentTool(agentId, given, toolCall));
  if (!outcome) throw invalid(`There is no tool ${name}.`);
  if (outcome instanceof z.ZodError) return resultOf(invalidInput(outcome, context));
  return resultOf(outcome);
}

function resultOf(outcome: Outcome<object>): CallToolResult {
  const structured = outcome.structured && {
    structuredContent: outcome.structured as Record<string, unknown>,
  };
  if (!outcome.problem) {
    return { content: [{ type: 'text', text: outcome.text }], ...structured };
  }
  const { problem } = outcome;
  return {
    isError: true,
    content: [{ type: 'text', text: `${problem.detail} (${problem.code})` }],
    ...structured,
    _meta: { [PROBLEM_META]: problem },
  };
}

function invalidInput({ issues }: z.ZodError, { correlationId }: McpContext): Outcome<object> {
  const errors = issues.map(({ path, message }) => ({ path: path.join('.'), message }));
  const summary = errors
    .map(({ path, message }) => (path ? `${path}: ${message}` : message))
    .join('. ');
  return {
    problem: problemOf(ValidationFailed({ summary: `${summary}.` }, errors), correlationId),
  };
}

/** The key of `_meta`, otherwise that of the header. */
function keyOf(
  { headerKey, isBatch }: McpContext,
  { mcpReq: { _meta } }: ServerContext,
): string | undefined {
  const own = _meta?.[IDEMPOTENCY_META];
  if (own !== undefined) {
    const { data } = Key.safeParse(own);
    if (data) return data;
    throw invalid(
      `_meta.${IDEMPOTENCY_META} must have 1 to ${IDEMPOTENCY_KEY_LENGTH_MAX} characters.`,
    );
  }
  if (headerKey !== undefined && isBatch) {
    throw invalid(`In a batch, send _meta.${IDEMPOTENCY_META} instead of Idempotency-Key.`);
  }
  return headerKey;
}

/** Progress notifications of a call, and one from time to time while nothing happens. */
class Progress {
  readonly #call: ServerContext;
  readonly #timer: NodeJS.Timeout | undefined;
  readonly #startedAt = Date.now();
  #count = 0;

  constructor(call: ServerContext) {
    this.#call = call;
    if (call.mcpReq._meta?.progressToken === undefined) return;
    this.#timer = setInterval(() => {
      const seconds = Math.round((Date.now() - this.#startedAt) / 1000);
      this.report(`Working for ${seconds} seconds`);
    }, PROGRESS_EVERY_MS);
  }

  report(message: string) {
    const progressToken = this.#call.mcpReq._meta?.progressToken;
    if (progressToken === undefined) return;
    this.#count += 1;
    const params = { progressToken, progress: this.#count, message };
    // The client may have left, while the task goes on.
    this.#call.mcpReq.notify({ method: 'notifications/progress', params }).catch(() => {});
  }

  [Symbol.dispose]() {
    clearInterval(this.#timer);
  }
}

const invalid = (message: string) => new ProtocolError(ProtocolErrorCode.InvalidParams, message);

/** The answer of a read; a problem becomes an error of the protocol. */
function accepted<A extends object>(answer: A | Refused): A {
  if (!isRefused(answer)) return answer;
  const { status, detail } = answer.problem;
  const isOfClient = status === 400 || status === 404 || status === 422;
  const code = isOfClient ? ProtocolErrorCode.InvalidParams : SERVER_ERROR;
  throw new ProtocolError(code, detail, { problem: answer.problem });
}

/** Faults are logged, and answered without detail. */
async function guarded<A>({ logFault }: McpContext, work: () => Promise<A>): Promise<A> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof ProtocolError) throw error;
    if (error instanceof RefusalError) throw new ProtocolError(SERVER_ERROR, error.refusal.detail);
    logFault(error);
    throw new ProtocolError(ProtocolErrorCode.InternalError, InternalFault({}).detail);
  }
}
