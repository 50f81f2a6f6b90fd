import {
  BrowserLost,
  BrowserNeverRan,
  SessionTooLate,
} from '@tallyhand/contracts/features/sessions/session-failures';
import {
  SessionCompleted,
  SessionFailed,
  SessionRequested,
  SessionTerminated,
  StepTaken,
} from '@tallyhand/contracts/features/sessions/sessions.events';
import type { EventReader } from '@tallyhand/contracts/kernel/messages';
import type { Sentence } from '@tallyhand/contracts/kernel/sentence';
import type { StoredEvent } from '@tallyhand/service-kit/event-store/event-log';
import { errorFields } from '@tallyhand/service-kit/log';
import { backgroundContext } from '../../kit/context.ts';
import { type Reaction, reaction } from '../../kit/reactions.ts';
import { recurring } from '../../kit/recurring.ts';
import { deadlineOf } from './approval-state.ts';
import { isLate } from './assignments.ts';
import { failedBy, type Sessions } from './sessions.ts';

const WATCHED_MAX = 100;

export type WatchTimes = {
  readonly everyMs: number;
  /** A runner that is silent for so long loses its sessions to others. */
  readonly unseenMs: number;
  /** A started session without a runner for this long fails. */
  readonly lostMs: number;
  /** Without a runner for so long, one is requested. */
  readonly runnerMs: number;
  /** Sessions that have waited for so long fail if no runner has started for so long. */
  readonly aloneMs: number;
};

const WATCH_TIMES: WatchTimes = {
  everyMs: 2_000,
  unseenMs: 20_000,
  lostMs: 55_000,
  runnerMs: 5_000,
  aloneMs: 120_000,
};

/** Periodically finds abandoned sessions, until it is disposed of. */
export function watchSessions(
  sessions: Sessions,
  { everyMs, unseenMs, lostMs, runnerMs, aloneMs }: WatchTimes = WATCH_TIMES,
): AsyncDisposable {
  const { kit, open } = sessions;
  const { log, settings } = kit;
  // No heartbeat could arrive while this process was down.
  const startedAt = performance.now();
  let aloneSince = Number.POSITIVE_INFINITY;
  async function fail(sessionId: string, reason: 'runner-lost' | 'error', why: Sentence) {
    const session = await sessions.load(sessionId);
    if (!session) return open.remove(sessionId);
    const context = backgroundContext('reaction', session.organizationId);
    await sessions.end(context, sessionId, failedBy(reason, why));
  }

  async function failIfLate(sessionId: string) {
    const session = await sessions.load(sessionId);
    if (!session || session.end || isLate(session))
      return fail(sessionId, 'error', SessionTooLate({}));
    await open.defer(sessionId, deadlineOf(session));
  }

  /** Its process reserved a place, and died before the stream began or was queued. */
  async function addOrRemove(sessionId: string) {
    const session = await sessions.load(sessionId);
    if (!session) return open.remove(sessionId);
    await open.add(session);
    await sessions.wakeRunners();
  }

  async function watch() {
    if (!(await open.isAny())) {
      aloneSince = Number.POSITIVE_INFINITY;
      return;
    }
    if (await open.unclaim(unseenMs)) await sessions.wakeRunners();
    const begun = (await open.unrequested(lostMs, WATCHED_MAX)).map((id) => () => addOrRemove(id));
    const hasListened = performance.now() - startedAt > lostMs;
    const lost = (hasListened ? await open.lost(lostMs, WATCHED_MAX) : []).map(
      (id) => () => fail(id, 'runner-lost', BrowserLost({})),
    );
    const late = (await open.late(WATCHED_MAX)).map((id) => () => failIfLate(id));
    const abandoned = (await isAlone()) ? await open.waiting(aloneMs, WATCHED_MAX) : [];
    const never = abandoned.map((id) => () => fail(id, 'runner-lost', BrowserNeverRan({})));
    for (const fix of [...begun, ...lost, ...late, ...never]) {
      // A failure must not delay the others.
      await fix().catch((error) =>
        log.error('an abandoned session was not handled', errorFields(error)),
      );
    }
  }

  /** Requests a runner if one is needed. True if none has started for too long. */
  async function isAlone() {
    if (!(await open.lacksRunner(runnerMs))) {
      aloneSince = Number.POSITIVE_INFINITY;
      return false;
    }
    settings.wantBrowser?.();
    aloneSince = Math.min(aloneSince, performance.now());
    return performance.now() - aloneSince > aloneMs;
  }

  return recurring({ everyMs, failed: 'sessions were not watched', log }, watch);
}

/** The consequences of a session's events, even if the process died that caused them. */
export function keepSessions(sessions: Sessions): Reaction {
  const { open, credits } = sessions;

  const closeEnded =
    (kind: EventReader<{ readonly sessionId: string; readonly organizationId: string }>) =>
    async ({ data, envelope }: StoredEvent) => {
      const { sessionId, organizationId } = kind.read(data, envelope.schemaVersion);
      const isOpen = (await open.find(sessionId)) !== null || (await credits.isOpen(sessionId));
      const session = isOpen ? await sessions.load(sessionId) : null;
      if (session) await sessions.close(backgroundContext('reaction', organizationId), session);
    };

  return reaction('keep-sessions', {
    SessionRequested: async ({ data, envelope }) => {
      const requested = SessionRequested.read(data, envelope.schemaVersion);
      const queued = await open.find(requested.sessionId);
      if (queued?.isRequested) return;
      // It may have ended since, and left the queue.
      const session = await sessions.load(requested.sessionId);
      if (!session || session.end) return;
      await open.add(requested);
      await sessions.wakeRunners();
    },
    StepTaken: async ({ data, envelope }) => {
      const { sessionId, stepId, organizationId, takenBy } = StepTaken.read(
        data,
        envelope.schemaVersion,
      );
      if (takenBy || (await credits.isSettled(stepId))) return;
      const session = await sessions.load(sessionId);
      if (session)
        await credits.settle(backgroundContext('reaction', organizationId), session, stepId);
    },
    SessionCompleted: closeEnded(SessionCompleted),
    SessionFailed: closeEnded(SessionFailed),
    SessionTerminated: closeEnded(SessionTerminated),
  });
}
