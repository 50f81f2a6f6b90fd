import { AgentPausedNow } from '@tallyhand/contracts/features/agents/agents.refusals';
import { PRICE_OF } from '@tallyhand/contracts/features/credits/credits.prices';
import { DependencyDown, NotFound } from '@tallyhand/contracts/kernel/problem';
import { isRefusal, type Refusal } from '@tallyhand/contracts/kernel/refusal';
import { formatPosition } from '@tallyhand/service-kit/event-store/position';
import type { CommandContext } from '../../kit/context.ts';
import { DEADLINE_MINUTES, type ExecutionContext, RESERVED_MS_MAX } from './execution.ts';
import { taskStream } from './task.decider.ts';

type MachineTask = {
  readonly organizationId: string;
  readonly taskId: string;
  readonly agentId: string;
  readonly input: string;
};

/**
 * Sets the credit of a question aside that no member asked, and lets an agent work on it. Null when
 * that is done; may be repeated.
 */
export function taskRequester({
  kit,
  queue,
  findAgent,
  reserve,
}: Pick<ExecutionContext, 'kit' | 'queue' | 'findAgent' | 'reserve'>) {
  const tasks = kit.streams.of(taskStream);
  return async (context: CommandContext, task: MachineTask): Promise<Refusal | null> => {
    const { organizationId, taskId, agentId, input } = task;
    if (await tasks.load(taskId)) return null;
    const agent = await findAgent(agentId, organizationId);
    if (!agent) return NotFound({ what: 'agent' });
    if (!agent.isActive) return AgentPausedNow({});
    const now = new Date();
    const own = { organizationId, agentId, price: PRICE_OF.task };
    const refused = await reserve(
      { ...context, now },
      { ...own, workId: taskId, workType: 'query', memberId: null },
    );
    if (refused) return refused;
    if (Date.now() - now.getTime() > RESERVED_MS_MAX) {
      return DependencyDown({ what: 'The event store' });
    }
    const deadline = new Date(now.getTime() + DEADLINE_MINUTES * 60_000).toISOString();
    const data = { ...own, taskId, taskType: 'query', input, deadline, requestedBy: null } as const;
    const answer = await tasks.send(taskId, { type: 'RequestTask', data }, context);
    if (isRefusal(answer)) return answer;
    const { correlationId, commandId: causationId } = context;
    const position = formatPosition(kit.latest.current());
    await queue.enqueue({ taskId, organizationId, correlationId, causationId, position });
    return null;
  };
}
