import type { ModelChoice } from '@tallyhand/contracts/features/agents/agents.fields';
import { AgentPausedNow } from '@tallyhand/contracts/features/agents/agents.refusals';
import { DependencyDown, NotFound } from '@tallyhand/contracts/kernel/problem';
import { isRefusal, type Refusal } from '@tallyhand/contracts/kernel/refusal';
import {
  comparePositions,
  formatPosition,
  maxPosition,
  type Position,
} from '@tallyhand/service-kit/event-store/position';
import { positionToPass } from '@tallyhand/service-kit/http/cookies';
import type { FastifyRequest } from 'fastify';
import type { Kit } from '../../kit/app.ts';
import type { CommandContext } from '../../kit/context.ts';
import { type RequestedTask, taskStream } from './task.decider.ts';
import type { TaskQueue } from './task-queue.ts';

/** The parts of other features. */
export type RequestingContext = {
  readonly kit: Kit;
  readonly queue: TaskQueue;
  readonly findAgent: (
    id: string,
    organizationId: string,
  ) => Promise<{ readonly isActive: boolean; readonly model: ModelChoice | null } | null>;
  readonly credits: {
    reserve(
      context: CommandContext,
      task: {
        readonly organizationId: string;
        readonly workId: string;
        readonly workType: RequestedTask['taskType'];
        readonly agentId: string;
        /** Null if no member asked for it. */
        readonly memberId: string | null;
        readonly price: number;
      },
    ): Promise<Refusal | null>;
  };
  /** In credits, by the model that answers. */
  readonly priceOf: (
    kind: 'task',
    organizationId: string,
    model: ModelChoice | null,
  ) => Promise<number>;
};

export const DEADLINE_MINUTES = 5;
/** Half of the time after which the sweep checks a reservation without a task. */
const RESERVED_MS_MAX = 15_000;

/** A refusal if the sweep may soon release a reservation of that time as an abandoned one. */
export const tooLate = (reservedAt: Date) =>
  Date.now() - reservedAt.getTime() > RESERVED_MS_MAX
    ? DependencyDown({ what: 'The event store' })
    : null;

export const deadlineFrom = (now: Date) =>
  new Date(now.getTime() + DEADLINE_MINUTES * 60_000).toISOString();

/** What the caller may have seen before the call, here or from another process. */
export function seenBy(request: FastifyRequest, latest: Position): Position {
  const own = positionToPass(request);
  return own ? maxPosition(own, latest) : latest;
}

/** A position of the caller can't be later than what its own call has written. */
export const earlier = (a: Position, b: Position) => (comparePositions(a, b) < 0 ? a : b);

type MachineTask = {
  readonly organizationId: string;
  readonly taskId: string;
  readonly agentId: string;
  readonly input: string;
};

/**
 * Requests a task that no member asked for, such as one from a mail. Reserves its credit first.
 * Null when it is requested. May be repeated.
 */
export async function requestTask(
  { kit, queue, findAgent, credits, priceOf }: RequestingContext,
  context: CommandContext,
  { organizationId, taskId, agentId, input }: MachineTask,
): Promise<Refusal | null> {
  const tasks = kit.streams.of(taskStream);
  if (await tasks.load(taskId)) return null;
  const agent = await findAgent(agentId, organizationId);
  if (!agent) return NotFound({ what: 'agent' });
  if (!agent.isActive) return AgentPausedNow({});
  const now = new Date();
  const price = await priceOf('task', organizationId, agent.model);
  const own = { organizationId, agentId, price };
  const work = { ...own, workId: taskId, workType: 'query', memberId: null } as const;
  const refused = await credits.reserve({ ...context, now }, work);
  if (refused) return refused;
  const late = tooLate(now);
  if (late) return late;
  const deadline = deadlineFrom(now);
  const data = { ...own, taskId, taskType: 'query', input, deadline, requestedBy: null } as const;
  const answer = await tasks.send(taskId, { type: 'RequestTask', data }, context);
  if (isRefusal(answer)) return answer;
  const { correlationId, commandId: causationId } = context;
  const position = formatPosition(kit.latest.current());
  await queue.enqueue({ taskId, organizationId, correlationId, causationId, position });
  return null;
}
