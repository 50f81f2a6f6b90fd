import type { Planner } from '@tallyhand/agent-runtime/browsing/planner';
import type { EngineTool, JsonObject, ToolOperation } from '@tallyhand/agent-runtime/engine';
import type {
  AgentModel,
  AgentProfile,
  FormPolicy,
} from '@tallyhand/contracts/features/agents/agents.fields';
import {
  NotYourClaim,
  SessionEnded,
} from '@tallyhand/contracts/features/sessions/sessions.refusals';
import { NotFound } from '@tallyhand/contracts/kernel/problem';
import { isRefusal, type Refusal } from '@tallyhand/contracts/kernel/refusal';
import type { Sentence } from '@tallyhand/contracts/kernel/sentence';
import type { Kit } from '../../kit/app.ts';
import type { CompletionSignals } from '../../kit/completion-signals.ts';
import { backgroundContext, type CommandContext } from '../../kit/context.ts';
import { OpenSessions } from './open-sessions.ts';
import { type SessionCommand, sessionStream } from './session.decider.ts';
import type { RequestedSession } from './session-state.ts';
import { StepCredits, type StepLedger } from './step-credits.ts';

/** The completion signal that wakes polling runners. */
const NEWS = 'session-news';

/** An agent as sessions need it. */
export type SessionAgent = AgentProfile & {
  readonly version: number;
  readonly isActive: boolean;
  readonly tools: readonly string[];
  /** Null for the model of the installation. */
  readonly model: AgentModel | null;
  /** Absent for an agent from before form policies: all forms are sent. */
  readonly formPolicy?: FormPolicy | undefined;
};

/** A tool of the organization. Browser tools only give start pages: a session has its own browser. */
export type SessionTool = {
  readonly version: number;
  readonly tool: EngineTool;
  /** Whether a call waits for a person first. */
  readonly asks: (operation: ToolOperation, args: JsonObject) => boolean;
  readonly browser: { readonly startUrl: string | null } | null;
};

/** The parts of other features. */
export type SessionsContext = {
  readonly kit: Kit;
  readonly completions: CompletionSignals;
  readonly ledger: StepLedger;
  readonly priceOf: (
    kind: 'step',
    organizationId: string,
    model: AgentModel | null,
  ) => Promise<number>;
  readonly findAgent: (id: string, organizationId: string) => Promise<SessionAgent | null>;
  /** Plans with the model that an agent has chosen. */
  readonly plannerOf: (
    organizationId: string,
    model: AgentModel,
    price: number,
  ) => Promise<Planner>;
  /** Those of the ids that can be used. */
  readonly findTools: (
    ids: readonly string[],
    organizationId: string,
  ) => Promise<readonly SessionTool[]>;
  /** Null for a former member. */
  readonly nameOf: (userId: string, organizationId: string) => Promise<string | null>;
};

type LeftStep = {
  readonly organizationId: string;
  readonly stepId: string;
  readonly isExpired: boolean;
};

/** Without an outcome, it is made of the session's findings. */
type EndCommand = Extract<
  SessionCommand,
  { type: 'CompleteSession' | 'FailSession' | 'TerminateSession' }
>;

/** The command that ends a session which can't continue. */
export const failedBy = (
  reason: Extract<SessionCommand, { type: 'FailSession' }>['data']['reason'],
  { code, params, text: error }: Sentence,
) => ({ type: 'FailSession', data: { reason, code, params, error } }) as const;

/** The sessions of agents, and the consequences of their ends. Every call may be repeated. */
export class Sessions {
  readonly kit: Kit;
  readonly streams;
  readonly open: OpenSessions;
  readonly credits: StepCredits;
  readonly #context: SessionsContext;

  constructor(context: SessionsContext) {
    const { kit, ledger } = context;
    this.kit = kit;
    this.streams = kit.streams.of(sessionStream);
    this.open = new OpenSessions(kit.pool);
    this.credits = new StepCredits(kit.pool, ledger);
    this.#context = context;
  }

  findAgent(id: string, organizationId: string) {
    return this.#context.findAgent(id, organizationId);
  }

  priceOf(organizationId: string, model: AgentModel | null) {
    return this.#context.priceOf('step', organizationId, model);
  }

  findTools(ids: readonly string[], organizationId: string) {
    return this.#context.findTools(ids, organizationId);
  }

  plannerOf({ organizationId, price }: RequestedSession, model: AgentModel) {
    return this.#context.plannerOf(organizationId, model, price);
  }

  nameOf(userId: string, organizationId: string) {
    return this.#context.nameOf(userId, organizationId);
  }

  load(sessionId: string) {
    return this.streams.load(sessionId);
  }

  /** Wakes polling runners, in all processes. */
  wakeRunners() {
    return this.#context.completions.announce(NEWS, '');
  }

  /** Resolves when there is something new for runners, or after this time. */
  news(timeoutMs: number) {
    return this.#context.completions.wait(NEWS, timeoutMs);
  }

  /** Ends a session. One that has ended does not change. */
  async end(
    context: CommandContext,
    sessionId: string,
    command: EndCommand,
  ): Promise<RequestedSession | Refusal> {
    const answer = await this.streams.send(sessionId, command, context);
    if (isRefusal(answer)) return answer;
    if (!answer.state) throw new Error(`Session ${sessionId} ended without having begun`);
    await this.close(context, answer.state);
    return answer.state;
  }

  /** The consequences of a session's end. */
  async close(context: CommandContext, session: RequestedSession) {
    await this.open.remove(session.sessionId);
    await this.wakeRunners();
    await this.credits.settleAll(context, session);
  }

  /** Settles an abandoned reservation if its step is over. Returns whether it is. */
  async settleLeft({ organizationId, stepId, isExpired }: LeftStep): Promise<boolean> {
    const { ledger } = this.#context;
    const context = backgroundContext('reaction', organizationId);
    const sessionId = await this.credits.sessionOf(stepId);
    const session = sessionId && (await this.load(sessionId));
    if (!session) {
      await ledger.releaseIfAny(context, organizationId, stepId, 'work-cancelled');
      return true;
    }
    const isOver = session.end || session.steps.some((step) => step.stepId === stepId);
    if (isOver) await this.credits.settle(context, session, stepId);
    else if (isExpired) await ledger.extend(context, organizationId, stepId);
    return Boolean(isOver);
  }

  /** Why the agent may not continue: its state, or that of the member who started the session. */
  async hindrance({ agentId, organizationId, requestedBy }: RequestedSession) {
    const agent = await this.findAgent(agentId, organizationId);
    if (!agent) return 'agent-deleted' as const;
    if (!agent.isActive) return 'agent-paused' as const;
    const name = await this.nameOf(requestedBy, organizationId);
    return name === null ? ('member-removed' as const) : null;
  }

  /** The open session, if this runner holds it. */
  async heldBy(runnerId: string, sessionId: string): Promise<RequestedSession | Refusal> {
    const isHeld = await this.open.isHeldBy(sessionId, runnerId);
    const session = await this.load(sessionId);
    if (!session) return NotFound({ what: 'session' });
    if (session.end) return SessionEnded({});
    return isHeld ? session : NotYourClaim({});
  }
}
