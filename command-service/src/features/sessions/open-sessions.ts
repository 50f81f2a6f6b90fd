import { OPEN_SESSIONS_MAX } from '@tallyhand/contracts/features/sessions/sessions.fields';
import type pg from 'pg';

/** A runner that is busy with a long poll is heard of this often at least. */
const ALIVE_SECONDS = 15;

type Place = {
  readonly sessionId: string;
  readonly organizationId: string;
  readonly deadline: string;
};

/** The queue of sessions, as all processes share it: what has not ended, and who runs it. */
export type OpenSessions = ReturnType<typeof openSessionsOf>;

export function openSessionsOf(pool: pg.Pool) {
  return {
    /** Takes a place for a session; false where its organization has no more. May be repeated. */
    async reserve({ sessionId, organizationId, deadline }: Place): Promise<boolean> {
      const { rows } = await pool.query<{ is_open: boolean }>(
        'select operational.open_session($1, $2, $3, $4) as is_open',
        [sessionId, organizationId, deadline, OPEN_SESSIONS_MAX],
      );
      return rows[0]?.is_open ?? false;
    },
    /** Its stream has begun: a runner may take it up. */
    async add({ sessionId, organizationId, deadline }: Place): Promise<void> {
      await pool.query(
        `insert into operational.open_sessions
           (session_id, organization_id, deadline, is_requested) values ($1, $2, $3, true)
         on conflict (session_id) do update set is_requested = true`,
        [sessionId, organizationId, deadline],
      );
    },
    /** Null for what has no place; `isRequested` is false while it has no more than that. */
    async find(sessionId: string): Promise<{ readonly isRequested: boolean } | null> {
      const { rows } = await pool.query<{ is_requested: boolean }>(
        'select is_requested from operational.open_sessions where session_id = $1',
        [sessionId],
      );
      return rows[0] ? { isRequested: rows[0].is_requested } : null;
    },
    /** Whether the runner holds it, which is a sign of life; false also where it is not open. */
    async isHeldBy(sessionId: string, runnerId: string): Promise<boolean> {
      const { rowCount } = await pool.query(
        `update operational.open_sessions set seen_at = now()
         where session_id = $1 and runner_id = $2`,
        [sessionId, runnerId],
      );
      return rowCount === 1;
    },
    /** How many are taken up before it. */
    async before(sessionId: string): Promise<number> {
      const { rows } = await pool.query<{ before: number }>(
        'select operational.sessions_before($1) as before',
        [sessionId],
      );
      return rows[0]?.before ?? 0;
    },
    async remove(sessionId: string): Promise<void> {
      await pool.query('delete from operational.open_sessions where session_id = $1', [sessionId]);
    },
    ...runnersOf(pool),
    ...leftBehindOf(pool),
    ...browsersOf(pool),
  };
}

type RunnerPoll = {
  readonly runnerId: string;
  readonly address: string;
  readonly free: number;
  readonly held: readonly string[];
};

function runnersOf(pool: pg.Pool) {
  return {
    /** The runner lives, with what it holds. What it holds no more others may take: is there any? */
    async hear({ runnerId, address, free, held }: RunnerPoll): Promise<boolean> {
      await pool.query(
        `insert into operational.runners (runner_id, address, free) values ($1, $2, $3)
         on conflict (runner_id) do update set address = $2, free = $3, seen_at = now()`,
        [runnerId, address, free],
      );
      const { rowCount } = await pool.query(
        `update operational.open_sessions set runner_id = null
         where runner_id = $1 and session_id <> all($2::uuid[])`,
        [runnerId, held],
      );
      await pool.query(
        `update operational.open_sessions set seen_at = now()
         where runner_id = $1 and session_id = any($2::uuid[])`,
        [runnerId, held],
      );
      return rowCount !== 0;
    },
    /**
     * Takes up to so many that wait, in the order of the queue. A quarter of the places of all living
     * runners, one at least, is left to other organizations.
     */
    async claim(runnerId: string, free: number): Promise<string[]> {
      if (free === 0) return [];
      const { rows } = await pool.query<{ session_id: string }>(
        `with capacity as (
           select coalesce(sum(free), 0)
             + (select count(*) from operational.open_sessions where runner_id is not null) as places
           from operational.runners where seen_at > now() - make_interval(secs => $3))
         update operational.open_sessions taken
         set runner_id = $1, claimed_at = now(), seen_at = now()
         from (select o.session_id
           from operational.open_sessions o
           join operational.waiting_sessions w on w.session_id = o.session_id
           cross join capacity c
           where o.runner_id is null
             and w.turn <= greatest(1, c.places - greatest(1, c.places / 4))
           order by w.turn, w.added_at, o.session_id
           for update of o skip locked limit $2) due
         where taken.session_id = due.session_id
         returning taken.session_id`,
        [runnerId, free, ALIVE_SECONDS],
      );
      if (rows.length > 0) {
        await pool.query(
          'update operational.runners set free = greatest(0, free - $2) where runner_id = $1',
          [runnerId, rows.length],
        );
      }
      return rows.map((row) => row.session_id);
    },
    /** Those of these that the runner still holds. */
    async held(runnerId: string, sessionIds: readonly string[]): Promise<ReadonlySet<string>> {
      const { rows } = await pool.query<{ session_id: string }>(
        `select session_id from operational.open_sessions
         where runner_id = $1 and session_id = any($2::uuid[])`,
        [runnerId, sessionIds],
      );
      return new Set(rows.map((row) => row.session_id));
    },
    /** Where the runner is that holds a session; null while none does. */
    async addressFor(sessionId: string): Promise<string | null> {
      const { rows } = await pool.query<{ address: string }>(
        `select r.address from operational.open_sessions o
         join operational.runners r on r.runner_id = o.runner_id where o.session_id = $1`,
        [sessionId],
      );
      return rows[0]?.address ?? null;
    },
    /** The living runner for a piece of work: the same one as long as it lives. */
    async addressByWork(workId: string): Promise<string | null> {
      const { rows } = await pool.query<{ address: string }>(
        `select address from operational.runners
         where seen_at > now() - make_interval(secs => $2)
         order by md5(runner_id::text || $1) limit 1`,
        [workId, ALIVE_SECONDS],
      );
      return rows[0]?.address ?? null;
    },
  };
}

function leftBehindOf(pool: pg.Pool) {
  async function idsWhere(condition: string, values: readonly unknown[]): Promise<string[]> {
    const { rows } = await pool.query<{ session_id: string }>(
      `select session_id from operational.open_sessions where ${condition}`,
      [...values],
    );
    return rows.map((row) => row.session_id);
  }
  return {
    /** Takes sessions from runners that were not heard of for so long: are there any? */
    async unclaim(unseenMs: number): Promise<boolean> {
      const { rowCount } = await pool.query(
        `update operational.open_sessions set runner_id = null
         where runner_id is not null and seen_at < now() - make_interval(secs => $1)`,
        [unseenMs / 1_000],
      );
      return rowCount !== 0;
    },
    /** Those that a runner began, and that none has been heard to run for so long. */
    lost: (lostMs: number, max: number) =>
      idsWhere(
        `runner_id is null and seen_at < now() - make_interval(secs => $1)
         order by seen_at limit $2`,
        [lostMs / 1_000, max],
      ),
    waiting: (max: number) =>
      idsWhere('runner_id is null and is_requested order by added_at limit $1', [max]),
    late: (max: number) => idsWhere('deadline < now() order by deadline limit $1', [max]),
    /** Places that were taken so long ago for sessions that were not requested yet. */
    unrequested: (ms: number, max: number) =>
      idsWhere(
        `not is_requested and added_at < now() - make_interval(secs => $1)
         order by added_at limit $2`,
        [ms / 1_000, max],
      ),
    /** Whether something waits, and no runner was heard of for so long. */
    async lacksRunner(ms: number): Promise<boolean> {
      const { rows } = await pool.query<{ lacks: boolean }>(
        `select exists (select from operational.open_sessions where runner_id is null)
           and not exists (select from operational.runners
             where seen_at > now() - make_interval(secs => $1)) as lacks`,
        [ms / 1_000],
      );
      return rows[0]?.lacks ?? false;
    },
  };
}

function browsersOf(pool: pg.Pool) {
  return {
    /** The socket takes a browser's id as well as its session's. */
    async noteBrowser(browserSessionId: string, sessionId: string): Promise<void> {
      await pool.query(
        `insert into operational.session_browsers (browser_session_id, session_id)
         values ($1, $2) on conflict do nothing`,
        [browserSessionId, sessionId],
      );
    },
    async sessionOf(browserSessionId: string): Promise<string | null> {
      const { rows } = await pool.query<{ session_id: string }>(
        'select session_id from operational.session_browsers where browser_session_id = $1',
        [browserSessionId],
      );
      return rows[0]?.session_id ?? null;
    },
  };
}
