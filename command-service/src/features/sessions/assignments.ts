import type { Assignment } from '@tallyhand/contracts/features/sessions/runner.endpoints';
import { SessionTooLate } from '@tallyhand/contracts/features/sessions/session-failures';
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
