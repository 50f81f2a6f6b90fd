import { errorFields } from '@tallyhand/service-kit/log';
import { recurring } from '../../kit/recurring.ts';
import { TOO_LATE } from './assignments.ts';
import { type Sessions, sessionContext } from './sessions.ts';

const LOST = 'The browser that ran this session was lost, and no other could take it up.';
const WATCHED_MAX = 100;

export type WatchTimes = {
  readonly everyMs: number;
  /** A runner that was not heard of for so long loses its sessions to others. */
  readonly unseenMs: number;
  /** A session that was begun, and that nobody runs for so long, fails. */
  readonly lostMs: number;
  /** Without a runner for so long one is asked for. */
  readonly runnerMs: number;
};

const WATCH_TIMES: WatchTimes = {
  ...{ everyMs: 2_000, unseenMs: 20_000, lostMs: 55_000, runnerMs: 5_000 },
};

/** Sees again and again that no session is left behind, until it is disposed of. */
export function watchSessions(
  sessions: Sessions,
  { everyMs, unseenMs, lostMs, runnerMs }: WatchTimes = WATCH_TIMES,
): AsyncDisposable {
  const { kit, open } = sessions;
  const { log, settings } = kit;
  async function fail(sessionId: string, reason: 'runner-lost' | 'error', error: string) {
    const session = await sessions.load(sessionId);
    if (!session) return open.remove(sessionId);
    const data = { reason, error };
    await sessions.end(sessionContext(session.organizationId), sessionId, {
      type: 'FailSession',
      data,
    });
  }

  /** Whoever asked for it took its place, and died or was slow to say that its stream begins. */
  async function addOrRemove(sessionId: string) {
    const session = await sessions.load(sessionId);
    if (!session) return open.remove(sessionId);
    await open.add(session);
    await sessions.tell();
  }

  async function watch() {
    if (await open.unclaim(unseenMs)) await sessions.tell();
    const begun = (await open.unrequested(lostMs, WATCHED_MAX)).map((id) => () => addOrRemove(id));
    const lost = (await open.lost(lostMs, WATCHED_MAX)).map(
      (id) => () => fail(id, 'runner-lost', LOST),
    );
    const late = (await open.late(WATCHED_MAX)).map((id) => () => fail(id, 'error', TOO_LATE));
    for (const mend of [...begun, ...lost, ...late]) {
      // One that fails must not hold up the others.
      await mend().catch((error) => log.error('a session was left behind', errorFields(error)));
    }
    if (await open.lacksRunner(runnerMs)) settings.wantBrowser?.();
  }

  return recurring({ everyMs, failed: 'sessions were not watched', log }, watch);
}
