import type { OutboundPolicy } from '@tallyhand/agent-runtime/guard/destination';
import { guardedFetch, type OutboundInit } from '@tallyhand/agent-runtime/guard/guarded-fetch';
import { OpenApiRefused } from '@tallyhand/agent-runtime/tools/openapi-schema';
import { readOpenApi } from '@tallyhand/agent-runtime/tools/openapi-source';
import { type BoundTool, needsCredentials } from '@tallyhand/contracts/features/tools/tool-binding';
import {
  changeTool,
  createTool,
  deleteTool,
  restoreTool,
  type Tool,
  type ToolTestResult,
  testTool,
} from '@tallyhand/contracts/features/tools/tools.endpoints';
import {
  CREDENTIAL_FIELDS,
  OPENAPI_MAX,
  type ToolChange,
  type ToolConfig,
} from '@tallyhand/contracts/features/tools/tools.fields';
import { NotFound, ValidationFailed } from '@tallyhand/contracts/kernel/problem';
import { isRefusal, type Refusal } from '@tallyhand/contracts/kernel/refusal';
import type { FastifyInstance } from 'fastify';
import type { Kit } from '../../kit/app.ts';
import { closeSignal } from '../../kit/close-signal.ts';
import { type CommandContext, idFor } from '../../kit/context.ts';
import type { Kept } from '../../kit/kept-decider.ts';
import { keptObjects } from '../../kit/kept-objects.ts';
import { outboundPolicyOf } from '../../kit/outbound.ts';
import { route } from '../../kit/route.ts';
import type { Browsers } from './browser-tool.ts';
import { CREDENTIALS_MISSING, runTool } from './run-tool.ts';
import { bindingOfFields, type ToolFields, toolDecider } from './tool.decider.ts';
import { type Credentials, toolCredentials } from './tool-credentials.ts';

/** Each calls an outside server. */
const TEST_LIMIT = { max: 30, timeWindow: '1 minute' };

type Answer = Kept<ToolFields> | Refusal;

function view(answer: Answer): Tool | Refusal {
  if (isRefusal(answer)) return answer;
  const { id, version, createdAt, fields } = answer;
  const { name, description, toolType: type, config, credentials } = fields;
  const { names, dropped = null } = credentials;
  return {
    id,
    name,
    description,
    type,
    config,
    credentialNames: [...names],
    credentialsRequired: needsCredentials({ type, config }) ? dropped : null,
    version,
    createdAt,
  };
}

export function toolsRoutes(
  app: FastifyInstance,
  { kit, browsers }: { readonly kit: Kit; readonly browsers: Browsers },
) {
  const tools = keptObjects(kit, toolDecider);
  const vault = toolCredentials(kit);
  const policy = outboundPolicyOf(kit.settings);

  /** Credentials that the tool no longer names are forgotten once its event is stored. */
  async function changed(answer: Answer, idBefore?: string | null): Promise<Tool | Refusal> {
    if (isRefusal(answer)) return answer;
    if (answer.fields.credentials.id !== idBefore) await vault.forgetReplaced(answer.id);
    return view(answer);
  }

  route(app, kit, createTool, async ({ caller, context, body }) => {
    const { organizationId } = caller;
    const { authCredentials, type: toolType, ...rest } = body;
    const refused = lacking({ type: toolType, config: rest.config }, authCredentials);
    if (refused) return refused;
    const config = await readConfig(policy, rest.config);
    if (isRefusal(config)) return config;
    const toolId = idFor(context, 'tool');
    const credentials = named(context, authCredentials);
    const fields = { ...rest, config, toolType, credentials };
    if (credentials.id) {
      await vault.keep({ organizationId, toolId, id: credentials.id }, authCredentials, fields);
    }
    return view(await tools.create(toolId, fields, { organizationId, context }));
  });

  route(app, kit, changeTool, async ({ caller, context, params, body }) => {
    const { organizationId } = caller;
    const { authCredentials } = body;
    const present = await tools.find(params.id, organizationId);
    const config = body.config && (await readConfig(policy, body.config, present?.fields.config));
    if (config && isRefusal(config)) return config;
    const change = changedFields(context, body, config);
    const call = { organizationId, context };
    // What is missing is answered by the rules themselves.
    if (!present) return view(await tools.change(params.id, change, call));
    const fields = { ...present.fields, ...change };
    const isOtherAccess = fields.config.authType !== present.fields.config.authType;
    if (authCredentials || isOtherAccess) {
      const refused = lacking({ type: fields.toolType, config: fields.config }, authCredentials);
      if (refused) return refused;
    }
    const idBefore = present.fields.credentials.id;
    const { id } = fields.credentials;
    if (!authCredentials || !id) {
      return changed(await tools.change(params.id, change, call), idBefore);
    }
    await vault.keep({ organizationId, toolId: params.id, id }, authCredentials, fields);
    const data = { organizationId, change, enteredFor: bindingOfFields(fields) };
    const answer = await tools.send(params.id, { type: 'EnterCredentials', data }, context);
    if (isRefusal(answer)) await vault.forget(params.id, [id]);
    return changed(answer, idBefore);
  });

  route(app, kit, deleteTool, ({ caller: { organizationId }, context, params }) =>
    tools.remove(params.id, { organizationId, context }),
  );

  const testing = { limit: TEST_LIMIT };
  route(app, kit, testTool, testing, async ({ caller, context, params, body, reply }) => {
    const tool = await tools.find(params.id, caller.organizationId);
    if (!tool) return NotFound({ what: 'tool' });
    const { toolType: type, config } = tool.fields;
    const credentials = await vault.open(params.id, tool.fields);
    if (!credentials) return notRun;
    const runnable = { type, config, credentials };
    const work = { organizationId: caller.organizationId, workId: idFor(context, 'test') };
    const ground = { policy, scripts: kit.scripts, browsers, ...work };
    return runTool(runnable, body.input, ground, closeSignal(reply));
  });

  route(app, kit, restoreTool, async ({ caller, context, params, body }) => {
    const { organizationId } = caller;
    return changed(await tools.restore(params.id, body.version, { organizationId, context }));
  });
}

const notRun: ToolTestResult = {
  success: false,
  output: null,
  error: CREDENTIALS_MISSING,
  status: null,
  executionTimeMs: 0,
};

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

/** Credentials as an event names them: they are in the vault before it is stored. */
function named(context: CommandContext, values: Credentials): ToolFields['credentials'] {
  const names = Object.keys(values).sort();
  return { id: names.length > 0 ? idFor(context, 'credentials') : null, names };
}

/** The OpenAPI document may come as YAML, or from an address: it is kept as JSON. */
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

/** Names each credential that the kind of access needs and that is not sent, or its missing host. */
function lacking({ type, config }: BoundTool, credentials: Credentials = {}) {
  const errors = CREDENTIAL_FIELDS[config.authType]
    .filter((name) => !Object.hasOwn(credentials, name))
    .map((name) => ({
      path: `authCredentials.${name}`,
      message: 'Required for this kind of access',
    }));
  const hasSecrets = Object.keys(credentials).length > 0;
  if (type === 'custom' && hasSecrets && !config.allowedHosts?.length) {
    const message = 'Name the hosts that the credentials may be sent to';
    errors.push({ path: 'config.allowedHosts', message });
  }
  const first = errors[0];
  return first && ValidationFailed({ summary: `${first.path}: ${first.message}.` }, errors);
}
