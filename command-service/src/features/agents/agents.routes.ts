import {
  type Agent,
  agentCalls,
  assignResources,
} from '@tallyhand/contracts/features/agents/agents.endpoints';
import {
  type AgentModel,
  DEFAULT_FORM_POLICY,
  type ResourceKind,
} from '@tallyhand/contracts/features/agents/agents.fields';
import { AGENT_MANAGERS, mayCall } from '@tallyhand/contracts/kernel/access';
import { NotFound, RoleNotAllowed, ValidationFailed } from '@tallyhand/contracts/kernel/problem';
import { type FieldError, isRefusal } from '@tallyhand/contracts/kernel/refusal';
import type { FastifyInstance } from 'fastify';
import type { Kit } from '../../kit/app.ts';
import { idFor } from '../../kit/context.ts';
import { route } from '../../kit/route.ts';
import type { Versioned } from '../../kit/versioned-object.decider.ts';
import { type VersionedObjects, versionedRoutes } from '../../kit/versioned-objects.ts';
import {
  type AgentFields,
  type AssignResources,
  assignmentsOf,
  formPolicyRefused,
  type Resources,
} from './agent.decider.ts';

type AgentsContext = {
  readonly kit: Kit;
  readonly agents: VersionedObjects<AgentFields, AssignResources>;
  /** The objects that can be assigned to an agent, by the name of their list. */
  readonly resources: Readonly<
    Record<ResourceKind, Pick<VersionedObjects<object>, 'noun' | 'unknown'>>
  >;
  /** The connections that an agent's model may be chosen from. */
  readonly connections: Pick<VersionedObjects<object>, 'unknown'>;
};

const viewOf = ({ fields, ...agent }: Versioned<AgentFields>): Agent => {
  const { id, version, createdAt, updatedAt } = agent;
  const { name, description, persona: personaConfig, isActive, model = null } = fields;
  const { formPolicy = null } = fields;
  const shown = { id, name, description, personaConfig, isActive, model, formPolicy };
  return { ...shown, version, createdAt, updatedAt };
};

export function agentsRoutes(
  app: FastifyInstance,
  { kit, agents, resources, connections }: AgentsContext,
) {
  versionedRoutes(app, kit, agentCalls, {
    objects: agents,
    async create({ personaConfig: persona, formPolicy = DEFAULT_FORM_POLICY, ...rest }, by) {
      const { articles = [], playbooks = [], tools = [] } = rest;
      const assigned = { articles, playbooks, tools };
      const fields = { ...rest, ...assigned, persona, formPolicy };
      const refused =
        formPolicyRefused(by.role, DEFAULT_FORM_POLICY, formPolicy) ??
        (await unknownIn(assigned, by.organizationId)) ??
        (await unknownModel(rest.model, by.organizationId));
      return refused ?? agents.create(idFor(by.context, 'agent'), fields, by);
    },
    async change(id, { personaConfig: persona, isActive, ...rest }, by) {
      const change = { ...rest, ...(persona ? { persona } : {}) };
      if (Object.keys(change).length > 0 && !mayCall(by.role, AGENT_MANAGERS)) {
        return RoleNotAllowed({ role: by.role, allowed: AGENT_MANAGERS.roles });
      }
      if (!(await agents.find(id, by.organizationId))) return NotFound({ what: 'agent' });
      const refused =
        (await unknownIn(rest, by.organizationId)) ??
        (await unknownModel(rest.model, by.organizationId));
      if (refused) return refused;
      return agents.change(id, isActive === undefined ? change : { ...change, isActive }, by);
    },
    view: viewOf,
  });

  route(app, kit, assignResources, async (call) => {
    const { caller, context, params, body, ifMatch } = call;
    const { organizationId } = caller;
    if (!(await agents.find(params.id, organizationId))) return NotFound({ what: 'agent' });
    const refused = await unknownIn(body, organizationId);
    if (refused) return refused;
    const { articles, playbooks, tools } = body;
    const data = { organizationId, ifMatch, articles, playbooks, tools };
    const answer = await agents.send(params.id, { type: 'AssignResources', data }, context);
    return isRefusal(answer) ? answer : assignmentsOf(answer.fields);
  });

  /** A refusal that names each id that the organization does not have. */
  async function unknownIn(sent: Partial<Resources>, organizationId: string) {
    const missing = await Promise.all(
      (['articles', 'playbooks', 'tools'] as const).map(async (list) => {
        const ids = sent[list] ?? [];
        const unknown = await resources[list].unknown(ids, organizationId);
        return missingIn(list, ids, unknown, resources[list].noun);
      }),
    );
    const errors = missing.flat();
    const [first] = errors;
    return first ? ValidationFailed({ summary: `${first.path}: ${first.message}.` }, errors) : null;
  }

  /** A refusal if a connection is not one of the organization. */
  async function unknownModel(model: AgentModel | null | undefined, organizationId: string) {
    const chosen = [
      { path: 'model.connectionId', id: model?.connectionId },
      { path: 'model.fallback.connectionId', id: model?.fallback?.connectionId },
    ].flatMap(({ path, id }) => (id ? [{ path, id }] : []));
    const ids = chosen.map(({ id }) => id);
    const unknown = await connections.unknown(ids, organizationId);
    const errors = chosen
      .filter(({ id }) => unknown.includes(id))
      .map(({ path }) => ({ path, message: 'There is no such connection' }));
    const [first] = errors;
    return first ? ValidationFailed({ summary: `${first.path}: ${first.message}.` }, errors) : null;
  }
}

/** An error for each id of the list that is unknown to the organization. */
const missingIn = (
  list: string,
  ids: readonly string[],
  unknown: readonly string[],
  noun: string,
): FieldError[] =>
  ids.flatMap((id, at) =>
    unknown.includes(id) ? [{ path: `${list}.${at}`, message: `There is no such ${noun}` }] : [],
  );
