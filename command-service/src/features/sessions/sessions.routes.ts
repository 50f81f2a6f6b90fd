import { AgentPausedNow } from '@tallyhand/contracts/features/agents/agents.refusals';
import {
  decideSessionApproval,
  handBackSession,
  type Session as SessionView,
  startSession,
  takeOverSession,
  terminateSession,
} from '@tallyhand/contracts/features/sessions/sessions.endpoints';
import { OPEN_SESSIONS_MAX } from '@tallyhand/contracts/features/sessions/sessions.fields';
import {
  NotYourSession,
  TooManySessions,
} from '@tallyhand/contracts/features/sessions/sessions.refusals';
import { invalidField, NotFound } from '@tallyhand/contracts/kernel/problem';
import { isRefusal } from '@tallyhand/contracts/kernel/refusal';
import type { FastifyInstance } from 'fastify';
import type { Caller } from '../../kit/app.ts';
import { type CommandContext, idFor } from '../../kit/context.ts';
import { route } from '../../kit/route.ts';
import { waitsFor } from './approval-state.ts';
import type { SessionCommand } from './session.decider.ts';
import { agentSteps, type RequestedSession } from './session-state.ts';
import type { Sessions } from './sessions.ts';

/** A session is ended after this time. */
const DEADLINE_MINUTES = 60;
const LIMIT = { max: 60, timeWindow: '1 minute' };

type Wanted = {
  readonly goal: string;
  readonly context?: string | undefined;
  readonly maxSteps: number;
};

export function sessionsRoutes(app: FastifyInstance, sessions: Sessions) {
  const { kit, streams } = sessions;

  /** A session that the caller started or controls. An Admin may have any of the organization. */
  async function ownSession(id: string, caller: Caller, owner: Owner) {
    const session = await streams.load(id);
    if (session?.organizationId !== caller.organizationId) return NotFound({ what: 'session' });
    return owner(session, caller) || caller.role === 'Admin' ? session : NotYourSession({});
  }

  /** Changes a session and notifies its runner. */
  async function change(id: string, command: SessionCommand, context: CommandContext) {
    const answer = await streams.send(id, command, context);
    if (isRefusal(answer)) return answer;
    await sessions.wakeRunners();
    return answer.state ? viewOf(sessions, answer.state) : NotFound({ what: 'session' });
  }

  const starting = { what: 'agent', limit: LIMIT } as const;
  route(app, kit, startSession, starting, async ({ caller, context, params, body }) => {
    const sessionId = idFor(context, 'session');
    const known = await streams.load(sessionId);
    if (known) return viewOf(sessions, known);
    const agent = await sessions.findAgent(params.id, caller.organizationId);
    if (!agent) return NotFound({ what: 'agent' });
    if (!agent.isActive) return AgentPausedNow({});
    const price = await sessions.priceOf(caller.organizationId, agent.model);
    const own = { sessionId, agentId: params.id, price };
    const wanted = requestOf(own, body, { caller, context });
    const refused = await sessions.credits.check(context, sessionId, wanted);
    if (refused) return refused;
    if (!(await sessions.open.reserve(wanted))) {
      return TooManySessions({ sessionsMax: OPEN_SESSIONS_MAX });
    }
    const command = { type: 'RequestSession', data: wanted } as const;
    const requested = await streams.send(sessionId, command, context);
    if (isRefusal(requested)) return requested;
    await sessions.open.add(wanted);
    await sessions.wakeRunners();
    kit.settings.wantBrowser?.();
    return requested.state ? viewOf(sessions, requested.state) : NotFound({ what: 'session' });
  });

  const limited = { limit: LIMIT } as const;
  route(app, kit, terminateSession, limited, async ({ caller, context, params }) => {
    const session = await ownSession(params.id, caller, isStarter);
    if (isRefusal(session)) return session;
    const data = { reason: 'by-person', terminatedBy: caller.userId } as const;
    const ended = await sessions.end(context, params.id, { type: 'TerminateSession', data });
    return isRefusal(ended) ? ended : viewOf(sessions, ended);
  });

  route(app, kit, takeOverSession, limited, async ({ caller, context, params }) => {
    const session = await ownSession(params.id, caller, isStarter);
    if (isRefusal(session)) return session;
    return change(params.id, { type: 'TakeOver', data: { by: caller.userId } }, context);
  });

  route(app, kit, handBackSession, limited, async ({ caller, context, params }) => {
    const session = await ownSession(params.id, caller, isDriver);
    if (isRefusal(session)) return session;
    return change(params.id, { type: 'HandBack', data: { by: caller.userId } }, context);
  });

  const deciding = { what: 'session', limit: LIMIT } as const;
  route(app, kit, decideSessionApproval, deciding, async ({ caller, context, params, body }) => {
    const session = await streams.load(params.id);
    if (session?.organizationId !== caller.organizationId) return NotFound({ what: 'session' });
    const { arguments: changed, note, approvalId, decision, forRun } = body;
    const asked = session.approvals.find((one) => one.approvalId === approvalId);
    const refused = asked?.toolId === null ? notOfForms({ arguments: changed, forRun }) : null;
    if (refused) return refused;
    const data = {
      approvalId,
      decision,
      ...(changed ? { arguments: JSON.stringify(changed) } : {}),
      ...(note ? { note } : {}),
      forRun,
      decidedBy: caller.userId,
    };
    const answer = await streams.send(params.id, { type: 'DecideApproval', data }, context);
    return isRefusal(answer) ? answer : { sessionId: params.id, approvalId, decision };
  });
}

/** A form is sent as it stands on the page, and another one is another decision. */
function notOfForms(given: { readonly arguments: unknown; readonly forRun: boolean }) {
  const path = (given.arguments !== undefined && 'arguments') || (given.forRun && 'forRun');
  return path ? invalidField(path, 'Goes with a call of a tool only, not with a form') : null;
}

type Owner = (session: RequestedSession, caller: Caller) => boolean;

const isStarter: Owner = ({ requestedBy }, { userId }) => requestedBy === userId;

/** The member who took over last, or else the one who started it. */
const isDriver: Owner = (session, caller) =>
  session.lastTakenOverBy === null
    ? isStarter(session, caller)
    : session.lastTakenOverBy === caller.userId;

type SessionRequest = Extract<SessionCommand, { type: 'RequestSession' }>['data'];

function requestOf(
  own: Pick<SessionRequest, 'sessionId' | 'agentId' | 'price'>,
  { goal, context, maxSteps }: Wanted,
  call: { readonly caller: Caller; readonly context: CommandContext },
): SessionRequest {
  const { userId: requestedBy, organizationId } = call.caller;
  const deadline = new Date(call.context.now.getTime() + DEADLINE_MINUTES * 60_000);
  return {
    ...own,
    organizationId,
    goal,
    context: context || null,
    maxSteps,
    requestedBy,
    deadline: deadline.toISOString(),
  };
}

export const statusOf = ({ started, end }: RequestedSession) =>
  end?.status ?? (started ? 'running' : 'queued');

/** The session as commands return it, equal to what reads return. */
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
    freeSteps: session.steps.length - agentSteps(session),
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
    approvalId: waitsFor(session)?.approvalId ?? null,
    queuePosition: status === 'queued' ? await sessions.open.before(sessionId) : null,
    workspaceData: {
      finalOutcome: end && {
        ...end.outcome,
        totalSteps: session.steps.length,
        totalCredits: session.creditsUsed,
      },
    },
  };
}
