import { z } from 'zod';
import { changeOf } from '../../kernel/changes.ts';
import { INVALID_URL, isHttpUrl, URL_LENGTH_MAX, URL_TOO_LONG } from '../../kernel/http-url.ts';
import { localServerIn } from '../../kernel/local-mcp-server.ts';
import { originOfHost, shortHost } from './allowed-hosts.ts';
import {
  MCP_DEFINITION_MAX,
  MCP_DEFINITIONS_MAX,
  MCP_NAME_MAX,
  MCP_TOOLS_MAX,
  mcpDefinitionOf,
} from './mcp-definition.ts';
import { ToolPolicies } from './tool-policy.ts';

export const TOOL_TYPES = ['browser', 'api', 'custom', 'mcp'] as const;
export const AUTH_TYPES = ['none', 'apikey', 'bearer', 'basic', 'oauth'] as const;
export const SCRIPT_MAX = 64_000;
export const OPENAPI_MAX = 200_000;
export const ALLOWED_HOSTS_MAX = 20;
const EXTRAS_MAX = 50;
const SECRET_MAX = 4_000;

const BaseUrl = z
  .string({ error: INVALID_URL })
  .trim()
  .max(URL_LENGTH_MAX, URL_TOO_LONG)
  .refine((url) => url === '' || isHttpUrl(url) || localServerIn(url) !== null, INVALID_URL);

/** For `api` and `mcp` headers, for `custom` the `script`, for `browser` the `startUrl`. Never secret. */
const Extras = z
  .record(
    z.string().trim().min(1, 'A name is required').max(200, 'A name can have up to 200 characters'),
    z.string('Must be a text').max(SCRIPT_MAX, `At most ${SCRIPT_MAX} characters`),
    { error: 'Extras must be names with texts' },
  )
  .refine((extras) => Object.keys(extras).length <= EXTRAS_MAX, `At most ${EXTRAS_MAX} extras`);

/** The hosts that may receive a script's secrets; https unless `http://` is written. */
export const AllowedHosts = z
  .array(
    z
      .string('A host must be a text')
      .trim()
      .max(300, 'A host can have up to 300 characters')
      .refine(
        (host) => originOfHost(host) !== null,
        'Must be a host, such as api.example.com or http://10.1.2.3:8080',
      )
      .overwrite(shortHost),
    { error: 'allowedHosts must be a list of hosts' },
  )
  .max(ALLOWED_HOSTS_MAX, `At most ${ALLOWED_HOSTS_MAX} hosts`);

const McpName = z
  .string('A name must be a text')
  .min(1, 'A name is required')
  .max(MCP_NAME_MAX, `A name can have up to ${MCP_NAME_MAX} characters`);

/**
 * A tool of an MCP server. Agents use it while it is enabled and the server still describes it in
 * the same words.
 */
export const McpTool = z
  .strictObject(
    {
      name: McpName,
      /** As `connectTool` returns it. */
      definition: z
        .string('The definition must be a text')
        .max(MCP_DEFINITION_MAX, `A definition can have up to ${MCP_DEFINITION_MAX} characters`),
      enabled: z.boolean('enabled must be true or false').default(false),
      /** The name that agents see instead of the server's. */
      alias: z
        .string('The alias must be a text')
        .trim()
        .regex(/^[\w-]{1,64}$/, 'Use up to 64 letters, digits, _ and -')
        .optional(),
    },
    { error: 'A tool must be an object with its name and definition' },
  )
  .refine(({ name, definition }) => mcpDefinitionOf(definition)?.name === name, {
    path: ['definition'],
    error: 'Must be the definition of this tool, as the server gave it',
  });
export type McpTool = z.infer<typeof McpTool>;

const McpTools = z
  .array(McpTool, { error: 'mcpTools must be a list of tools' })
  .max(MCP_TOOLS_MAX, `At most ${MCP_TOOLS_MAX} tools`)
  .refine(
    (tools) => tools.reduce((sum, tool) => sum + tool.definition.length, 0) <= MCP_DEFINITIONS_MAX,
    `All definitions together can have up to ${MCP_DEFINITIONS_MAX} characters`,
  )
  .superRefine((tools, context) => {
    const names = new Set<string>();
    const seen = new Set<string>();
    for (const [index, { name, alias }] of tools.entries()) {
      const shown = alias ?? name;
      if (names.has(name) || seen.has(shown)) {
        const path = [index, names.has(name) ? 'name' : 'alias'];
        context.addIssue({ code: 'custom', path, message: 'This name is already in use' });
      }
      names.add(name);
      seen.add(shown);
    }
  });

export const ToolConfig = z.strictObject(
  {
    baseUrl: BaseUrl.default(''),
    authType: z
      .enum(AUTH_TYPES, { error: `authType must be one of ${AUTH_TYPES.join(', ')}` })
      .default('none'),
    extras: Extras.default({}),
    /**
     * An OpenAPI document as JSON or YAML, or its address; stored as JSON. Its operations become
     * the tool's operations.
     */
    openapi: z
      .string('The OpenAPI document must be a text')
      .max(OPENAPI_MAX, `The OpenAPI document can have up to ${OPENAPI_MAX} characters`)
      .optional(),
    /** For `custom`: required if the tool has credentials. */
    allowedHosts: AllowedHosts.optional(),
    /** For `mcp`: the server's tools, of which agents use those that are enabled. */
    mcpTools: McpTools.optional(),
  },
  { error: 'The config must be an object' },
);
export type ToolConfig = z.infer<typeof ToolConfig>;

/** The fields of credentials by type of authentication; for `custom` tools any names. */
export const CREDENTIAL_FIELDS: Readonly<Record<(typeof AUTH_TYPES)[number], readonly string[]>> = {
  none: [],
  apikey: ['apiKey'],
  bearer: ['token'],
  basic: ['username', 'password'],
  oauth: [],
};

/** Of a client that was registered by hand, for `oauth`. Without them a client is registered. */
export const OAUTH_CLIENT_FIELDS = ['clientId', 'clientSecret'] as const;
/** The names of what a sign-in has stored, for `oauth`. */
export const OAUTH_TOKEN_NAMES = ['accessToken', 'refreshToken'] as const;

/** Write-only: never returned. */
export const AuthCredentials = z
  .record(
    z
      .string()
      .trim()
      .regex(/^\w{1,100}$/, 'Use only letters, digits and _'),
    z
      .string('Must be a text')
      .min(1, 'Must not be empty')
      .max(SECRET_MAX, `At most ${SECRET_MAX} characters`),
    { error: 'Credentials must be names with texts' },
  )
  .refine((all) => Object.keys(all).length <= 20, 'At most 20 credentials');

/**
 * Why credentials were dropped: a change, a restored version, an upgrade of the product, or, for
 * `oauth`, the authorization server no longer accepts them.
 */
export const DROP_REASONS = ['changed', 'restored', 'upgraded', 'refused'] as const;

const fields = {
  name: z
    .string({ error: 'Tool name must be at least 2 characters' })
    .trim()
    .min(2, 'Tool name must be at least 2 characters')
    .max(200, 'Tool name must be at most 200 characters'),
  description: z
    .string({ error: 'Description must be at least 10 characters' })
    .trim()
    .min(10, 'Description must be at least 10 characters')
    .max(4000, 'Description must be at most 4000 characters'),
  type: z.enum(TOOL_TYPES, { error: `type must be one of ${TOOL_TYPES.join(', ')}` }),
  config: ToolConfig,
  /** Whether calls run, wait for a person or are refused. Only Admins can allow more. */
  policies: ToolPolicies,
};

export const ToolInput = z.strictObject({
  ...fields,
  type: fields.type.default('api'),
  config: fields.config.default({ baseUrl: '', authType: 'none', extras: {} }),
  /** By default calls that may change something wait for a person, except those of browser tools. */
  policies: ToolPolicies.optional(),
  authCredentials: AuthCredentials.default({}),
});
export type ToolInput = z.infer<typeof ToolInput>;

/**
 * Fields that are not sent stay unchanged; sent credentials replace the stored ones. A change of
 * the binding removes credentials that are not sent again with it.
 */
export const ToolChange = changeOf({ ...fields, authCredentials: AuthCredentials });
export type ToolChange = z.infer<typeof ToolChange>;
