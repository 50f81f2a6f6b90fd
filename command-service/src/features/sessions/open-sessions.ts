import { OPEN_SESSIONS_MAX } from '@tallyhand/contracts/features/sessions/sessions.fields';
import type pg from 'pg';

/** A living runner polls at least this often. */
const ALIVE_SECONDS = 15;

type Place = {
  readonly sessionId: string;
  readonly organizationId: string;
  readonly deadline: string;
};

type RunnerPoll = {
  readonly runnerId: string;
  readonly address: string;
  readonly free: number;
  readonly held: readonly string[];
};

/** The queue of sessions that all processes share: those that have not ended, and who runs them. */
export class OpenSessions {
  readonly #pool: pg.Pool;

  constructor(pool: pg.Pool) {
    this.#pool = pool;
  }

  /** Reserves a place for a session. False if its organization has none left. May be repeated. */
  async reserve({ sessionId, organizationId, deadline }: Place): Promise<boolean> {
    const { rows } = await this.#pool.query<{ is_open: boolean }>(
      'select operational.open_session($1, $2, $3, $4) as is_open',
      [sessionId, organizationId, deadline, OPEN_SESSIONS_MAX],
    );
    return rows[0]?.is_open ?? false;
  }

  /** Its stream has begun: runners may claim it. */
  async add({ sessionId, organizationId, deadline }: Place): Promise<void> {
    await this.#pool.query(
      `insert into operational.open_sessions
         (session_id, organization_id, deadline, is_requested) values ($1, $2, $3, true)
       on conflict (session_id) do update set is_requested = true`,
      [sessionId, organizationId, deadline],
    );
  }

  /** Null without a place. `isRequested` is false until its stream has begun. */
  async find(sessionId: string): Promise<{ readonly isRequested: boolean } | null> {
    const { rows } = await this.#pool.query<{ is_requested: boolean }>(
      'select is_requested from operational.open_sessions where session_id = $1',
      [sessionId],
    );
    return rows[0] ? { isRequested: rows[0].is_requested } : null;
  }

  /** Whether the runner holds the open session. Counts as a sign of life. */
  async isHeldBy(sessionId: string, runnerId: string): Promise<boolean> {
    const { rowCount } = await this.#pool.query(
      `update operational.open_sessions set seen_at = now()
       where session_id = $1 and runner_id = $2`,
      [sessionId, runnerId],
    );
    return rowCount === 1;
  }

  /** Whether there are any, also those whose stream has not begun. */
  async isAny(): Promise<boolean> {
    const { rows } = await this.#pool.query<{ is_any: boolean }>(
      'select exists (select from operational.open_sessions) as is_any',
    );
    return rows[0]?.is_any ?? false;
  }

  /** How many sessions are ahead of it. */
  async before(sessionId: string): Promise<number> {
    const { rows } = await this.#pool.query<{ before: number }>(
      'select operational.sessions_before($1) as before',
      [sessionId],
    );
    return rows[0]?.before ?? 0;
  }

  async remove(sessionId: string): Promise<void> {
    await this.#pool.query('delete from operational.open_sessions where session_id = $1', [
      sessionId,
    ]);
  }

  /** Records a runner's poll. Returns whether sessions that it no longer holds were released. */
  async recordPoll({ runnerId, address, free, held }: RunnerPoll): Promise<boolean> {
    await this.#pool.query(
      `insert into operational.runners (runner_id, address, free) values ($1, $2, $3)
       on conflict (runner_id) do update set address = $2, free = $3, seen_at = now()`,
      [runnerId, address, free],
    );
    const { rowCount } = await this.#pool.query(
      `update operational.open_sessions set runner_id = null
       where runner_id = $1 and session_id <> all($2::uuid[])`,
      [runnerId, held],
    );
    await this.#pool.query(
      `update operational.open_sessions set seen_at = now()
       where runner_id = $1 and session_id = any($2::uuid[])`,
      [runnerId, held],
    );
    return rowCount !== 0;
  }

  /**
   * Claims waiting sessions in the order of the queue. No organization gets the last quarter of the
   * places of all living runners, or the last place.
   */
  async claim(runnerId: string, free: number): Promise<string[]> {
    if (free === 0) return [];
    const { rows } = await this.#pool.query<{ session_id: string }>(
      `with capacity as (
         select coalesce(sum(free), 0)
           + (select count(*) from operational.open_sessions where runner_id is not null) as places
         from operational.runners where seen_at > now() - make_interval(secs => $3)),
       due as materialized (
         select o.session_id
         from operational.open_sessions o
         join operational.waiting_sessions w on w.session_id = o.session_id
         cross join capacity c
         where o.runner_id is null
           and w.turn <= greatest(1, c.places - greatest(1, c.places / 4))
         order by w.turn, w.added_at, o.session_id
         for update of o skip locked limit $2)
       update operational.open_sessions taken
       set runner_id = $1, claimed_at = now(), seen_at = now()
       from due where taken.session_id = due.session_id
       returning taken.session_id`,
      [runnerId, free, ALIVE_SECONDS],
    );
    if (rows.length > 0) {
      await this.#pool.query(
        'update operational.runners set free = greatest(0, free - $2) where runner_id = $1',
        [runnerId, rows.length],
      );
    }
    return rows.map((row) => row.session_id);
  }

  /** Which of these the runner still holds. */
  async held(runnerId: string, sessionIds: readonly string[]): Promise<ReadonlySet<string>> {
    const { rows } = await this.#pool.query<{ session_id: string }>(
      `select session_id from operational.open_sessions
       where runner_id = $1 and session_id = any($2::uuid[])`,
      [runnerId, sessionIds],
    );
    return new Set(rows.map((row) => row.session_id));
  }

  /** The address of the runner that holds a session, or null. */
  async addressFor(sessionId: string): Promise<string | null> {
    const { rows } = await this.#pool.query<{ address: string }>(
      `select r.address from operational.open_sessions o
       join operational.runners r on r.runner_id = o.runner_id where o.session_id = $1`,
      [sessionId],
    );
    return rows[0]?.address ?? null;
  }

  /** A living runner for a piece of work: always the same one, while it lives. */
  async addressByWork(workId: string): Promise<string | null> {
    const { rows } = await this.#pool.query<{ address: string }>(
      `select address from operational.runners
       where seen_at > now() - make_interval(secs => $2)
       order by md5(runner_id::text || $1) limit 1`,
      [workId, ALIVE_SECONDS],
    );
    return rows[0]?.address ?? null;
  }

  /** Releases sessions of runners that have been silent for so long. Returns whether there were any. */
  async unclaim(unseenMs: number): Promise<boolean> {
    const { rowCount } = await this.#pool.query(
      `update operational.open_sessions set runner_id = null
       where runner_id is not null and seen_at < now() - make_interval(secs => $1)`,
      [unseenMs / 1_000],
    );
    return rowCount !== 0;
  }

  /** Started sessions that no runner has reported for so long. */
  lost(lostMs: number, max: number): Promise<string[]> {
    return this.#idsWhere(
      `runner_id is null and seen_at < now() - make_interval(secs => $1)
       order by seen_at limit $2`,
      [lostMs / 1_000, max],
    );
  }

  /** Sessions that have waited for so long. */
  waiting(ms: number, max: number): Promise<string[]> {
    return this.#idsWhere(
      `runner_id is null and is_requested and added_at < now() - make_interval(secs => $1)
       order by added_at limit $2`,
      [ms / 1_000, max],
    );
  }

  /** By the deadline that is stored here, which may be older than the session's. */
  late(max: number): Promise<string[]> {
    return this.#idsWhere('deadline < now() order by deadline limit $1', [max]);
  }

  /** The session may take longer, because it has waited for decisions. */
  async defer(sessionId: string, deadline: string): Promise<void> {
    await this.#pool.query(
      'update operational.open_sessions set deadline = $2 where session_id = $1',
      [sessionId, deadline],
    );
  }

  /** Old places of sessions whose stream has not begun. */
  unrequested(ms: number, max: number): Promise<string[]> {
    return this.#idsWhere(
      `not is_requested and added_at < now() - make_interval(secs => $1)
       order by added_at limit $2`,
      [ms / 1_000, max],
    );
  }

  /** Whether sessions wait while no runner has polled for so long. */
  async lacksRunner(ms: number): Promise<boolean> {
    const { rows } = await this.#pool.query<{ lacks: boolean }>(
      `select exists (select from operational.open_sessions where runner_id is null)
         and not exists (select from operational.runners
           where seen_at > now() - make_interval(secs => $1)) as lacks`,
      [ms / 1_000],
    );
    return rows[0]?.lacks ?? false;
  }

  /** Viewers may name a browser instead of its session. */
  async noteBrowser(browserSessionId: string, sessionId: string): Promise<void> {
    await this.#pool.query(
      `insert into operational.session_browsers (browser_session_id, session_id)
       values ($1, $2) on conflict do nothing`,
      [browserSessionId, sessionId],
    );
  }

  async sessionOf(browserSessionId: string): Promise<string | null> {
    const { rows } = await this.#pool.query<{ session_id: string }>(
      'select session_id from operational.session_browsers where browser_session_id = $1',
      [browserSessionId],
    );
    return rows[0]?.session_id ?? null;
  }

  async #idsWhere(condition: string, values: readonly unknown[]): Promise<string[]> {
    const { rows } = await this.#pool.query<{ session_id: string }>(
      `select session_id from operational.open_sessions where ${condition}`,
      [...values],
    );
    return rows.map((row) => row.session_id);
  }
}
