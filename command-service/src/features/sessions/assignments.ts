import type {
  Assignment,
  Control,
  pollWork,
} from '@tallyhand/contracts/features/sessions/runner.endpoints';
import { SessionTooLate } from '@tallyhand/contracts/features/sessions/session-failures';
import type { AnswerOf, BodyOf } from '@tallyhand/contracts/kernel/endpoint';
import type { z } from 'zod';
import type { RequestedSession } from './session-state.ts';
import { failedBy, type Sessions, sessionContext } from './sessions.ts';

export const isLate = ({ deadline }: RequestedSession) => Date.parse(deadline) <= Date.now();

/** Who steers: the agent, or the person who took over. */
export const controlOf = ({ takenOverBy }: RequestedSession): Assignment['control'] => ({
  by: takenOverBy ? 'person' : 'agent',
  personId: takenOverBy,
});

/**
 * What a runner needs to take a session up; null for one that can't go on, which is ended then, or
 * has ended already.
 */
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
  const context = sessionContext(organizationId);
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
  const { name, description, persona } = agent;
  const means = await meansOf(sessions, agent.tools, organizationId);
  return {
    sessionId,
    organizationId,
    goal: session.goal,
    context: session.context,
    maxSteps: session.maxSteps,
    deadline: session.deadline,
    control: controlOf(session),
    agent: { name, description, persona },
    tools: means.tools.map(({ tool: { id, title, description, operations } }) => ({
      id,
      title,
      description,
      operations: [...operations],
    })),
    startUrls: means.startUrls,
    steps: session.steps.map(
      ({ stepId: _, at: __, title: ___, screenshots: ____, ...step }) => step,
    ),
  };
}

/** What an agent may use in its session: its tools, and where those of its browser tools start. */
export async function meansOf(
  { findTools }: Sessions,
  toolIds: readonly string[],
  organizationId: string,
) {
  const found = await findTools(toolIds, organizationId);
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
 * What a runner does next: sessions that wait for one, and what is new of those that it holds. With
 * nothing new it waits; `gone` is the caller's going away.
 */
export async function answerPoll(
  sessions: Sessions,
  runnerId: string,
  { address, free, held, waitMs }: Poll,
  gone: AbortSignal,
): Promise<Answer> {
  const until = Date.now() + waitMs;
  const ids = held.map(({ sessionId }) => sessionId);
  if (await sessions.open.hear({ runnerId, address, free, held: ids })) await sessions.tell();
  for (;;) {
    // Listens before it looks, so that nothing is missed in between.
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

/** `isMore`: some of those that waited turned out to be over, so that others may follow. */
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
  for (const told of held) {
    const { sessionId } = told;
    const session = own.has(sessionId) ? await sessions.load(sessionId) : null;
    const { by: control, personId }: Steering =
      session && !session.end ? controlOf(session) : { by: 'ended', personId: null };
    const isOther = told.personId !== undefined && told.personId !== personId;
    if (control !== told.control || isOther) changes.push({ sessionId, control, personId });
  }
  return changes;
}

type Steering = { readonly by: z.infer<typeof Control>; readonly personId: string | null };
