import { z } from 'zod';
import { AGENT_MANAGERS, HISTORY_READERS, PUBLIC } from '../../kernel/access.ts';
import { endpoint } from '../../kernel/endpoint.ts';
import { Id, Instant } from '../../kernel/ids.ts';
import { OneOf, YesOrNo } from '../../kernel/lists.ts';
import { OrganizationQueueFull, ServerQueueFull } from '../../kernel/problem.ts';
import { versionedCalls } from '../../kernel/versioned-object.ts';
import { ToolPolicies } from './tool-policy.ts';
import { AUTH_TYPES, DROP_REASONS, TOOL_TYPES, ToolChange, ToolInput } from './tools.fields.ts';
import { DefinitionsNeedAdmin, PoliciesNeedAdmin, ToolSignInFailed } from './tools.refusals.ts';

export const Tool = z.object({
  id: Id,
  name: z.string(),
  description: z.string(),
  type: z.enum(TOOL_TYPES),
  config: z.object({
    baseUrl: z.string(),
    authType: z.enum(AUTH_TYPES),
    extras: z.record(z.string(), z.string()),
    openapi: z.string().optional(),
    allowedHosts: z.array(z.string()).optional(),
    mcpTools: z
      .array(
        z.object({
          name: z.string(),
          definition: z.string(),
          enabled: z.boolean(),
          alias: z.string().optional(),
        }),
      )
      .optional(),
  }),
  /** Null for a tool that was created before policies existed: all calls are allowed. */
  policies: ToolPolicies.nullable(),
  /** The names of the stored credentials; values are never returned. */
  credentialNames: z.array(z.string()),
  /**
   * Set if the credentials were removed because the tool's binding changed, or because they were refused
   * (`oauth`). The tool refuses to run until they are entered again; `names` lists those that it had.
   */
  credentialsRequired: z
    .object({ reason: z.enum(DROP_REASONS), names: z.array(z.string()) })
    .nullable(),
  version: z.int(),
  createdAt: Instant,
  updatedAt: Instant,
});
export type Tool = z.infer<typeof Tool>;

/** A tool's answer, secrets masked. */
export const ToolTestResult = z.object({
  success: z.boolean(),
  /** The tool's answer as text, truncated to 20,000 characters. */
  output: z.string().nullable(),
  error: z.string().nullable(),
  /** For `api` tools. */
  status: z.int().nullable(),
  executionTimeMs: z.int(),
});
export type ToolTestResult = z.infer<typeof ToolTestResult>;

/** A tool that an MCP server offers now, or that the tool's config has of it. */
export const OfferedMcpTool = z.object({
  name: z.string(),
  title: z.string(),
  description: z.string(),
  /** What to put into `config.mcpTools`; what the config has, if the server no longer offers it. */
  definition: z.string(),
  /** Whether the server says that the tool changes nothing. */
  isRead: z.boolean(),
  /**
   * `new`: not in the config. `same`: as in the config. `changed`: agents can't use it until its new
   * definition is in the config. `gone`: no longer offered.
   */
  state: z.enum(['new', 'same', 'changed', 'gone']),
});
export type OfferedMcpTool = z.infer<typeof OfferedMcpTool>;

/** What an MCP server offers. */
export const McpOffer = z.object({
  success: z.boolean(),
  error: z.string().nullable(),
  server: z.object({ name: z.string(), version: z.string() }).nullable(),
  tools: z.array(OfferedMcpTool),
  executionTimeMs: z.int(),
});
export type McpOffer = z.infer<typeof McpOffer>;

/** Selects tools; all given conditions must match. */
export const ToolFilter = {
  type: OneOf('type', TOOL_TYPES).optional(),
  host: z
    .string()
    .trim()
    .min(1, 'host must not be empty')
    .max(300, 'host must be at most 300 characters')
    .meta({
      description:
        'The host of the base URL, the start address or one of the allowed hosts, with or without its port.',
    })
    .optional(),
  needsCredentials: YesOrNo('needsCredentials')
    .meta({ description: 'Whether credentials must be entered again before the tool runs.' })
    .optional(),
};

const toolExample: Tool = {
  id: '0193a1b2-0000-7000-8000-000000000001',
  name: 'Orders',
  description: 'Looks orders up in the shop',
  type: 'api',
  config: {
    extras: {},
    baseUrl: 'https://shop.example.com/api',
    authType: 'bearer',
  },
  policies: { changes: 'ask', operations: { createOrder: 'never' } },
  credentialNames: ['token'],
  credentialsRequired: null,
  version: 1,
  createdAt: '2027-01-31T09:30:00.000Z',
  updatedAt: '2027-01-31T09:30:00.000Z',
};

export const toolCalls = versionedCalls({
  noun: 'Tool',
  feature: 'tools',
  path: '/api/tools',
  answer: Tool,
  answerExample: toolExample,
  searched: 'the name or description',
  filters: ToolFilter,
  readers: HISTORY_READERS,
  editors: AGENT_MANAGERS,
  create: {
    description: 'Returns the new tool. Its credentials are stored encrypted and never returned.',
    body: ToolInput,
    example: {
      name: 'Orders',
      description: 'Looks orders up in the shop',
      type: 'api',
      config: { baseUrl: 'https://shop.example.com/api', authType: 'bearer' },
      authCredentials: { token: 'a-token-of-the-shop' },
    },
  },
  change: {
    description:
      'Changes the fields that are sent. Its version grows by one. A change of where its credentials are sent (type, base URL, kind of access, place of the key, script, allowed hosts) deletes them unless they are sent again: see `credentialsRequired`. Only an Admin can let calls that may change something run without approval, change such a tool, or accept the changed description of an MCP tool.',
    body: ToolChange,
    example: { description: 'Looks up orders and returns in the shop' },
  },
  deleteNote: 'Agents no longer use it.',
  restoreNote:
    'Credentials are deleted if that version sends them elsewhere: see `credentialsRequired`. The policies stay.',
  refusals: [DefinitionsNeedAdmin, PoliciesNeedAdmin],
});
export const {
  list: listTools,
  get: getTool,
  create: createTool,
  change: changeTool,
  remove: deleteTool,
  restore: restoreTool,
  history: getToolHistory,
} = toolCalls;
export const testTool = endpoint({
  name: 'testTool',
  method: 'POST',
  path: '/api/tools/{id}/test',
  access: AGENT_MANAGERS,
  feature: 'tools',
  summary: 'Test a tool',
  description: 'Runs the tool and returns its real answer. Costs no credits.',
  params: z.strictObject({ id: Id }),
  body: z.strictObject({
    input: z
      .string({ error: 'Input must be a text' })
      .max(32_000, 'Input must be at most 32000 characters')
      .default(''),
  }),
  example: { input: 'GET /orders/7' },
  status: 200,
  answer: ToolTestResult,
  answerExample: {
    success: true,
    output: '{"order":7,"state":"sent"}',
    error: null,
    status: 200,
    executionTimeMs: 84,
  },
  refusals: [OrganizationQueueFull, ServerQueueFull],
});
export const connectTool = endpoint({
  name: 'connectTool',
  method: 'POST',
  path: '/api/tools/{id}/connect',
  access: AGENT_MANAGERS,
  feature: 'tools',
  summary: 'Connect to an MCP server',
  description:
    'Lists the tools of the MCP server of a tool of the type `mcp`, and how each differs from the one in its config. Changes nothing: put the tools that agents can use into `config.mcpTools`. Costs no credits.',
  params: z.strictObject({ id: Id }),
  status: 200,
  answer: McpOffer,
  answerExample: {
    success: true,
    error: null,
    server: { name: 'shop', version: '2.1.0' },
    tools: [
      {
        name: 'find_order',
        title: 'Find an order',
        description: 'Finds an order by its number.',
        definition: '{"inputSchema":{"type":"object"},"name":"find_order"}',
        isRead: true,
        state: 'new',
      },
    ],
    executionTimeMs: 142,
  },
  refusals: [],
});

/** Where the browser goes to sign in. */
export const ToolAuthorization = z.object({
  /** The authorization page. It leads back to `/tools/signed-in`. */
  authorizationUrl: z.string(),
  /**
   * The authorization server, which gets the secret of a client that was registered by hand. The MCP server
   * has named it: let the member confirm its host.
   */
  issuer: z.string(),
});
export type ToolAuthorization = z.infer<typeof ToolAuthorization>;

const Returned = z
  .string('Must be a text')
  .max(8_000, 'Must be at most 8000 characters')
  .optional();

/** What the authorization page has added to the address that it leads back to. */
export const SignInAnswer = z.strictObject({
  state: z
    .string('Must be a text')
    .min(1, 'Must be the state of a sign-in')
    .max(200, 'Must be at most 200 characters'),
  code: Returned,
  /** The issuer (RFC 9207). */
  iss: Returned,
  error: Returned,
});
export type SignInAnswer = z.infer<typeof SignInAnswer>;

export const authorizeTool = endpoint({
  name: 'authorizeTool',
  method: 'POST',
  path: '/api/tools/{id}/authorize',
  access: AGENT_MANAGERS,
  feature: 'tools',
  summary: 'Begin to sign in at an MCP server',
  description:
    'For a tool of the type `mcp` with `oauth`. Finds the authorization server, registers a client there if needed, and returns the address of the authorization page. The page leads back to `/tools/signed-in` within ten minutes, for the same member.',
  params: z.strictObject({ id: Id }),
  status: 200,
  answer: ToolAuthorization,
  answerExample: {
    authorizationUrl:
      'https://auth.example.com/authorize?response_type=code&client_id=tallyhand&state=kV3oF0v2',
    issuer: 'https://auth.example.com',
  },
  refusals: [ToolSignInFailed],
});
export const authorizedTool = endpoint({
  name: 'authorizedTool',
  method: 'POST',
  path: '/api/tools/authorized',
  access: AGENT_MANAGERS,
  feature: 'tools',
  summary: 'Complete a sign-in at an MCP server',
  description:
    'Takes what the authorization page has added to the address `/tools/signed-in`, and stores the tokens encrypted. Returns the tool, whose version grows by one. Only the member who began the sign-in can complete it, and only once.',
  body: SignInAnswer,
  example: { state: 'kV3oF0v2…', code: 'a-code-of-the-authorization-server' },
  status: 200,
  answer: Tool,
  answerExample: toolExample,
  refusals: [ToolSignInFailed, PoliciesNeedAdmin],
});

/** A client as authorization servers read it. */
export const OAuthClient = z.object({
  client_id: z.string(),
  client_name: z.string(),
  redirect_uris: z.array(z.string()),
  grant_types: z.array(z.string()),
  response_types: z.array(z.string()),
  token_endpoint_auth_method: z.string(),
});

export const getOAuthClient = endpoint({
  name: 'getOAuthClient',
  method: 'GET',
  path: '/api/oauth-client',
  access: PUBLIC,
  feature: 'tools',
  summary: 'Retrieve the OAuth client',
  description:
    'For authorization servers of MCP servers: what this installation is as a client. The address of this document is its `client_id`.',
  status: 200,
  answer: OAuthClient,
  answerExample: {
    client_id: 'https://tallyhand.example.com/api/oauth-client',
    client_name: 'Tallyhand',
    redirect_uris: ['https://tallyhand.example.com/tools/signed-in'],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: 'none',
  },
});
