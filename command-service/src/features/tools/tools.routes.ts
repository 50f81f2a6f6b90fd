import type { OutboundPolicy } from '@tallyhand/agent-runtime/guard/destination';
import { guardedFetch, type OutboundInit } from '@tallyhand/agent-runtime/guard/guarded-fetch';
import { OpenApiRefused } from '@tallyhand/agent-runtime/tools/openapi-schema';
import { readOpenApi } from '@tallyhand/agent-runtime/tools/openapi-source';
import { type BoundTool, needsCredentials } from '@tallyhand/contracts/features/tools/tool-binding';
import { defaultPolicies } from '@tallyhand/contracts/features/tools/tool-policy';
import {
  authorizedTool,
  authorizeTool,
  connectTool,
  type Tool,
  type ToolTestResult,
  testTool,
  toolCalls,
} from '@tallyhand/contracts/features/tools/tools.endpoints';
import {
  CREDENTIAL_FIELDS,
  OAUTH_CLIENT_FIELDS,
  OPENAPI_MAX,
  type ToolChange,
  type ToolConfig,
  type ToolInput,
} from '@tallyhand/contracts/features/tools/tools.fields';
import { isHttpUrl } from '@tallyhand/contracts/kernel/http-url';
import { localServerAddress, localServerIn } from '@tallyhand/contracts/kernel/local-mcp-server';
import { invalidField, NotFound, ValidationFailed } from '@tallyhand/contracts/kernel/problem';
import { isRefusal, type Refusal } from '@tallyhand/contracts/kernel/refusal';
import { localServersFor } from '@tallyhand/service-kit/local-mcp-servers';
import type { FastifyInstance } from 'fastify';
import type { Kit } from '../../kit/app.ts';
import { closeSignal } from '../../kit/caller.ts';
import { type CommandContext, idFor } from '../../kit/context.ts';
import { outboundPolicyOf } from '../../kit/outbound.ts';
import { route } from '../../kit/route.ts';
import type { Versioned } from '../../kit/versioned-object.decider.ts';
import {
  type Sender,
  type VersionedObjects,
  versionedRoutes,
} from '../../kit/versioned-objects.ts';
import { notOffered, offerOf } from './mcp-tool.ts';
import type { OpenTools } from './open-tools.ts';
import { runTool } from './run-tool.ts';
import {
  bindingOfFields,
  policiesRefused,
  type ToolCommand,
  type ToolFields,
} from './tool.decider.ts';
import { type Credentials, ToolCredentials } from './tool-credentials.ts';
import { ToolSignIns } from './tool-sign-ins.ts';
import { accessOf } from './tool-tokens.ts';

/** Tests call foreign servers. */
const TEST_LIMIT = { max: 30, timeWindow: '1 minute' };

export type Tools = VersionedObjects<ToolFields, ToolCommand>;

function view({ id, version, createdAt, updatedAt, fields }: Versioned<ToolFields>): Tool {
  const { name, description, toolType: type, config, policies = null, credentials } = fields;
  const { names, dropped = null } = credentials;
  return {
    id,
    name,
    description,
    type,
    config,
    policies,
    credentialNames: [...names],
    credentialsRequired: needsCredentials({ type, config }) ? dropped : null,
    version,
    createdAt,
    updatedAt,
  };
}

export function toolsRoutes(
  app: FastifyInstance,
  {
    kit,
    tools,
    openTools,
  }: { readonly kit: Kit; readonly tools: Tools; readonly openTools: OpenTools },
) {
  const vault = new ToolCredentials(kit);
  const policy = outboundPolicyOf(kit.settings);

  /** A server on this machine is for MCP tools of the organizations that the operator chose. */
  function localRefused({ type, config }: BoundTool, organizationId: string): Refusal | null {
    if (localServerIn(config.baseUrl) === null) return null;
    if (config.authType !== 'none') {
      return invalidField('config.authType', 'A server on this machine takes no credentials');
    }
    const offered = localServersFor(kit.settings.localMcpServers ?? {}, organizationId);
    if (type === 'mcp' && offered.map(localServerAddress).includes(config.baseUrl)) return null;
    const choices = type === 'mcp' ? offered.map(localServerAddress) : [];
    return invalidField(
      'config.baseUrl',
      ['Enter an http or https address', ...choices].join(' or '),
    );
  }

  async function create({ authCredentials, type: toolType, ...rest }: ToolInput, by: Sender) {
    const { organizationId, context } = by;
    const policies = rest.policies ?? defaultPolicies(toolType);
    const refused =
      lacking({ type: toolType, config: rest.config }, authCredentials) ??
      localRefused({ type: toolType, config: rest.config }, organizationId) ??
      signInRefused({ type: toolType, config: rest.config }) ??
      policiesRefused(by.role, { type: toolType, policies }, null);
    if (refused) return refused;
    const config = await readConfig(policy, rest.config);
    if (isRefusal(config)) return config;
    const toolId = idFor(context, 'tool');
    const credentials = named(context, authCredentials);
    const fields = { ...rest, config, policies, toolType, credentials };
    if (credentials.id) {
      await vault.keep({ organizationId, toolId, id: credentials.id }, authCredentials, fields);
    }
    return tools.create(toolId, fields, by);
  }

  async function change(toolId: string, body: ToolChange, by: Sender) {
    const { organizationId, context } = by;
    const { authCredentials } = body;
    const present = await tools.find(toolId, organizationId);
    const config = body.config && (await readConfig(policy, body.config, present?.fields.config));
    if (config && isRefusal(config)) return config;
    const changed = changedFields(context, body, config);
    // The decider refuses to change a tool that does not exist.
    if (!present) return tools.change(toolId, changed, by);
    const fields = { ...present.fields, ...changed };
    if (config || body.type) {
      // The operator may have removed the server of a tool that is only renamed.
      const next = { type: fields.toolType, config: fields.config };
      const refused = localRefused(next, organizationId) ?? signInRefused(next);
      if (refused) return refused;
    }
    const isOtherAccess = fields.config.authType !== present.fields.config.authType;
    if (authCredentials || isOtherAccess) {
      const refused = lacking({ type: fields.toolType, config: fields.config }, authCredentials);
      if (refused) return refused;
    }
    const { id } = fields.credentials;
    const answer =
      authCredentials && id
        ? await enter(by, { toolId, id }, authCredentials, fields, changed)
        : await tools.change(toolId, changed, by);
    const idBefore = present.fields.credentials.id;
    if (!isRefusal(answer) && answer.fields.credentials.id !== idBefore) {
      await vault.forgetReplaced(toolId);
    }
    return answer;
  }

  async function enter(
    { organizationId, role, context, ifMatch }: Sender,
    { toolId, id }: { readonly toolId: string; readonly id: string },
    credentials: Credentials,
    fields: ToolFields,
    change: Partial<ToolFields>,
  ) {
    await vault.keep({ organizationId, toolId, id }, credentials, fields);
    const enteredFor = bindingOfFields(fields);
    const data = { organizationId, role, ifMatch, change, enteredFor };
    const answer = await tools.send(toolId, { type: 'EnterCredentials', data }, context);
    if (isRefusal(answer)) await vault.forget(toolId, [id]);
    return answer;
  }

  versionedRoutes(app, kit, toolCalls, {
    objects: tools,
    create,
    change,
    restored: ({ id }) => vault.forgetReplaced(id),
    view,
  });

  const testing = { limit: TEST_LIMIT };
  route(app, kit, testTool, testing, async ({ caller, context, params, body, reply }) => {
    const tool = await tools.find(params.id, caller.organizationId);
    if (!tool) return NotFound({ what: 'tool' });
    const { toolType: type, config } = tool.fields;
    const { organizationId } = caller;
    const access = await accessOf(kit, { id: params.id, organizationId, fields: tool.fields });
    if (typeof access === 'string') return notRun(access);
    const runnable = { id: params.id, type, config, ...access };
    const work = { organizationId, workId: idFor(context, 'test') };
    const environment = { policy, scripts: kit.scripts, openTools, ...work };
    return runTool(runnable, body.input, environment, closeSignal(reply));
  });

  route(app, kit, connectTool, testing, async ({ caller, params, reply }) => {
    const tool = await tools.find(params.id, caller.organizationId);
    if (!tool) return NotFound({ what: 'tool' });
    const { toolType: type, config } = tool.fields;
    if (type !== 'mcp') return notOffered('This tool is not an MCP server.');
    const { organizationId } = caller;
    const access = await accessOf(kit, { id: params.id, organizationId, fields: tool.fields });
    if (typeof access === 'string') return notOffered(access);
    const { settings } = kit;
    const of = { policy, settings, organizationId };
    return offerOf({ config, ...access }, of, closeSignal(reply));
  });

  const signIns = new ToolSignIns(kit, tools);
  route(app, kit, authorizeTool, testing, ({ caller, context, params, reply }) =>
    signIns.begin(params.id, { caller, context, signal: closeSignal(reply) }),
  );
  route(app, kit, authorizedTool, testing, async ({ caller, context, body, reply }) => {
    const signal = closeSignal(reply);
    const tool = await signIns.complete(body, { caller, context, signal });
    return isRefusal(tool) ? tool : view(tool);
  });
}

const notRun = (error: string): ToolTestResult => ({
  success: false,
  output: null,
  error,
  status: null,
  executionTimeMs: 0,
});

/** Members sign in at MCP servers only, which have an address. */
function signInRefused({ type, config }: BoundTool): Refusal | null {
  if (config.authType !== 'oauth' || (type === 'mcp' && isHttpUrl(config.baseUrl))) return null;
  return invalidField(
    'config.authType',
    'OAuth is for MCP servers with an http or https address only',
  );
}

function changedFields(
  context: CommandContext,
  { authCredentials, type, config: _, ...rest }: ToolChange,
  config: ToolConfig | undefined,
): Partial<ToolFields> {
  return {
    ...rest,
    ...(config ? { config } : {}),
    ...(type ? { toolType: type } : {}),
    ...(authCredentials ? { credentials: named(context, authCredentials) } : {}),
  };
}

/** Credentials as events name them. They are stored in the vault first. */
function named(context: CommandContext, values: Credentials): ToolFields['credentials'] {
  const names = Object.keys(values).sort();
  return { id: names.length > 0 ? idFor(context, 'credentials') : null, names };
}

/** The OpenAPI document may be YAML or a URL. It is stored as JSON. */
async function readConfig(policy: OutboundPolicy, config: ToolConfig, present?: ToolConfig) {
  const { openapi = '' } = config;
  if (openapi.trim() === '' || openapi === present?.openapi) return config;
  try {
    const fetch = (url: string, init: OutboundInit) => guardedFetch(url, init, policy);
    return { ...config, openapi: await readOpenApi(openapi, fetch, OPENAPI_MAX) };
  } catch (error) {
    if (!(error instanceof OpenApiRefused)) throw error;
    const { message } = error;
    return ValidationFailed({ summary: message }, [{ path: 'config.openapi', message }]);
  }
}

/** Refuses missing credentials of the kind of access, and credentials without a host. */
function lacking({ type, config }: BoundTool, credentials: Credentials = {}) {
  const errors = CREDENTIAL_FIELDS[config.authType]
    .filter((name) => !Object.hasOwn(credentials, name))
    .map((name) => ({
      path: `authCredentials.${name}`,
      message: 'Required for this authentication type',
    }));
  const hasSecrets = Object.keys(credentials).length > 0;
  if (config.authType === 'oauth') errors.push(...clientErrors(credentials));
  if (type === 'custom' && hasSecrets && !config.allowedHosts?.length) {
    const message = 'Enter the hosts that the credentials can be sent to';
    errors.push({ path: 'config.allowedHosts', message });
  }
  const first = errors[0];
  return first && ValidationFailed({ summary: `${first.path}: ${first.message}.` }, errors);
}

/** Of a client that was registered by hand. Tokens are never entered. */
function clientErrors(credentials: Credentials) {
  const known: readonly string[] = OAUTH_CLIENT_FIELDS;
  const errors = Object.keys(credentials)
    .filter((name) => !known.includes(name))
    .map((name) => ({
      path: `authCredentials.${name}`,
      message: 'With OAuth, only clientId and clientSecret can be entered',
    }));
  if (Object.hasOwn(credentials, 'clientSecret') && !Object.hasOwn(credentials, 'clientId')) {
    errors.push({ path: 'authCredentials.clientId', message: 'Required with a client secret' });
  }
  return errors;
}
