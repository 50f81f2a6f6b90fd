import type { Session as SessionView } from '@tallyhand/contracts/features/sessions/sessions.endpoints';
import { agentSteps, type RequestedSession } from './session-state.ts';
import type { Sessions } from './sessions.ts';

export const statusOf = ({ started, end }: RequestedSession) =>
  end?.status ?? (started ? 'running' : 'queued');

/** The session as commands return it; reads give the same from their own tables. */
export async function viewOf(sessions: Sessions, session: RequestedSession): Promise<SessionView> {
  const { sessionId, organizationId, started, end, takenOverBy, requestedBy } = session;
  const person = async (id: string) => ({ id, name: await sessions.nameOf(id, organizationId) });
  const status = statusOf(session);
  const agent = await sessions.findAgent(session.agentId, organizationId);
  return {
    id: sessionId,
    agentId: session.agentId,
    agentName: agent?.name ?? null,
    status,
    currentStep: agentSteps(session),
    maxSteps: session.maxSteps,
    originalGoal: session.goal,
    context: session.context,
    totalCreditsUsed: session.creditsUsed,
    createdAt: session.requestedAt,
    startedAt: started?.at ?? null,
    endedAt: end?.at ?? null,
    browserSessionId: started?.browserSessionId ?? null,
    model: started?.model ?? null,
    endReason: end?.reason ?? null,
    errorMessage: end?.error ?? null,
    errorCode: end?.code ?? null,
    errorParams: end?.params ?? {},
    requestedBy: await person(requestedBy),
    takenOverBy: takenOverBy ? await person(takenOverBy) : null,
    queuePosition: status === 'queued' ? await sessions.open.before(sessionId) : null,
    workspaceData: {
      finalOutcome: end && {
        ...end.outcome,
        totalSteps: agentSteps(session),
        totalCredits: session.creditsUsed,
      },
    },
  };
}
