import { setTimeout as wait } from 'node:timers/promises';
import {
  describeAction,
  type PlannedStep,
  type Planner,
} from '@tallyhand/agent-runtime/browsing/planner';
import { EngineFailure } from '@tallyhand/agent-runtime/engine';
import { orAborted } from '@tallyhand/agent-runtime/or-aborted';
import { withDeadline } from '@tallyhand/agent-runtime/with-deadline';
import type { BrowsingAction } from '@tallyhand/contracts/features/sessions/browsing';
import type {
  Assignment,
  StepReport,
} from '@tallyhand/contracts/features/sessions/runner.endpoints';
import {
  StepNotPlanned,
  StepNotPlannedInTime,
} from '@tallyhand/contracts/features/sessions/session-failures';
import type { Sentence } from '@tallyhand/contracts/kernel/sentence';
import { errorFields, type Log } from '@tallyhand/service-kit/log';
import { traced } from '@tallyhand/service-kit/tracing/tracing';
import { MASK } from '../browser/secrets.ts';
import type { LoopTimes } from '../config.ts';
import type { SessionApi } from '../internal/session-api.ts';
import type { ActionResult, PageAction, SessionBrowser } from '../session-browser.ts';
import type { SessionDeadline } from './session-deadline.ts';
import type { SessionMemory } from './session-memory.ts';
import { mayMovePage, stepReport } from './step-report.ts';

export type StepWork = {
  readonly assignment: Assignment;
  readonly memory: SessionMemory;
  readonly api: Pick<SessionApi, 'ask' | 'useTool'>;
  readonly planner: Planner;
  readonly browser: SessionBrowser;
  readonly times: LoopTimes;
  readonly timeLimit: Pick<SessionDeadline, 'defer'>;
  readonly log: Log;
  /** Nothing continues after it: the end of the session or the browser. */
  readonly stopped: AbortSignal;
  /** Why the browser was lost; null while it is not. */
  readonly lost: () => Sentence | null;
  /** The agent's turn is over, also because it stopped. */
  readonly turn: AbortSignal;
};

export type TakenStep = { readonly report: StepReport } & (
  | { readonly action: BrowsingAction }
  /** The planner failed. */
  | { readonly action: null; readonly why: Sentence }
);

/**
 * One step of the agent: look, decide, act, look again. Null if control changed before it had
 * decided, or if the browser was lost before it acted: then there was no step.
 */
export async function takeStep(work: StepWork): Promise<TakenStep | null> {
  const startedAt = performance.now();
  const { assignment, memory, times, turn } = work;
  const untilPlanned = withDeadline(turn, times.planMs);
  const planned = await traced('look and plan', {}, () => plan(work, untilPlanned));
  if (planned === null || turn.aborted) return null;
  if ('text' in planned) {
    const facts = {
      input: '',
      output: planned.text,
      reasoning: null,
      toolUsed: null,
      finding: null,
      usage: memory.meter.take(),
    };
    const executionTimeMs = performance.now() - startedAt;
    const place = { url: memory.url(), title: memory.title(), frame: null };
    const outcome = { success: false, interrupted: false };
    const report = { ...facts, ...outcome, action: 'plan', executionTimeMs } as const;
    return { report: stepReport(report, place), action: null, why: planned };
  }
  const { action, reasoning } = planned;
  const done = await traced(`act: ${action.type}`, {}, () => carryOut(work, action, startedAt));
  if (done === null) return null;
  const frame = mayMovePage(action.type) ? await work.browser.screenshot() : null;
  const facts = {
    action: action.type,
    toolUsed: toolOf(action, assignment),
    input: done.isSecret
      ? describeAction(withoutText(action), done.name)
      : describeAction(action, done.name),
    output: done.output,
    reasoning,
    success: done.success,
    interrupted: done.interrupted,
    executionTimeMs: performance.now() - startedAt - done.waitedMs,
    finding: action.type === 'note' ? action.finding : null,
    usage: memory.meter.take(),
  };
  return { report: stepReport(facts, { url: memory.url(), title: memory.title(), frame }), action };
}

/** The next action; a report if the planner failed, null if it was not its turn any more. */
async function plan(work: StepWork, signal: AbortSignal): Promise<PlannedStep | Sentence | null> {
  const { assignment, memory, planner, browser, turn, log } = work;
  try {
    const { agent, goal, context, maxSteps, tools, startUrls } = assignment;
    const page = await orAborted(browser.view({ withImage: planner.seesImages }, signal), signal);
    const stepsLeft = maxSteps - memory.agentSteps();
    const { steps } = memory;
    const planned = planner.next({
      agent,
      goal,
      context,
      page,
      steps,
      stepsLeft,
      tools,
      startUrls,
      signal,
      onModelCall: memory.meter.note,
    });
    return await orAborted(planned, signal);
  } catch (error) {
    if (turn.aborted) return null;
    if (signal.aborted) return StepNotPlannedInTime({});
    if (error instanceof EngineFailure) return error.sentence;
    log.error('a step could not be planned', errorFields(error));
    return StepNotPlanned({});
  }
}

/** Null if the browser was lost before the action: an approval waits for the next one. */
async function carryOut(
  work: StepWork,
  action: BrowsingAction,
  startedAt: number,
): Promise<Done | null> {
  const { browser, turn, stopped, lost, times } = work;
  const askedAt = performance.now();
  let waitedMs = 0;
  let tooLate: AbortSignal | null = null;
  let signal = turn;
  const uninterrupted = (result: ActionResult): Done => ({
    ...result,
    waitedMs,
    interrupted: false,
  });
  try {
    const refused = await refusalOf(work, action);
    waitedMs = performance.now() - askedAt;
    if (refused !== null) return uninterrupted(refused);
    tooLate = AbortSignal.timeout(Math.round(Math.max(0, times.stepMs - askedAt + startedAt)));
    // A call of an organization's tool cannot be cancelled: it is awaited.
    signal = AbortSignal.any([tooLate, action.type === 'use_tool' ? stopped : turn]);
    switch (action.type) {
      case 'note':
        return uninterrupted(answered(true, 'Noted.'));
      case 'finish': {
        const { result, summary, keyFindings } = action;
        const success = result !== 'not-reached';
        return uninterrupted(answered(success, [summary, ...keyFindings].join('\n')));
      }
      case 'use_tool':
        return uninterrupted(await useTool(work, action, signal));
      default:
        return uninterrupted(await orAborted(browser.act(action, signal), signal));
    }
  } catch (error) {
    if (tooLate === null && lost() !== null) return null;
    if (!signal.aborted) {
      work.log.error('an action failed', { ...errorFields(error), action: action.type });
    }
    // Whether it was a password is not known then.
    const isSecret = action.type === 'type';
    // The action runs until it is done, timed out or stopped; or until a member takes over.
    const interrupted = signal.aborted && !tooLate?.aborted && !stopped.aborted;
    if (tooLate === null) waitedMs = performance.now() - askedAt;
    const why = interrupted
      ? 'A person took over while this was under way.'
      : whyNot(work, tooLate);
    return { ...answered(false, why), isSecret, interrupted, waitedMs };
  }
}

/** The outcome of an action; `interrupted` if a member took over meanwhile. */
type Done = ActionResult & {
  readonly interrupted: boolean;
  /** How long it waited for a person's decision. */
  readonly waitedMs: number;
};

/** Why the action is not done, after a person has decided on it where that is needed. */
async function refusalOf(work: StepWork, action: BrowsingAction): Promise<ActionResult | null> {
  switch (action.type) {
    case 'use_tool': {
      const { toolId, operation, args } = action;
      if (!findTool(work, action)) return answered(false, 'The agent has no such tool.');
      const call = { kind: 'tool', toolId, operation, args } as const;
      const { refusal } = await waitForApproval(work, call, work.turn);
      return refusal === null ? null : answered(false, refusal);
    }
    case 'note':
    case 'finish':
      return null;
    default:
      return refusalOfForm(work, action);
  }
}

const CHANGED =
  'Not sent: the page or its form has changed since it was shown to a person, or cannot be read any more.';

async function refusalOfForm(work: StepWork, action: PageAction): Promise<ActionResult | null> {
  const { browser, turn } = work;
  const form = await browser.form(action, turn);
  if (form === null) return null;
  // Whether it was a password that was to be typed is not known here.
  const isSecret = action.type === 'type';
  if (form === 'unread') {
    const { refusal } = await waitForApproval(work, { kind: 'unread-form' }, turn);
    return refusal === null ? null : { ...answered(false, refusal), isSecret };
  }
  const { name, host, args, print } = form;
  const refused = (output: string) => ({ ...answered(false, output), name, isSecret });
  const call = { kind: 'form', host, args } as const;
  const { refusal, isApproved } = await waitForApproval(work, call, turn);
  if (refusal !== null) return refused(refusal);
  // Only what was shown to a person can differ from it.
  if (!isApproved) return null;
  const now = await browser.form(action, turn);
  const isSame = now !== null && now !== 'unread' && now.print === print;
  return isSame ? null : refused(CHANGED);
}

type ToolAction = Extract<BrowsingAction, { type: 'use_tool' }>;

const findTool = ({ assignment }: StepWork, { toolId, operation }: ToolAction) =>
  assignment.tools.find(
    ({ id, operations }) => id === toolId && operations.some(({ name }) => name === operation),
  );

function whyNot({ times, stopped, lost }: StepWork, tooLate: AbortSignal | null): string {
  if (tooLate?.aborted) return `It took longer than ${times.stepMs / 1000} s.`;
  const stop = stopped.aborted ? (lost()?.text ?? 'The session was stopped.') : null;
  return stop ?? 'It could not be done: something went wrong in the browser.';
}

async function useTool(
  { api, log }: StepWork,
  { toolId, operation, args }: ToolAction,
  signal: AbortSignal,
): Promise<ActionResult> {
  try {
    const { success, output } = await orAborted(
      api.useTool({ toolId, operation, args }, signal),
      signal,
    );
    return answered(success, output);
  } catch (error) {
    if (signal.aborted) throw error;
    log.error('a tool gave no answer', errorFields(error));
    return answered(false, 'The tool gave no answer; whether it did anything is not known.');
  }
}

const answered = (success: boolean, output: string): ActionResult => ({
  success,
  output,
  name: null,
  isSecret: false,
});

function toolOf(action: BrowsingAction, { tools }: Assignment): string | null {
  if (action.type === 'note' || action.type === 'finish') return null;
  if (action.type !== 'use_tool') return BROWSER_TOOL;
  return tools.find(({ id }) => id === action.toolId)?.title ?? null;
}

export const BROWSER_TOOL = 'browser';

const withoutText = (action: BrowsingAction): BrowsingAction =>
  action.type === 'type' ? { ...action, text: MASK } : action;

const QUICK_ASKS = 15;
const SLOWDOWN_MAX = 5;

/** A person who watches decides soon. After that, asking less often saves the look-ups. */
export const pauseMs = (asks: number, askMs: number) =>
  askMs * Math.min(Math.max(asks / QUICK_ASKS, 1), SLOWDOWN_MAX);

type Waited = {
  /** Why the call may not be made, for the agent; null if it may. */
  readonly refusal: string | null;
  /** A person has approved it. */
  readonly isApproved: boolean;
};

/** Waits until it is clear whether the call of the current step may be made. Rejects by the signal. */
async function waitForApproval(
  { memory, api, times, timeLimit }: StepWork,
  call: Parameters<SessionApi['ask']>[1],
  signal: AbortSignal,
): Promise<Waited> {
  for (let asks = 1; ; asks += 1) {
    const { answer, output, isApproved, deadline } = await api.ask(
      memory.nextNumber(),
      call,
      signal,
    );
    timeLimit.defer(deadline);
    if (answer !== 'wait') return { refusal: output, isApproved };
    await wait(pauseMs(asks, times.askMs), undefined, { signal });
  }
}
