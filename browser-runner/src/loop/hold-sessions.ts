import { setTimeout as wait } from 'node:timers/promises';
import type { PageView, Planner } from '@tallyhand/agent-runtime/browsing/planner';
import { EngineFailure } from '@tallyhand/agent-runtime/engine';
import type { ModelUsage } from '@tallyhand/contracts/features/models/model-usage';
import { OUTLINE_MAX, SEEN_PAGE_MAX } from '@tallyhand/contracts/features/sessions/browsing';
import { type Assignment, pollWork } from '@tallyhand/contracts/features/sessions/runner.endpoints';
import { errorFields, type Log } from '@tallyhand/service-kit/log';
import { level } from '@tallyhand/service-kit/metrics/counter';
import { LOOP_TIMES, type LoopTimes } from '../config.ts';
import type { CommandClient } from '../internal/command-client.ts';
import { type SessionApi, sessionApi } from '../internal/session-api.ts';
import type { BrowserHost } from '../session-browser.ts';
import { runSession } from './run-session.ts';
import { ControlState, type SessionFeed } from './session-control.ts';
import { SessionDeadline } from './session-deadline.ts';
import { cutText, SCREENSHOT_MAX } from './step-report.ts';

/** Well below the time after which a runner counts as gone. */
const POLL_MS = 5_000;
const RETRY_MS = { first: 100, max: 2_000 };
/** How long the command service may be unreachable before the sessions are given up. */
const SILENCE_MS_MAX = 60_000;
const FAREWELL_MS_MAX = 1_000;

export type HolderOptions = {
  readonly runnerId: string;
  /** Where others reach this runner. */
  readonly address: string;
  readonly sessionsMax: number;
  readonly client: CommandClient;
  readonly host: BrowserHost;
  /** For agents without a model of their own. */
  readonly planner: Planner;
  /** Receives a session's events for its viewers; until it is closed. */
  readonly openFeed: (
    assignment: Assignment,
    controlState: ControlState,
  ) => SessionFeed & Disposable;
  readonly times?: LoopTimes;
  readonly silenceMsMax?: number;
  readonly log: Log;
};

const running = level({
  name: 'tallyhand_runner_sessions',
  help: 'Autonomous sessions that this runner holds.',
  known: [{}],
});

type Held = { readonly controlState: ControlState; readonly done: Promise<void> };

/**
 * Polls the command service for sessions and runs them, a bounded number at once. When it is
 * disposed of, the sessions are left unchanged for another runner, and their browsers closed.
 */
export function holdSessions(options: HolderOptions): AsyncDisposable {
  const { runnerId, client, log, sessionsMax, address } = options;
  const held = new Map<string, Held>();
  const leaving = new AbortController();
  /** Aborted when there is something to report before the current poll is answered. */
  let news = new AbortController();

  function take(assignment: Assignment) {
    const { sessionId } = assignment;
    if (held.has(sessionId) || leaving.signal.aborted) return;
    const controlState = new ControlState(assignment.control);
    running.add({}, 1);
    const done = runHeld(options, assignment, controlState, leaving.signal).finally(() => {
      running.add({}, -1);
      held.delete(sessionId);
      news.abort();
    });
    held.set(sessionId, { controlState, done });
  }

  async function poll() {
    news = new AbortController();
    const answer = await client.call(pollWork, {
      params: { id: runnerId },
      body: {
        address,
        free: Math.max(0, sessionsMax - held.size),
        held: [...held].map(([sessionId, { controlState }]) => ({
          sessionId,
          ...controlState.current,
        })),
        waitMs: POLL_MS,
      },
      signal: AbortSignal.any([news.signal, leaving.signal]),
      timeoutMs: POLL_MS * 2,
    });
    for (const { sessionId, ...next } of answer.changed)
      held.get(sessionId)?.controlState.change(next);
    for (const assignment of answer.assigned) take(assignment);
  }

  async function keepPolling() {
    let heardAt = performance.now();
    let waitMs = RETRY_MS.first;
    while (!leaving.signal.aborted) {
      try {
        await poll();
        heardAt = performance.now();
        waitMs = RETRY_MS.first;
      } catch (error) {
        if (news.signal.aborted || leaving.signal.aborted) continue;
        if (waitMs === RETRY_MS.first) log.warn('polling for work failed', errorFields(error));
        if (performance.now() - heardAt > (options.silenceMsMax ?? SILENCE_MS_MAX)) giveUp();
        await wait(waitMs, undefined, { signal: leaving.signal }).catch(() => undefined);
        waitMs = Math.min(waitMs * 2, RETRY_MS.max);
      }
    }
  }

  /** Others have them by now, or they have failed. */
  function giveUp() {
    for (const { controlState } of held.values())
      controlState.change({ control: 'ended', personId: null });
  }

  /** So that its sessions do not wait until this runner counts as dead. */
  async function farewell() {
    const body = { address, free: 0, held: [], waitMs: 0 };
    const call = { params: { id: runnerId }, body, timeoutMs: FAREWELL_MS_MAX };
    await client.call(pollWork, call).catch(() => undefined);
  }

  const polling = keepPolling();
  return {
    async [Symbol.asyncDispose]() {
      leaving.abort();
      await polling;
      await Promise.all([farewell(), ...[...held.values()].map(({ done }) => done)]);
    },
  };
}

async function runHeld(
  { runnerId, client, host, planner, openFeed, times = LOOP_TIMES, log }: HolderOptions,
  assignment: Assignment,
  controlState: ControlState,
  leaving: AbortSignal,
): Promise<void> {
  const { sessionId, deadline } = assignment;
  const api = sessionApi(
    client,
    runnerId,
    sessionId,
    AbortSignal.any([controlState.ended, leaving]),
  );
  using feed = openFeed(assignment, controlState);
  using timeLimit = new SessionDeadline(deadline);
  await runSession({
    assignment,
    controlState,
    api,
    host,
    planner: assignment.model ? agentsPlanner(assignment, assignment.model, api) : planner,
    feed,
    times,
    log,
    leaving,
    timeLimit,
  });
}

/** Plans with the model of the agent, through the command service, which alone has its key. */
function agentsPlanner(
  { agent, tools, startUrls }: Assignment,
  { chosen, name, seesImages }: NonNullable<Assignment['model']>,
  api: Pick<SessionApi, 'planStep'>,
): Planner {
  let canSee = seesImages;
  return {
    model: name,
    get seesImages() {
      return canSee;
    },
    async next({ page, stepsLeft, onModelCall, signal }) {
      const seen = page && seenPage(page);
      const asked = { agent, model: chosen, tools, startUrls, page: seen, stepsLeft };
      const answer = await api.planStep(asked, signal);
      canSee = answer.seesImages;
      for (const used of answer.usage) onModelCall?.(callOf(used));
      if (answer.failure) throw new EngineFailure(answer.failure);
      if (!answer.step) throw new Error('A plan has neither a step nor a failure');
      return answer.step;
    },
  };
}

/** The one call of a model that a plan takes, as if it had been made here. */
function callOf({ model, connectionId, costMicros, latencyMs, calls: _, ...usage }: ModelUsage) {
  const said = { purpose: 'plan', outcome: 'answered', seconds: latencyMs / 1_000 } as const;
  return { ...said, model, connectionId, costMicros, usage };
}

/** The page in the contract's form: too long texts are cut, never refused. */
function seenPage({ url, title, outline, screenshot, notices }: PageView) {
  const image = screenshot && Buffer.from(screenshot).toString('base64');
  return {
    url: cutText(url, SEEN_PAGE_MAX.url),
    title: cutText(title, SEEN_PAGE_MAX.title),
    outline: cutText(outline, OUTLINE_MAX),
    screenshot: image && image.length <= SCREENSHOT_MAX ? image : null,
    notices: notices
      .slice(0, SEEN_PAGE_MAX.notices)
      .map((notice) => cutText(notice, SEEN_PAGE_MAX.notice)),
  };
}
