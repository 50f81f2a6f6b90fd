import type { OutboundPolicy } from '@tallyhand/agent-runtime/guard/destination';
import { guardedFetch, type OutboundInit } from '@tallyhand/agent-runtime/guard/guarded-fetch';
import { OpenApiRefused } from '@tallyhand/agent-runtime/tools/openapi-schema';
import { readOpenApi } from '@tallyhand/agent-runtime/tools/openapi-source';
import { AGENT_KEEPERS } from '@tallyhand/contracts/features/identity/role';
import {
  changeTool,
  createTool,
  deleteTool,
  restoreTool,
  type Tool,
  testTool,
} from '@tallyhand/contracts/features/tools/tools.endpoints';
import {
  CREDENTIAL_FIELDS,
  OPENAPI_MAX,
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
import { runTool } from './run-tool.ts';
import { type ToolFields, toolDecider } from './tool.decider.ts';
import { toolCredentials } from './tool-credentials.ts';

/** Each goes out to somebody else's server. */
const TEST_LIMIT = { max: 30, timeWindow: '1 minute' };

type Answer = Kept<ToolFields> | Refusal;

function view(answer: Answer): Tool | Refusal {
  if (isRefusal(answer)) return answer;
  const { id, version, createdAt, fields } = answer;
  const { name, description, toolType: type, config, credentials } = fields;
  const credentialNames = [...credentials.names];
  return { id, name, description, type, config, credentialNames, version, createdAt };
}

export function toolsRoutes(
  app: FastifyInstance,
  { kit, browsers }: { readonly kit: Kit; readonly browsers: Browsers },
) {
  const tools = keptObjects(kit, toolDecider);
  const vault = toolCredentials(kit);
  const keepers = { allow: AGENT_KEEPERS };
  const policy = outboundPolicyOf(kit.settings);

  route(app, kit, createTool, keepers, async ({ caller, context, body }) => {
    const { organizationId } = caller;
    const { authCredentials, type: toolType, ...rest } = body;
    const refused = lacking(rest.config.authType, Object.keys(authCredentials));
    if (refused) return refused;
    const config = await readConfig(policy, rest.config);
    if (isRefusal(config)) return config;
    const toolId = idFor(context, 'tool');
    return view(
      await keep(vault, context, { organizationId, toolId }, authCredentials, (credentials) =>
        tools.create(
          toolId,
          { ...rest, config, toolType, credentials },
          { organizationId, context },
        ),
      ),
    );
  });

  route(app, kit, changeTool, keepers, async ({ caller, context, params, body }) => {
    const { organizationId } = caller;
    const { authCredentials, type, ...rest } = body;
    const present = await tools.find(params.id, organizationId);
    const config = body.config && (await readConfig(policy, body.config, present?.fields.config));
    if (config && isRefusal(config)) return config;
    const change = { ...rest, ...(config ? { config } : {}), ...(type ? { toolType: type } : {}) };
    const call = { organizationId, context };
    // What is missing is answered by the rules themselves.
    if (!present) return view(await tools.change(params.id, change, call));
    const names = authCredentials ? Object.keys(authCredentials) : present.fields.credentials.names;
    const refused = lacking((body.config ?? present.fields.config).authType, names);
    if (refused) return refused;
    if (!authCredentials) return view(await tools.change(params.id, change, call));
    return view(
      await keep(
        vault,
        context,
        { organizationId, toolId: params.id },
        authCredentials,
        (credentials) => tools.change(params.id, { ...change, credentials }, call),
      ),
    );
  });

  route(app, kit, deleteTool, keepers, ({ caller: { organizationId }, context, params }) =>
    tools.remove(params.id, { organizationId, context }),
  );

  const testing = { ...keepers, limit: TEST_LIMIT };
  route(app, kit, testTool, testing, async ({ caller, context, params, body, reply }) => {
    const tool = await tools.find(params.id, caller.organizationId);
    if (!tool) return NotFound({ what: 'tool' });
    const { toolType, config, credentials } = tool.fields;
    const values = await vault.read(params.id, credentials.id);
    const runnable = { type: toolType, config, credentials: values };
    const work = { organizationId: caller.organizationId, workId: idFor(context, 'test') };
    const ground = { policy, scripts: kit.scripts, browsers, ...work };
    return runTool(runnable, body.input, ground, closeSignal(reply));
  });

  route(app, kit, restoreTool, keepers, async ({ caller, context, params, body }) => {
    const { organizationId } = caller;
    return view(await tools.restore(params.id, body.version, { organizationId, context }));
  });
}

/** Credentials are in the vault before the event names them; those before are forgotten after. */
async function keep(
  vault: ReturnType<typeof toolCredentials>,
  context: CommandContext,
  { organizationId, toolId }: { organizationId: string; toolId: string },
  values: Readonly<Record<string, string>>,
  work: (credentials: ToolFields['credentials']) => Promise<Answer>,
): Promise<Answer> {
  const names = Object.keys(values).sort();
  const id = names.length > 0 ? idFor(context, 'credentials') : null;
  if (id) await vault.keep(organizationId, toolId, id, values);
  const answer = await work({ id, names });
  if (!isRefusal(answer)) await vault.forgetOthers(toolId, answer.fields.credentials.id);
  return answer;
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

/** Names each credential that the type of authentication needs and that is not there. */
function lacking(authType: keyof typeof CREDENTIAL_FIELDS, names: readonly string[]) {
  const errors = CREDENTIAL_FIELDS[authType]
    .filter((name) => !names.includes(name))
    .map((name) => ({
      path: `authCredentials.${name}`,
      message: 'Required for this kind of access',
    }));
  const first = errors[0];
  return first && ValidationFailed({ summary: `${first.path}: ${first.message}.` }, errors);
}
