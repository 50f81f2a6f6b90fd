import type pg from 'pg';
import { SMTP_TIMES, type SmtpTimes } from '../../kit/mail/smtp.ts';
import { Cursor } from './sources/mail-source.ts';

/** A mailbox that one worker has claimed. */
export type HeldMailbox = {
  readonly mailboxId: string;
  readonly organizationId: string;
  readonly cursor: Cursor | null;
  readonly connectedAt: Date;
  readonly failures: number;
};

type Row = {
  readonly mailbox_id: string;
  readonly organization_id: string;
  readonly cursor: unknown;
  readonly connected_at: Date;
  readonly failures: number;
};

type Place = {
  readonly mailboxId: string;
  readonly organizationId: string;
  readonly agentId: string;
  readonly addressKey: string;
  readonly canReply: boolean;
};

/** The state of polling, as the API shows it. */
export type PollState = {
  readonly isActive: boolean;
  readonly isPolling: boolean | null;
  /** Its agent is paused. */
  readonly isResting: boolean;
  readonly lastPollAt: Date | null;
  readonly nextPollAt: Date | null;
  readonly error: string | null;
  readonly errorCode: string | null;
};

/** When mailboxes are polled and replies retried, in milliseconds. */
export type MailboxTimes = {
  /** How often due work is looked for. */
  readonly lookMs: number;
  /** How long a second of a poll interval is. */
  readonly secondMs: number;
  /** A claim expires after this time without renewal. */
  readonly leaseMs: number;
  /** A poll without progress is aborted. */
  readonly silenceMs: number;
  /** After the first failure; each later one doubles it. */
  readonly retryMs: number;
  readonly retryMsMax: number;
  /** Replies to mails of this age are not retried. */
  readonly giveUpMs: number;
  readonly smtp: SmtpTimes;
};

export const MAILBOX_TIMES: MailboxTimes = {
  lookMs: 3_000,
  secondMs: 1_000,
  leaseMs: 30_000,
  silenceMs: 90_000,
  retryMs: 60_000,
  retryMsMax: 3_600_000,
  giveUpMs: 86_400_000,
  smtp: SMTP_TIMES,
};

/** The connected mailboxes that all processes share. */
export class MailboxList {
  readonly #pool: pg.Pool;

  constructor(pool: pg.Pool) {
    this.#pool = pool;
  }

  /** Takes the address for a mailbox. Returns which mailbox of which agent has it. */
  async take({ mailboxId, organizationId, agentId, addressKey, canReply }: Place) {
    await this.#pool.query(
      `insert into operational.mailboxes
         (mailbox_id, organization_id, agent_id, address_key, can_reply, is_active)
       values ($1, $2, $3, $4, $5, false) on conflict do nothing`,
      [mailboxId, organizationId, agentId, addressKey, canReply],
    );
    const { rows } = await this.#pool.query<{ mailbox_id: string; agent_id: string }>(
      `select mailbox_id, agent_id from operational.mailboxes
       where organization_id = $1 and address_key = $2`,
      [organizationId, addressKey],
    );
    const row = rows[0];
    return row ? { mailboxId: row.mailbox_id, agentId: row.agent_id } : null;
  }

  /** It is polled from now on, at once. */
  async activate(mailboxId: string, canReply: boolean, { isNew = false } = {}) {
    await this.#pool.query(
      `update operational.mailboxes
       set is_active = true, can_reply = $2, failures = 0, error = null, error_code = null,
         next_at = now(), resumed_at = now(), worker_id = null, leased_until = null,
         connected_at = case when $3 then now() else connected_at end
       where mailbox_id = $1`,
      [mailboxId, canReply, isNew],
    );
  }

  async stop(mailboxId: string) {
    await this.#pool.query(
      'update operational.mailboxes set is_active = false where mailbox_id = $1',
      [mailboxId],
    );
  }

  /** Stops polling the mailboxes of an agent. */
  async suspend(agentId: string) {
    await this.#pool.query(
      'update operational.mailboxes set agent_rests = true where agent_id = $1',
      [agentId],
    );
  }

  /** Polls them again, at once. */
  async resume(agentId: string) {
    await this.#pool.query(
      `update operational.mailboxes set agent_rests = false, next_at = now()
       where agent_id = $1`,
      [agentId],
    );
  }

  /** Another server's cursor would mean something else. */
  async forgetCursor(mailboxId: string) {
    await this.#pool.query(
      `update operational.mailboxes set cursor = null, connected_at = now()
       where mailbox_id = $1`,
      [mailboxId],
    );
  }

  async remove(mailboxId: string) {
    await this.#pool.query('delete from operational.mailbox_mails where mailbox_id = $1', [
      mailboxId,
    ]);
    await this.#pool.query('delete from operational.mailboxes where mailbox_id = $1', [mailboxId]);
  }

  async pollState(mailboxId: string): Promise<PollState | null> {
    const { rows } = await this.#pool.query<PollState>(
      `select is_active as "isActive", agent_rests as "isResting",
         leased_until > now() and began_at > coalesce(last_poll_at, '-infinity') as "isPolling",
         last_poll_at as "lastPollAt",
         case when is_active and not agent_rests and leased_until is null
           then next_at end as "nextPollAt",
         error, error_code as "errorCode"
       from operational.mailboxes where mailbox_id = $1`,
      [mailboxId],
    );
    return rows[0] ?? null;
  }

  /**
   * Claims due mailboxes for one worker, in turns by organization and with a cap for each. The
   * worker must renew its claims with `keep`.
   */
  async hold(
    workerId: string,
    leaseMs: number,
    { limit, perOrganization }: { readonly limit: number; readonly perOrganization: number },
  ): Promise<HeldMailbox[]> {
    const { rows } = await this.#pool.query<Row>(
      `with held as (
         select organization_id, count(*) as count from operational.mailboxes
         where worker_id = $1 and leased_until >= now() group by organization_id),
       ranked as (
         select m.mailbox_id, coalesce(h.count, 0) + row_number() over (
           partition by m.organization_id order by m.next_at, m.mailbox_id) as turn
         from operational.mailboxes m left join held h using (organization_id)
         where m.is_active and not m.agent_rests and m.next_at <= now()
           and coalesce(m.leased_until < now(), true)),
       due as (
         select m.mailbox_id from operational.mailboxes m join ranked r using (mailbox_id)
         where r.turn <= $4 and coalesce(m.leased_until < now(), true)
         order by r.turn, m.next_at for update of m skip locked limit $3)
       update operational.mailboxes m
       set worker_id = $1, leased_until = now() + make_interval(secs => $2), began_at = now()
       from due where m.mailbox_id = due.mailbox_id
       returning m.mailbox_id, m.organization_id, m.cursor, m.connected_at, m.failures`,
      [workerId, leaseMs / 1000, limit, perOrganization],
    );
    return rows.map((row) => ({
      mailboxId: row.mailbox_id,
      organizationId: row.organization_id,
      cursor: row.cursor === null ? null : Cursor.parse(row.cursor),
      connectedAt: row.connected_at,
      failures: row.failures,
    }));
  }

  /** False if the mailbox or its agent is paused, or another worker has claimed it. */
  async keep(mailboxId: string, workerId: string, leaseMs: number): Promise<boolean> {
    const { rowCount } = await this.#pool.query(
      `update operational.mailboxes set leased_until = now() + make_interval(secs => $3)
       where mailbox_id = $1 and worker_id = $2 and is_active and not agent_rests`,
      [mailboxId, workerId, leaseMs / 1000],
    );
    return rowCount === 1;
  }

  /** Stores how far its mail was processed. False if this worker lost its claim. */
  async advance(mailboxId: string, workerId: string, cursor: Cursor): Promise<boolean> {
    const { rowCount } = await this.#pool.query(
      `update operational.mailboxes set cursor = $3
       where mailbox_id = $1 and worker_id = $2 and is_active and not agent_rests`,
      [mailboxId, workerId, JSON.stringify(cursor)],
    );
    return rowCount === 1;
  }

  /** It was polled successfully. */
  async notePoll(mailboxId: string, workerId: string) {
    await this.#pool.query(
      `update operational.mailboxes
       set last_poll_at = now(), failures = 0, error = null, error_code = null
       where mailbox_id = $1 and worker_id = $2`,
      [mailboxId, workerId],
    );
  }

  /** Returns the number of consecutive failures. */
  async noteFailure(mailboxId: string, workerId: string, code: string, error: string) {
    const { rows } = await this.#pool.query<{ failures: number }>(
      `update operational.mailboxes
       set last_poll_at = now(), failures = failures + 1, error = $4, error_code = $3
       where mailbox_id = $1 and worker_id = $2 returning failures`,
      [mailboxId, workerId, code, error],
    );
    return rows[0]?.failures ?? 0;
  }

  async release(mailboxId: string, workerId: string, nextMs: number) {
    await this.#pool.query(
      `update operational.mailboxes
       set worker_id = null, leased_until = null,
         next_at = case when next_at > now() then next_at
           else now() + make_interval(secs => $3) end
       where mailbox_id = $1 and worker_id = $2`,
      [mailboxId, workerId, nextMs / 1000],
    );
  }
}
