import { profileOf } from '@tallyhand/contracts/features/agents/agents.fields';
import type {
  Assignment,
  Control,
  pollWork,
} from '@tallyhand/contracts/features/sessions/runner.endpoints';
import { SessionTooLate } from '@tallyhand/contracts/features/sessions/session-failures';
import type { AnswerOf, BodyOf } from '@tallyhand/contracts/kernel/endpoint';
import type { z } from 'zod';
import { backgroundContext } from '../../kit/context.ts';
import { deadlineOf } from './approval-state.ts';
import type { RequestedSession } from './session-state.ts';
import { failedBy, type Sessions } from './sessions.ts';

export const isLate = (session: RequestedSession) => Date.parse(deadlineOf(session)) <= Date.now();

/** Who is in control: the agent, or the member who took over. */
export const controlOf = ({ takenOverBy }: RequestedSession): Assignment['control'] => ({
  by: takenOverBy ? 'person' : 'agent',
  personId: takenOverBy,
});

/** What a runner needs to run a session. Null if it has ended, or can't continue and is ended here. */
export async function assignmentFor(
  sessions: Sessions,
  sessionId: string,
): Promise<Assignment | null> {
  const session = await sessions.load(sessionId);
  if (!session) {
    await sessions.open.remove(sessionId);
    return null;
  }
  const { organizationId } = session;
  const context = backgroundContext('reaction', organizationId);
  if (session.end) {
    await sessions.close(context, session);
    return null;
  }
  if (isLate(session)) {
    await sessions.end(context, sessionId, failedBy('error', SessionTooLate({})));
    return null;
  }
  const agent = await sessions.findAgent(session.agentId, organizationId);
  if (!agent) {
    const data = { reason: 'agent-deleted', terminatedBy: null } as const;
    await sessions.end(context, sessionId, { type: 'TerminateSession', data });
    return null;
  }
  const chosen = agent.model;
  const planner = chosen && (await sessions.plannerOf(session, chosen));
  const resources = await resourcesOf(sessions, agent.tools, organizationId);
  return {
    sessionId,
    organizationId,
    goal: session.goal,
    context: session.context,
    maxSteps: session.maxSteps,
    deadline: deadlineOf(session),
    control: controlOf(session),
    agent: profileOf(agent),
    model: chosen && planner && { chosen, name: planner.model, seesImages: planner.seesImages },
    tools: resources.tools.map(({ tool: { id, title, description, operations } }) => ({
      id,
      title,
      description,
      operations: [...operations],
    })),
    startUrls: resources.startUrls,
    steps: session.steps.map(
      ({ stepId: _, at: __, title: ___, screenshots: ____, ...step }) => step,
    ),
  };
}

/** What an agent may use in a session: its tools, and the start pages of its browser tools. */
export async function resourcesOf(
  sessions: Sessions,
  toolIds: readonly string[],
  organizationId: string,
) {
  const found = await sessions.findTools(toolIds, organizationId);
  return {
    all: found,
    tools: found.filter(({ browser }) => !browser),
    startUrls: found.flatMap(({ browser }) => (browser?.startUrl ? [browser.startUrl] : [])),
  };
}

type Poll = BodyOf<typeof pollWork>;
type Answer = AnswerOf<typeof pollWork>;
type Held = Poll['held'][number];

/**
 * Sessions for a runner to start, and changes of those that it holds. Waits while there are none;
 * `gone` aborts when the caller has left.
 */
export async function answerPoll(
  sessions: Sessions,
  runnerId: string,
  { address, free, held, waitMs }: Poll,
  gone: AbortSignal,
): Promise<Answer> {
  const until = Date.now() + waitMs;
  const ids = held.map(({ sessionId }) => sessionId);
  if (await sessions.open.recordPoll({ runnerId, address, free, held: ids }))
    await sessions.wakeRunners();
  for (;;) {
    // It listens before it reads, so that no change is missed.
    const news = sessions.news(Math.max(1, until - Date.now()));
    const leave = () => news.cancel();
    gone.addEventListener('abort', leave, { once: true });
    try {
      const changed = await changesOf(sessions, runnerId, held);
      const { assigned, isMore } = gone.aborted ? NOTHING : await take(sessions, runnerId, free);
      const isNew = changed.length > 0 || assigned.length > 0;
      if (isNew || gone.aborted || Date.now() >= until) return { assigned, changed };
      if (!isMore) await news.ended;
    } finally {
      gone.removeEventListener('abort', leave);
      news.cancel();
    }
  }
}

const NOTHING = { assigned: [], isMore: false };

/** `isMore`: some claimed sessions had ended, so there may be others. */
async function take(sessions: Sessions, runnerId: string, free: number) {
  const claimed = await sessions.open.claim(runnerId, free);
  const assigned: Assignment[] = [];
  for (const sessionId of claimed) {
    const assignment = await assignmentFor(sessions, sessionId);
    if (assignment) assigned.push(assignment);
  }
  return { assigned, isMore: claimed.length > assigned.length };
}

async function changesOf(
  sessions: Sessions,
  runnerId: string,
  held: readonly Held[],
): Promise<Answer['changed']> {
  if (held.length === 0) return [];
  const ids = held.map(({ sessionId }) => sessionId);
  const own = await sessions.open.held(runnerId, ids);
  const changes: Answer['changed'] = [];
  for (const known of held) {
    const { sessionId } = known;
    const session = own.has(sessionId) ? await sessions.load(sessionId) : null;
    const { by: control, personId }: Steering =
      session && !session.end ? controlOf(session) : { by: 'ended', personId: null };
    const isOther = known.personId !== undefined && known.personId !== personId;
    if (control !== known.control || isOther) changes.push({ sessionId, control, personId });
  }
  return changes;
}

type Steering = { readonly by: z.infer<typeof Control>; readonly personId: string | null };
