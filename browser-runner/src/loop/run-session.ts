import { randomUUID } from 'node:crypto';
import type { Planner } from '@tallyhand/agent-runtime/browsing/planner';
import { orAborted } from '@tallyhand/agent-runtime/or-aborted';
import { withDeadline } from '@tallyhand/agent-runtime/with-deadline';
import type { BrowsingAction } from '@tallyhand/contracts/features/sessions/browsing';
import type { Assignment } from '@tallyhand/contracts/features/sessions/runner.endpoints';
import {
  BrowserFault,
  BrowserNotOpened,
  CreditsUsedUp,
  SessionTooLate,
} from '@tallyhand/contracts/features/sessions/session-failures';
import type { Sentence } from '@tallyhand/contracts/kernel/sentence';
import { errorFields, type Log } from '@tallyhand/service-kit/log';
import { counter } from '@tallyhand/service-kit/metrics/counter';
import { tracedFrom } from '@tallyhand/service-kit/tracing/tracing';
import type { LoopTimes } from '../config.ts';
import { CallRefused } from '../internal/command-client.ts';
import type { SessionApi, SessionEnding } from '../internal/session-api.ts';
import type { BrowserHost, SessionBrowser } from '../session-browser.ts';
import { personSteps } from './person-steps.ts';
import type { ControlState, SessionFeed } from './session-control.ts';
import type { SessionDeadline } from './session-deadline.ts';
import { type SessionMemory, sessionMemory } from './session-memory.ts';
import { cutText } from './step-report.ts';
import { type TakenStep, takeStep } from './take-step.ts';

/** In a row. */
const PLAN_FAILURES_MAX = 3;
/** How many browsers a session may lose before it is given up. */
const BROWSERS_MAX = 3;
const REOPEN_MS_MAX = 30_000;
/** As long as the contract lets its name be. */
const MODEL_MAX = 200;

const browsers = counter({
  name: 'tallyhand_session_browsers_total',
  help: 'Browsers of sessions, by what became of them.',
  known: ['opened', 'not-opened', 'lost'].map((outcome) => ({ outcome })),
});

export type SessionWork = {
  readonly assignment: Assignment;
  readonly controlState: ControlState;
  readonly api: SessionApi;
  readonly host: BrowserHost;
  readonly planner: Planner;
  readonly feed: SessionFeed;
  readonly times: LoopTimes;
  readonly log: Log;
  /** This runner stops: the session is left to another one unchanged. */
  readonly leaving: AbortSignal;
  readonly timeLimit: SessionDeadline;
};

type Turn = {
  readonly browser: SessionBrowser;
  readonly memory: SessionMemory;
  /** Aborted by the session's end, the runner's, and the loss of the browser. */
  readonly stopped: AbortSignal;
  /** Why the browser was lost; null while it is not. */
  readonly lost: () => Sentence | null;
};

/** How the work in one browser ended; null if there is nothing to report. */
type Stop = SessionEnding | { readonly lost: Sentence } | null;

/**
 * Runs a session to its end, and closes its browser. Never rejects: failures end the session with a
 * sentence; what cannot be reported any more is left to another runner.
 */
export async function runSession(work: SessionWork): Promise<void> {
  const { api, controlState, leaving, timeLimit, log, assignment } = work;
  const isOver = () => controlState.ended.aborted || leaving.aborted;
  try {
    const memory = sessionMemory(assignment.steps);
    const ended = await inBrowsers(work, memory).catch((error) => {
      if (isOthers(error)) throw error;
      if (!isOver()) log.error('a session failed', errorFields(error));
      return failure(BrowserFault({}));
    });
    const ending = timeLimit.late.aborted ? failure(SessionTooLate({})) : ended;
    if (ending && !isOver()) await api.end(ending);
  } catch (error) {
    if (isOver() || isOthers(error)) return;
    log.error('the end of a session could not be reported', errorFields(error));
  }
}

/** It was ended, or another runner has it. Any other refusal would repeat forever. */
const isOthers = (error: unknown) =>
  error instanceof CallRefused && (error.status === 404 || error.status === 409);

/** In one browser after the other, as long as they get lost. */
async function inBrowsers(work: SessionWork, memory: SessionMemory): Promise<SessionEnding | null> {
  for (let opened = 1; ; opened += 1) {
    const stop = await inBrowser(work, memory);
    if (stop === null || !('lost' in stop)) return stop;
    browsers.add({ outcome: 'lost' });
    if (opened === BROWSERS_MAX) return failure(stop.lost);
  }
}

async function inBrowser(work: SessionWork, memory: SessionMemory): Promise<Stop> {
  const { api, host, planner, controlState, leaving, timeLimit, feed, log } = work;
  await using browser = await host.open(work.assignment.organizationId).catch((error) => {
    browsers.add({ outcome: 'not-opened' });
    log.error('a browser could not be opened', errorFields(error));
    return null;
  });
  if (browser === null) return failure(BrowserNotOpened({}));
  browsers.add({ outcome: 'opened' });
  const lost = new AbortController();
  const fate: { lost: Sentence | null } = { lost: null };
  browser.lost.then((why) => {
    fate.lost = why;
    lost.abort();
  });
  const stopped = AbortSignal.any([controlState.ended, leaving, timeLimit.late, lost.signal]);
  if (!stopped.aborted) await api.opened(randomUUID(), cutText(planner.model, MODEL_MAX));
  feed.show(browser);
  try {
    await reopen(browser, memory.url(), stopped);
    const stop = await turns(work, { browser, memory, stopped, lost: () => fate.lost });
    return stop === null && fate.lost ? { lost: fate.lost } : stop;
  } catch (error) {
    if (fate.lost) return { lost: fate.lost };
    throw error;
  } finally {
    feed.show(null);
  }
}

/** The session's page when the browser was lost. */
async function reopen(browser: SessionBrowser, url: string | null, stopped: AbortSignal) {
  if (url === null || stopped.aborted) return;
  const signal = withDeadline(stopped, REOPEN_MS_MAX);
  await orAborted(browser.act({ type: 'open', url }, signal), signal).catch(() => undefined);
}

/** The agent's and persons' turns, until there is nothing more to do here. */
async function turns(work: SessionWork, turn: Turn): Promise<SessionEnding | null> {
  const { controlState, assignment } = work;
  const { memory, stopped } = turn;
  let failures = 0;
  while (!stopped.aborted) {
    if (controlState.current.control === 'person') {
      await personTurn(work, turn);
      continue;
    }
    const change = controlState.changed();
    const ids = { 'tallyhand.session': assignment.sessionId };
    const attributes = { ...ids, 'tallyhand.step': memory.nextNumber() };
    // A trace for each step: a session may have hundreds, too many to read as one.
    const step = await tracedFrom(null, 'session step', { attributes }, () =>
      agentStep(work, turn),
    );
    if (step === null) continue;
    if ('ending' in step) return step.ending;
    if ('isPersons' in step) {
      // The notification of a takeover may arrive a moment later than this answer.
      await orStopped(change, stopped);
      continue;
    }
    if (step.action === null) {
      failures += 1;
      if (failures === PLAN_FAILURES_MAX) return failure(step.why);
      continue;
    }
    failures = 0;
    if (step.action.type === 'finish') return endingOf(step.action);
  }
  return null;
}

type NoStep = { readonly ending: SessionEnding | null } | { readonly isPersons: true };

/** A step of the agent from its credit to its event; null where it had no time to decide on one. */
async function agentStep(work: SessionWork, turn: Turn): Promise<TakenStep | NoStep | null> {
  const { api, controlState, feed } = work;
  const { memory, stopped } = turn;
  const answer = await api.begin(memory.nextNumber());
  if (answer === 'ended') return { ending: null };
  if (answer === 'out-of-credits') return { ending: failure(CreditsUsedUp({}), answer) };
  if (answer === 'out-of-steps')
    return { ending: { ...NO_FAILURE, reason: answer, outcome: null } };
  if (answer === 'wait') return { isPersons: true };
  const agentTurn = AbortSignal.any([stopped, controlState.agentTurn]);
  const step = await takeStep({ ...work, ...turn, turn: agentTurn });
  if (!step || controlState.ended.aborted || work.leaving.aborted) return null;
  await api.complete(memory.nextNumber(), step.report);
  memory.add(step.report, false);
  feed.acted(step.report);
  return step;
}

/** Until it is handed back; the agent waits. */
async function personTurn({ api, controlState, feed, times, log }: SessionWork, turn: Turn) {
  const { personId } = controlState.current;
  if (personId === null) return orStopped(controlState.changed(), turn.stopped);
  const change = controlState.changed();
  await using person = personSteps({ ...turn, memberId: personId, api, feed, times, log });
  feed.steer(person);
  try {
    const isIdle = await orStopped(
      Promise.race([change.then(() => false), person.idle.then(() => true)]),
      turn.stopped,
    );
    await person.flush();
    if (!isIdle) return;
    await api.handBackIdle();
    await orStopped(change, turn.stopped);
  } finally {
    feed.steer(null);
  }
}

const orStopped = <R>(work: Promise<R>, stopped: AbortSignal): Promise<R | undefined> =>
  orAborted(work, stopped).catch(() => undefined);

function endingOf(finish: Extract<BrowsingAction, { type: 'finish' }>): SessionEnding {
  const { result, summary, keyFindings, nextSteps } = finish;
  const outcome = { summary, keyFindings, nextSteps };
  switch (result) {
    case 'reached':
      return { ...NO_FAILURE, reason: 'goal-reached', outcome };
    case 'uncertain':
      return { ...NO_FAILURE, reason: 'answer-uncertain', outcome };
    case 'not-reached':
      // Text written by the agent has no translation.
      return { ...failure({ code: null, params: {}, text: summary }), outcome };
  }
}

const NO_FAILURE = { error: null, code: null, params: {} };

const failure = (
  { code, params, text }: Omit<Sentence, 'code'> & { readonly code: string | null },
  reason: 'error' | 'out-of-credits' = 'error',
): SessionEnding => ({ reason, code, params, error: cutText(text, 2_000), outcome: null });
