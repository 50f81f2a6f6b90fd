import {
  type Agent,
  type Assignments,
  assignResources,
  changeAgent,
  createAgent,
  deleteAgent,
  restoreAgent,
} from '@tallyhand/contracts/features/agents/agents.endpoints';
import { AGENT_MANAGERS, mayCall } from '@tallyhand/contracts/kernel/access';
import { NoSuchVersion } from '@tallyhand/contracts/kernel/change-refusals';
import { NotFound, RoleNotAllowed, ValidationFailed } from '@tallyhand/contracts/kernel/problem';
import { type FieldError, isRefusal } from '@tallyhand/contracts/kernel/refusal';
import type { FastifyInstance } from 'fastify';
import type { Kit } from '../../kit/app.ts';
import { idFor } from '../../kit/context.ts';
import { route } from '../../kit/route.ts';
import { decodeEvent } from '../../kit/stored-states.ts';
import { streamsOf } from '../../kit/streams.ts';
import { agentDecider, type ExistingAgent } from './agent.decider.ts';

export type AgentsContext = {
  readonly kit: Kit;
  /** Of these ids, those that are no such object of the organization. */
  readonly unknown: Readonly<
    Record<keyof Assignments, (ids: readonly string[], organizationId: string) => Promise<string[]>>
  >;
};

const viewOf = (agent: ExistingAgent): Agent => ({
  id: agent.agentId,
  name: agent.name,
  description: agent.description,
  personaConfig: agent.persona,
  isActive: agent.isActive,
  version: agent.version,
  createdAt: agent.createdAt,
});

export function agentsRoutes(app: FastifyInstance, { kit, unknown }: AgentsContext) {
  const agents = streamsOf(agentDecider, kit.streams);
  const view = (agent: ExistingAgent | null) =>
    agent ? viewOf(agent) : NotFound({ what: 'agent' });

  route(app, kit, createAgent, async ({ caller, context, body }) => {
    const agentId = idFor(context, 'agent');
    const { organizationId } = caller;
    const { name, description, personaConfig: persona, isActive } = body;
    const data = { agentId, organizationId, name, description, persona, isActive };
    const answer = await agents.send(agentId, { type: 'CreateAgent', data }, context);
    return isRefusal(answer) ? answer : view(answer.state);
  });

  route(app, kit, changeAgent, async ({ caller, context, params, body }) => {
    const { isActive: _, ...texts } = body;
    if (Object.keys(texts).length > 0 && !mayCall(caller.role, AGENT_MANAGERS)) {
      return RoleNotAllowed({ role: caller.role, allowed: AGENT_MANAGERS.roles });
    }
    const data = { organizationId: caller.organizationId, change: body };
    const answer = await agents.send(params.id, { type: 'ChangeAgent', data }, context);
    return isRefusal(answer) ? answer : view(answer.state);
  });

  route(app, kit, deleteAgent, async ({ caller, context, params }) => {
    const data = { organizationId: caller.organizationId };
    const answer = await agents.send(params.id, { type: 'DeleteAgent', data }, context);
    return isRefusal(answer) ? answer : undefined;
  });

  route(app, kit, restoreAgent, async ({ caller, context, params, body }) => {
    const { organizationId } = caller;
    const older = body.version && (await ofVersion(kit, params.id, organizationId, body.version));
    if (older && isRefusal(older)) return older;
    const data = { organizationId, ...(older ? { older } : {}) };
    const answer = await agents.send(params.id, { type: 'RestoreAgent', data }, context);
    return isRefusal(answer) ? answer : view(answer.state);
  });

  route(app, kit, assignResources, async ({ caller, context, params, body }) => {
    const { organizationId } = caller;
    const missing = await Promise.all(
      (['articles', 'playbooks', 'tools'] as const).map(async (list) =>
        missingIn(list, body[list], await unknown[list](body[list], organizationId)),
      ),
    );
    const errors = missing.flat();
    if (errors[0]) {
      return ValidationFailed({ summary: `${errors[0].path}: ${errors[0].message}.` }, errors);
    }
    const { articles, playbooks, tools } = body;
    const data = { organizationId, articles, playbooks, tools };
    const answer = await agents.send(params.id, { type: 'AssignResources', data }, context);
    return isRefusal(answer) ? answer : { articles, playbooks, tools };
  });
}

/** The agent as it was in one of its versions. */
async function ofVersion({ streams }: Kit, id: string, organizationId: string, version: number) {
  let agent = agentDecider.initialState();
  let found: ExistingAgent | null = null;
  for await (const stored of streams.eventLog.read(`${agentDecider.category}-${id}`, 0n)) {
    agent = agentDecider.evolve(
      agent,
      decodeEvent(agentDecider, stored),
      stored.envelope.recordedAt,
    );
    if (agent?.version === version) found = agent;
  }
  if (agent?.organizationId !== organizationId) return NotFound({ what: 'agent' });
  return found ?? NoSuchVersion({ what: 'agent', version });
}

/** Names each id of a list that leads nowhere in this organization. */
const missingIn = (
  list: string,
  ids: readonly string[],
  unknown: readonly string[],
): FieldError[] =>
  ids.flatMap((id, i) =>
    unknown.includes(id)
      ? [{ path: `${list}.${i}`, message: `There is no such ${list.replace(/s$/, '')}` }]
      : [],
  );
