import type { AgentModel, ModelChoice } from '@tallyhand/contracts/features/agents/agents.fields';
import { AgentPausedNow } from '@tallyhand/contracts/features/agents/agents.refusals';
import type {
  ComparisonAccepted,
  compareVariants,
} from '@tallyhand/contracts/features/tasks/comparisons.endpoints';
import type { TaskVariant } from '@tallyhand/contracts/features/tasks/tasks.events';
import type { BodyOf } from '@tallyhand/contracts/kernel/endpoint';
import { invalidField, NotFound } from '@tallyhand/contracts/kernel/problem';
import { isRefusal, type Refusal } from '@tallyhand/contracts/kernel/refusal';
import { formatPosition } from '@tallyhand/service-kit/event-store/position';
import type { FastifyRequest } from 'fastify';
import type { Caller } from '../../kit/app.ts';
import { type CommandContext, idFor } from '../../kit/context.ts';
import { taskStream } from './task.decider.ts';
import { deadlineFrom, earlier, type RequestingContext, seenBy, tooLate } from './task-request.ts';

/** The parts of other features. */
export type ComparisonContext = Pick<RequestingContext, 'kit' | 'queue' | 'priceOf'> & {
  readonly findAgent: (
    id: string,
    organizationId: string,
  ) => Promise<{ readonly isActive: boolean; readonly version: number } | null>;
  readonly findAgentVersion: (
    id: string,
    organizationId: string,
    version: number,
  ) => Promise<{ readonly model: AgentModel | null } | null>;
  readonly findConnection: (
    id: string,
    organizationId: string,
  ) => Promise<{ readonly fields: { readonly models: readonly string[] } } | null>;
  readonly credits: {
    /** All of them, or none. */
    reserveTogether(
      context: CommandContext,
      asked: {
        readonly organizationId: string;
        readonly workType: 'query';
        readonly agentId: string;
        readonly memberId: string;
      },
      works: readonly { readonly workId: string; readonly price: number }[],
    ): Promise<Refusal | null>;
  };
};

type Wanted = BodyOf<typeof compareVariants> & { readonly agentId: string };
type Variant = Pick<TaskVariant, 'agentVersion' | 'model'>;
type Call = {
  readonly caller: Caller;
  readonly context: CommandContext;
  readonly request: FastifyRequest;
};

/** Requests one task for each variant, if the credits of all can be reserved. May be repeated. */
export async function requestComparison(
  comparing: ComparisonContext,
  { agentId, input, variants: wanted }: Wanted,
  { caller, context, request }: Call,
): Promise<ComparisonAccepted | Refusal> {
  const { kit, queue, findAgent, priceOf, credits } = comparing;
  const { organizationId, userId: requestedBy } = caller;
  const tasks = kit.streams.of(taskStream);
  const seen = seenBy(request, kit.latest.current());
  const agent = await findAgent(agentId, organizationId);
  if (!agent) return NotFound({ what: 'agent' });
  if (!agent.isActive) return AgentPausedNow({});
  const asked = wanted.map(({ version = agent.version, model }) => ({ version, model }));
  const variants = await variantsOf(comparing, asked, { agentId, organizationId });
  if (isRefusal(variants)) return variants;
  const comparisonId = idFor(context, 'comparison');
  const parts = await Promise.all(
    variants.map(async (variant, at) => ({
      taskId: idFor(context, `task-${at + 1}`),
      comparison: { comparisonId, ordinal: at + 1, ...variant },
      price: await priceOf('task', organizationId, variant.model),
    })),
  );
  const accepted = { comparisonId, tasks: parts.map(({ taskId }) => taskId) };
  const known = context.isFirst
    ? []
    : await Promise.all(accepted.tasks.map((id) => tasks.load(id)));
  // The tasks of a repeated call have their reservations already.
  if (context.isFirst || known.includes(null)) {
    const works = parts.map(({ taskId: workId, price }) => ({ workId, price }));
    const work = { organizationId, workType: 'query', agentId, memberId: requestedBy } as const;
    const refused = (await credits.reserveTogether(context, work, works)) ?? tooLate(context.now);
    if (refused) return refused;
  }
  const own = { organizationId, agentId, taskType: 'query', input, requestedBy } as const;
  const deadline = deadlineFrom(context.now);
  const requests = parts.map(async (part) => {
    const data = { ...own, ...part, deadline };
    const requested = await tasks.send(part.taskId, { type: 'RequestTask', data }, context);
    if (isRefusal(requested) || requested.state?.end) return;
    const { correlationId, commandId: causationId } = context;
    const position = formatPosition(earlier(seen, kit.latest.current()));
    const { taskId } = part;
    await queue.enqueue({ taskId, organizationId, correlationId, causationId, position });
  });
  await Promise.all(requests);
  return accepted;
}

type Asked = { readonly version: number; readonly model?: ModelChoice | null | undefined };
type Own = { readonly agentId: string; readonly organizationId: string };

/** The versions and models that answer, or why they can't be compared. */
async function variantsOf(
  comparing: ComparisonContext,
  asked: readonly Asked[],
  own: Own,
): Promise<readonly Variant[] | Refusal> {
  const found = await Promise.all(
    asked.map((one, at) => variantOf(comparing, one, { ...own, path: `variants.${at}` })),
  );
  const variants: Variant[] = [];
  for (const one of found) {
    if (isRefusal(one)) return one;
    variants.push(one);
  }
  const keys = variants.map(({ agentVersion, model }) => JSON.stringify([agentVersion, model]));
  const repeated = keys.findIndex((key, at) => keys.indexOf(key) !== at);
  return repeated === -1 ? variants : invalidField(`variants.${repeated}`, REPEATED);
}

async function variantOf(
  { findAgentVersion, findConnection }: ComparisonContext,
  { version, model: chosen }: Asked,
  { agentId, organizationId, path }: Own & { readonly path: string },
): Promise<Variant | Refusal> {
  const agent = await findAgentVersion(agentId, organizationId, version);
  if (!agent) return invalidField(`${path}.version`, NO_VERSION);
  const choice = chosen === undefined ? agent.model : chosen;
  if (!choice) return { agentVersion: version, model: null };
  const { connectionId } = choice;
  const builtIn = { connectionId: null, model: null };
  if (connectionId === null) return { agentVersion: version, model: builtIn };
  const connection = await findConnection(connectionId, organizationId);
  if (!connection) {
    return chosen === undefined
      ? invalidField(path, OWN_CONNECTION_DELETED)
      : invalidField(`${path}.model.connectionId`, NO_CONNECTION);
  }
  const { models } = connection.fields;
  const model = choice.model ?? models[0] ?? '';
  // Admins decide which models may be used; those of versions were chosen by the agent's managers.
  if (chosen && !models.includes(model)) return invalidField(`${path}.model.model`, NO_MODEL);
  return { agentVersion: version, model: { connectionId, model } };
}

const REPEATED = 'Each answer needs another version or model';
const NO_VERSION = 'This agent has no such version';
const NO_CONNECTION = 'There is no such connection';
const NO_MODEL = 'This connection does not list the model';
const OWN_CONNECTION_DELETED = 'The connection of this version was deleted';
