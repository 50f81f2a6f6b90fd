import type { AgentProfile, EngineTool } from '@tallyhand/agent-runtime/engine';
import {
  NotYourClaim,
  SessionEnded,
} from '@tallyhand/contracts/features/sessions/sessions.refusals';
import { NotFound } from '@tallyhand/contracts/kernel/problem';
import { isRefusal, type Refusal } from '@tallyhand/contracts/kernel/refusal';
import type { Sentence } from '@tallyhand/contracts/kernel/sentence';
import { newId } from '@tallyhand/service-kit/crypto/ids';
import type { Kit } from '../../kit/app.ts';
import type { CompletionSignals } from '../../kit/completion-signals.ts';
import type { CommandContext } from '../../kit/context.ts';
import { openSessionsOf } from './open-sessions.ts';
import { type SessionCommand, sessionStream } from './session.decider.ts';
import type { RequestedSession } from './session-state.ts';
import { type StepLedger, stepCreditsOf } from './step-credits.ts';

/** What runners that wait for work are told by. */
const NEWS = 'session-news';

/** An agent as sessions need it. */
export type SessionAgent = AgentProfile & {
  readonly version: number;
  readonly isActive: boolean;
  readonly tools: readonly string[];
};

/** A tool of the organization; of one that is a browser the session has its own. */
export type SessionTool = {
  readonly version: number;
  readonly tool: EngineTool;
  readonly browser: { readonly startUrl: string | null } | null;
};

/** What sessions need of the other features. */
export type SessionsContext = {
  readonly kit: Kit;
  readonly completions: CompletionSignals;
  readonly ledger: StepLedger;
  readonly findAgent: (id: string, organizationId: string) => Promise<SessionAgent | null>;
  /** Those among these ids that can be used. */
  readonly findTools: (
    ids: readonly string[],
    organizationId: string,
  ) => Promise<readonly SessionTool[]>;
  /** Null for who is no member any more. */
  readonly nameOf: (userId: string, organizationId: string) => Promise<string | null>;
};

type LeftStep = {
  readonly organizationId: string;
  readonly stepId: string;
  readonly isExpired: boolean;
};

/** How a session ends; without an outcome one is made of its findings. */
type EndCommand = Extract<
  SessionCommand,
  { type: 'CompleteSession' | 'FailSession' | 'TerminateSession' }
>;

/** The end of a session that can't go on, and why. */
export const failedBy = (
  reason: Extract<SessionCommand, { type: 'FailSession' }>['data']['reason'],
  { code, params, text: error }: Sentence,
) => ({ type: 'FailSession', data: { reason, code, params, error } }) as const;

/** The sessions of agents, and what follows from their ends. Every call may be repeated. */
export type Sessions = ReturnType<typeof sessionsOf>;

export function sessionsOf(context: SessionsContext) {
  const { kit, completions, ledger, findAgent, findTools, nameOf } = context;
  const streams = kit.streams.of(sessionStream);
  const open = openSessionsOf(kit.pool);
  const credits = stepCreditsOf(kit.pool, ledger);

  /** Notifies runners of news, whichever process they poll. */
  const tell = () => completions.announce(NEWS, '');

  /** What must be done once a session has ended. */
  async function close(context: CommandContext, session: RequestedSession) {
    await open.remove(session.sessionId);
    await tell();
    await credits.settleAll(context, session);
  }

  return {
    kit,
    streams,
    open,
    credits,
    tell,
    close,
    findAgent,
    findTools,
    nameOf,
    load: (sessionId: string) => streams.load(sessionId),
    /** Resolves when there is something new for runners, or after this time. */
    news: (timeoutMs: number) => completions.wait(NEWS, timeoutMs),
    /** Ends a session; one that has ended stays as it is. */
    async end(
      context: CommandContext,
      sessionId: string,
      command: EndCommand,
    ): Promise<RequestedSession | Refusal> {
      const answer = await streams.send(sessionId, command, context);
      if (isRefusal(answer)) return answer;
      if (!answer.state) throw new Error(`Session ${sessionId} ended without having begun`);
      await close(context, answer.state);
      return answer.state;
    },
    /** Ends a step's reservation that was left behind, if its work is over: is it? */
    async settleLeft({ organizationId, stepId, isExpired }: LeftStep): Promise<boolean> {
      const context = sessionContext(organizationId);
      const sessionId = await credits.sessionOf(stepId);
      const session = sessionId && (await streams.load(sessionId));
      if (!session) {
        await ledger.release(context, organizationId, stepId, 'work-cancelled');
        return true;
      }
      const isOver = session.end || session.steps.some((step) => step.stepId === stepId);
      if (isOver) await credits.settle(context, session, stepId);
      else if (isExpired) await ledger.extend(context, organizationId, stepId);
      return Boolean(isOver);
    },
    /** Why the agent may not continue: its state, or that of the member who started the session. */
    async hindrance({ agentId, organizationId, requestedBy }: RequestedSession) {
      const agent = await findAgent(agentId, organizationId);
      if (!agent) return 'agent-deleted' as const;
      if (!agent.isActive) return 'agent-paused' as const;
      const name = await nameOf(requestedBy, organizationId);
      return name === null ? ('member-removed' as const) : null;
    },
  };
}

/** For automatic consequences, without an actor. */
export const sessionContext = (organizationId: string): CommandContext => ({
  organizationId,
  causationId: null,
  commandId: newId(),
  correlationId: newId(),
  actor: { kind: 'reaction' },
  now: new Date(),
});

export type ContextFor = (organizationId: string) => CommandContext;
export type Done = { readonly ok: true };

export const DONE: Done = { ok: true };

/** The session while this runner holds it, and it goes on. */
export async function heldSession(
  { open, load }: Sessions,
  sessionId: string,
  runnerId: string,
): Promise<RequestedSession | Refusal> {
  const isHeld = await open.isHeldBy(sessionId, runnerId);
  const session = await load(sessionId);
  if (!session) return NotFound({ what: 'session' });
  if (session.end) return SessionEnded({});
  return isHeld ? session : NotYourClaim({});
}
