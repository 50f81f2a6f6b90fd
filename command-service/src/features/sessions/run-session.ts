import { EngineFailure } from '@tallyhand/agent-runtime/engine';
import { UsageMeter } from '@tallyhand/agent-runtime/usage-meter';
import { withDeadline } from '@tallyhand/agent-runtime/with-deadline';
import type {
  beginStep,
  endSession,
  notePersonStep,
  openedBrowser,
  planStep,
  StepReport,
  useTool,
} from '@tallyhand/contracts/features/sessions/runner.endpoints';
import {
  BrowserFault,
  CreditsUsedUp,
  SessionTooLate,
} from '@tallyhand/contracts/features/sessions/session-failures';
import {
  NotYourClaim,
  SessionEnded,
  StepNotBegun,
} from '@tallyhand/contracts/features/sessions/sessions.refusals';
import type { AnswerOf, BodyOf } from '@tallyhand/contracts/kernel/endpoint';
import { ValidationFailed } from '@tallyhand/contracts/kernel/problem';
import { isRefusal, type Refusal } from '@tallyhand/contracts/kernel/refusal';
import { sentenceOf } from '@tallyhand/contracts/kernel/sentence';
import type { CommandContext } from '../../kit/context.ts';
import { keepImage, readPng } from '../../kit/stored-content.ts';
import { NO_SUCH_TOOL, wantedTool } from './ask-approval.ts';
import { isLate, resourcesOf } from './assignments.ts';
import { verdictOn } from './call-verdict.ts';
import type { SessionCommand } from './session.decider.ts';
import { agentSteps, isNextStep, type RequestedSession } from './session-state.ts';
import { failedBy, type Sessions } from './sessions.ts';
import { stepIdOf } from './step-credits.ts';

const TOOL_MS_MAX = 60_000;
const PLAN_MS_MAX = 60_000;

const NOT_APPROVED = 'This call needs the approval of a person.';
const USED = 'The approved call was made before; whether it did anything is not known.';
const failed = (output: string) => ({ success: false, output });

const screenshotOf = (base64: string | null) =>
  base64 === null ? null : Buffer.from(base64, 'base64');

type Begun = AnswerOf<typeof beginStep>;
type Step = { readonly sessionId: string; readonly stepNumber: number };
type ContextFor = (organizationId: string) => CommandContext;

type Done = { readonly ok: true };
const DONE: Done = { ok: true };

/** The calls of a runner about a session that it holds. Every call may be repeated. */
export class SessionRuns {
  readonly #sessions: Sessions;

  constructor(sessions: Sessions) {
    this.#sessions = sessions;
  }

  async opened(
    sessionId: string,
    { runnerId, browserSessionId, model }: BodyOf<typeof openedBrowser>,
    contextFor: ContextFor,
  ): Promise<Done | Refusal> {
    const session = await this.#sessions.heldBy(runnerId, sessionId);
    if (isRefusal(session)) return session;
    const { organizationId, agentId } = session;
    const agent = await this.#sessions.findAgent(agentId, organizationId);
    // The first step ends the session of a deleted agent.
    if (!agent) return DONE;
    const { all } = await resourcesOf(this.#sessions, agent.tools, organizationId);
    const tools = all.map(({ tool, version }) => ({ toolId: tool.id, version }));
    await this.#sessions.open.noteBrowser(browserSessionId, sessionId);
    const data = { browserSessionId, model, agentVersion: agent.version, tools };
    return this.#send(contextFor(organizationId), sessionId, { type: 'StartSession', data });
  }

  /** Whether a step may be taken. If the session can't continue, this ends it. */
  async begin(
    { sessionId, stepNumber }: Step,
    runnerId: string,
    contextFor: ContextFor,
  ): Promise<Begun | Refusal> {
    const sessions = this.#sessions;
    const session = await sessions.heldBy(runnerId, sessionId);
    if (isRefusal(session)) {
      return session.code === SessionEnded.code ? { answer: 'ended' } : session;
    }
    const context = contextFor(session.organizationId);
    const end = async (
      command: Parameters<Sessions['end']>[2],
      answer: Begun['answer'],
    ): Promise<Begun | Refusal> => {
      const ended = await sessions.end(context, sessionId, command);
      return isRefusal(ended) ? ended : { answer };
    };
    if (isLate(session)) return end(failedBy('error', SessionTooLate({})), 'ended');
    if (session.takenOverBy) return { answer: 'wait' };
    const reason = await sessions.hindrance(session);
    if (reason) {
      return end({ type: 'TerminateSession', data: { reason, terminatedBy: null } }, 'ended');
    }
    if (agentSteps(session) >= session.maxSteps) {
      return end({ type: 'CompleteSession', data: { reason: 'out-of-steps' } }, 'out-of-steps');
    }
    // A runner with another count has missed something: it must claim the session again.
    if (!isNextStep(session, stepNumber)) return NotYourClaim({});
    const refused = await sessions.credits.reserve(context, session, stepNumber);
    if (refused) return end(failedBy('out-of-credits', sentenceOf(refused)), 'out-of-credits');
    // The session may have been ended just before the credit was reserved.
    const now = await sessions.load(sessionId);
    if (!now?.end) return { answer: 'go' };
    await sessions.credits.settle(context, now, stepIdOf(sessionId, stepNumber));
    return { answer: 'ended' };
  }

  /** Plans a step with the agent's model here, because keys never leave this process. */
  async plan(
    sessionId: string,
    { runnerId, model, page, ...asked }: BodyOf<typeof planStep>,
    gone: AbortSignal,
  ): Promise<AnswerOf<typeof planStep> | Refusal> {
    const session = await this.#sessions.heldBy(runnerId, sessionId);
    if (isRefusal(session)) return session;
    const { goal, context } = session;
    const planner = await this.#sessions.plannerOf(session, model);
    const meter = new UsageMeter();
    const planned = async () => {
      try {
        const step = await planner.next({
          ...asked,
          goal,
          context,
          page: page && { ...page, screenshot: screenshotOf(page.screenshot) },
          steps: session.steps.map(({ takenBy, ...step }) => ({
            ...step,
            isByPerson: takenBy !== null,
          })),
          onModelCall: meter.note,
          signal: withDeadline(gone, PLAN_MS_MAX),
        });
        return { step, failure: null };
      } catch (error) {
        if (!(error instanceof EngineFailure)) throw error;
        return { step: null, failure: error.sentence };
      }
    };
    const plan = await planned();
    return { ...plan, seesImages: planner.seesImages, usage: meter.take() ?? [] };
  }

  /** Records a step, and charges or releases its credit. */
  async complete(
    { sessionId, stepNumber }: Step,
    { runnerId, step }: { readonly runnerId: string; readonly step: StepReport },
    contextFor: ContextFor,
  ): Promise<Done | Refusal> {
    const { credits, streams } = this.#sessions;
    const stepId = stepIdOf(sessionId, stepNumber);
    const known = await this.#sessions.load(sessionId);
    const isTaken = known?.steps.some((one) => one.stepId === stepId);
    const session = known && isTaken ? known : await this.#sessions.heldBy(runnerId, sessionId);
    if (isRefusal(session)) return session;
    const context = contextFor(session.organizationId);
    if (isTaken) {
      await credits.settle(context, session, stepId);
      return DONE;
    }
    if ((await credits.sessionOf(stepId)) !== sessionId) return StepNotBegun({});
    const taken = await this.#reportOf(session, step);
    if (isRefusal(taken)) return taken;
    const data = { ...taken, stepId, stepNumber };
    const answer = await streams.send(sessionId, { type: 'TakeStep', data }, context);
    if (isRefusal(answer)) return answer;
    if (answer.state) await credits.settle(context, answer.state, stepId);
    return DONE;
  }

  /** Records what the member who took over did. */
  async notePersonStep(
    sessionId: string,
    { runnerId, memberId, stepId, step }: BodyOf<typeof notePersonStep>,
    contextFor: ContextFor,
  ): Promise<Done | Refusal> {
    const session = await this.#sessions.heldBy(runnerId, sessionId);
    if (isRefusal(session)) return session;
    const taken = await this.#reportOf(session, step);
    if (isRefusal(taken)) return taken;
    const actor = { kind: 'member', id: memberId };
    const context = { ...contextFor(session.organizationId), actor };
    const data = { ...taken, stepId, takenBy: memberId };
    return this.#send(context, sessionId, { type: 'NotePersonStep', data });
  }

  /** Calls one of the agent's tools here, because credentials never leave this process. */
  async useTool(
    sessionId: string,
    { runnerId, ...call }: BodyOf<typeof useTool>,
    { gone, contextFor }: { readonly gone: AbortSignal; readonly contextFor: ContextFor },
  ): Promise<AnswerOf<typeof useTool> | Refusal> {
    const session = await this.#sessions.heldBy(runnerId, sessionId);
    if (isRefusal(session)) return session;
    const wanted = await wantedTool(this.#sessions, session, call);
    if (!wanted) return failed(NO_SUCH_TOOL);
    const { tool, operation, asks } = wanted;
    const verdict = verdictOn(session, wanted.call, (args) => asks(operation, args));
    if (verdict.kind === 'refused') return failed(verdict.output);
    if (verdict.kind !== 'go') return failed(NOT_APPROVED);
    const { args, approvalId } = verdict;
    if (approvalId) {
      const context = contextFor(session.organizationId);
      const used = await this.#send(context, sessionId, {
        type: 'UseApproval',
        data: { approvalId },
      });
      if (isRefusal(used)) return failed(USED);
    }
    const signal = withDeadline(gone, TOOL_MS_MAX);
    try {
      return await tool.call(operation, args, signal);
    } catch (error) {
      if (!(error instanceof EngineFailure)) throw error;
      return failed('The tool took too long.');
    }
  }

  async handBack(
    sessionId: string,
    runnerId: string,
    contextFor: ContextFor,
  ): Promise<Done | Refusal> {
    const session = await this.#sessions.heldBy(runnerId, sessionId);
    if (isRefusal(session)) return session;
    const command = { type: 'HandBack', data: { by: null } } as const;
    return this.#send(contextFor(session.organizationId), sessionId, command);
  }

  async end(
    sessionId: string,
    { runnerId, reason, error, code, params, outcome }: BodyOf<typeof endSession>,
    contextFor: ContextFor,
  ): Promise<Done | Refusal> {
    const session = await this.#sessions.heldBy(runnerId, sessionId);
    if (isRefusal(session)) return session.code === SessionEnded.code ? DONE : session;
    const isFailed = reason === 'out-of-credits' || reason === 'error';
    const otherwise = reason === 'out-of-credits' ? CreditsUsedUp({}) : BrowserFault({});
    const why = error === null ? otherwise : { code, params, text: error };
    const ended = await this.#sessions.end(
      contextFor(session.organizationId),
      sessionId,
      isFailed
        ? {
            type: 'FailSession',
            data: { reason, code: why.code, params: why.params, error: why.text, outcome },
          }
        : { type: 'CompleteSession', data: { reason, outcome } },
    );
    return isRefusal(ended) ? ended : DONE;
  }

  async #send(context: CommandContext, sessionId: string, command: SessionCommand) {
    const answer = await this.#sessions.streams.send(sessionId, command, context);
    return isRefusal(answer) ? answer : DONE;
  }

  /** A step as its event contains it: pictures are stored separately, under their hashes. */
  async #reportOf({ organizationId }: RequestedSession, { screenshots, ...step }: StepReport) {
    const { pool } = this.#sessions.kit;
    const pictures = screenshots.map(readPng);
    const at = pictures.indexOf(null);
    if (at !== -1) {
      const error = { path: `step.screenshots.${at}`, message: 'Must be a PNG as base64' };
      return ValidationFailed({ summary: `${error.path}: ${error.message}.` }, [error]);
    }
    const kept = pictures.flatMap((picture) =>
      picture ? [keepImage(pool, organizationId, picture)] : [],
    );
    return { ...step, screenshots: await Promise.all(kept) };
  }
}
