import type { SealedBox } from '@tallyhand/service-kit/crypto/sealed-box';
import type pg from 'pg';
import { z } from 'zod';
import type { Kit } from '../../kit/app.ts';

/** The parts of a mail that its reply needs. */
const Answerable = z.object({
  to: z.string(),
  name: z.string(),
  subject: z.string(),
  messageId: z.string().nullable(),
  references: z.array(z.string()),
  quote: z.string(),
  /** Gmail's. */
  threadId: z.string().nullable(),
});
export type Answerable = z.infer<typeof Answerable>;

type OfMail = { readonly mailboxId: string; readonly mailId: string };

export type NewMail = OfMail & {
  readonly organizationId: string;
  readonly taskId: string | null;
  /** Null if it may not be answered. */
  readonly answerable: Answerable | null;
  /** Sender, subject and date for the agent; null without a task. */
  readonly about: string | null;
};

/** A reply that one worker has claimed. */
export type HeldReply = OfMail & {
  readonly organizationId: string;
  readonly taskId: string;
  readonly tries: number;
  readonly receivedAt: Date;
  readonly answerable: Answerable;
};

export type ReplyEnd = 'done' | 'failed' | 'uncertain';

/** Older replies are not sent. */
const DAYS_MAX = 7;

type Row = {
  readonly mailbox_id: string;
  readonly mail_id: string;
  readonly organization_id: string;
  readonly task_id: string;
  readonly tries: number;
  readonly received_at: Date;
  readonly sealed: Buffer;
};

const contextOf = ({ mailboxId, mailId }: OfMail) => `mailbox-mail ${mailboxId} ${mailId}`;
const aboutContextOf = (mail: OfMail) => `${contextOf(mail)} about`;

/** The received mails that all processes share, and which of them wait for a reply. */
export class MailList {
  readonly #pool: pg.Pool;
  readonly #box: SealedBox;

  constructor({ pool, box }: Pick<Kit, 'pool' | 'box'>) {
    this.#pool = pool;
    this.#box = box;
  }

  /** Stores a mail. False if it was processed before. */
  async add(mail: NewMail): Promise<boolean> {
    const { mailboxId, mailId, organizationId, taskId, answerable, about } = mail;
    const sealed =
      answerable && this.#box.seal(Buffer.from(JSON.stringify(answerable)), contextOf(mail));
    const told = about && this.#box.seal(Buffer.from(about), aboutContextOf(mail));
    const senderKey = answerable && this.#box.keyedHash('mail-sender', answerable.to.toLowerCase());
    await this.#pool.query(
      `insert into operational.mailbox_mails
         (mailbox_id, mail_id, organization_id, task_id, sealed, sender_key, about, state)
       values ($1, $2, $3, $4, $5, $6, $7, 'received') on conflict do nothing`,
      [mailboxId, mailId, organizationId, taskId, sealed, senderKey, told],
    );
    const { rows } = await this.#pool.query<{ state: string }>(
      'select state from operational.mailbox_mails where mailbox_id = $1 and mail_id = $2',
      [mailboxId, mailId],
    );
    return rows[0]?.state === 'received';
  }

  /** Its task was requested, or it has none. The task may have ended already. */
  async tookIn({ mailboxId, mailId }: OfMail) {
    await this.#pool.query(
      `update operational.mailbox_mails
       set state = case when task_id is null then 'done' else 'working' end
       where mailbox_id = $1 and mail_id = $2 and state = 'received'`,
      [mailboxId, mailId],
    );
  }

  /** How many mails came in the last hour, or since the mailbox was resumed. */
  async cameInHour(mailboxId: string): Promise<number> {
    const { rows } = await this.#pool.query<{ count: number }>(
      `select count(*)::int as count from operational.mailbox_mails r
       join operational.mailboxes m using (mailbox_id)
       where r.mailbox_id = $1
         and r.received_at > greatest(m.resumed_at, now() - interval '1 hour')`,
      [mailboxId],
    );
    return rows[0]?.count ?? 0;
  }

  /** Sender, subject and date of a task's mail; null if the task is not from a mail. */
  async about(taskId: string): Promise<string | null> {
    const { rows } = await this.#pool.query<{ mailbox_id: string; mail_id: string; about: Buffer }>(
      `select mailbox_id, mail_id, about from operational.mailbox_mails
       where task_id = $1 and state in ('received', 'working') and about is not null`,
      [taskId],
    );
    const [row] = rows;
    if (!row) return null;
    const mail = { mailboxId: row.mailbox_id, mailId: row.mail_id };
    return this.#box.open(row.about, aboutContextOf(mail)).toString('utf8');
  }

  /** Answers of successful tasks become due replies; the other mails are done. */
  async tasksEnded(succeeded: readonly string[], others: readonly string[]) {
    await this.#pool.query(
      `update operational.mailbox_mails
       set state = case when task_id = any($1::uuid[]) and sealed is not null
           then 'waiting' else 'done' end,
         sealed = case when task_id = any($1::uuid[]) then sealed end, about = null,
         next_at = now()
       where state in ('received', 'working') and task_id = any($1::uuid[] || $2::uuid[])`,
      [succeeded, others],
    );
  }

  /**
   * Claims due replies for one worker, also those of a worker that died: in turns by organization
   * with a cap for each, and one at a time in a mailbox.
   */
  async hold(
    workerId: string,
    leaseMs: number,
    { limit, perOrganization }: { readonly limit: number; readonly perOrganization: number },
  ): Promise<HeldReply[]> {
    const values = [workerId, leaseMs / 1000, limit, DAYS_MAX, perOrganization];
    const { rows } = await this.#pool.query<Row>(HOLD, values);
    return rows.map((row) => {
      const mail = { mailboxId: row.mailbox_id, mailId: row.mail_id };
      const text = this.#box.open(row.sealed, contextOf(mail)).toString('utf8');
      return {
        ...mail,
        organizationId: row.organization_id,
        taskId: row.task_id,
        tries: row.tries,
        receivedAt: row.received_at,
        answerable: Answerable.parse(JSON.parse(text)),
      };
    });
  }

  /** Renews the claims of a worker. */
  async keep(workerId: string, leaseMs: number) {
    await this.#pool.query(
      `update operational.mailbox_mails
       set leased_until = now() + make_interval(secs => $2)
       where worker_id = $1 and state = 'sending'`,
      [workerId, leaseMs / 1000],
    );
  }

  /** How many replies this sender got in the last hour, or since the mailbox was resumed. */
  async repliedInHour({ mailboxId, mailId }: OfMail): Promise<number> {
    const { rows } = await this.#pool.query<{ count: number }>(
      `select count(*)::int as count from operational.mailbox_mails own
       join operational.mailbox_mails r using (mailbox_id, sender_key)
       join operational.mailboxes m using (mailbox_id)
       where own.mailbox_id = $1 and own.mail_id = $2
         and r.replied_at > greatest(m.resumed_at, now() - interval '1 hour')`,
      [mailboxId, mailId],
    );
    return rows[0]?.count ?? 0;
  }

  async end({ mailboxId, mailId }: OfMail, state: ReplyEnd, { isSent = false } = {}) {
    await this.#pool.query(
      `update operational.mailbox_mails
       set state = $3, worker_id = null, leased_until = null,
         replied_at = case when $4 then now() else replied_at end,
         sealed = case when $3 = 'done' then null else sealed end
       where mailbox_id = $1 and mail_id = $2 and state in ('waiting', 'sending')`,
      [mailboxId, mailId, state, isSent],
    );
  }

  /** Retries it later. */
  async delay({ mailboxId, mailId }: OfMail, afterMs: number) {
    await this.#pool.query(
      `update operational.mailbox_mails
       set state = 'waiting', tries = tries + 1, worker_id = null, leased_until = null,
         next_at = now() + make_interval(secs => $3)
       where mailbox_id = $1 and mail_id = $2 and state = 'sending'`,
      [mailboxId, mailId, afterMs / 1000],
    );
  }

  async mailboxOf(mailId: string, organizationId: string): Promise<string | null> {
    const { rows } = await this.#pool.query<{ mailbox_id: string }>(
      `select mailbox_id from operational.mailbox_mails
       where mail_id = $1 and organization_id = $2`,
      [mailId, organizationId],
    );
    return rows[0]?.mailbox_id ?? null;
  }

  /** A member sends it again. */
  async again({ mailboxId, mailId }: OfMail) {
    await this.#pool.query(
      `update operational.mailbox_mails
       set state = 'waiting', tries = 0, next_at = now(), received_at = now()
       where mailbox_id = $1 and mail_id = $2 and state in ('failed', 'uncertain')`,
      [mailboxId, mailId],
    );
  }
}

const HOLD = `
  with sending as (
    select mailbox_id, organization_id from operational.mailbox_mails
    where state = 'sending' and leased_until >= now()),
  firsts as (
    select distinct on (r.mailbox_id) r.mailbox_id, r.mail_id, r.organization_id, r.next_at
    from operational.mailbox_mails r
    join operational.mailboxes m using (mailbox_id)
    where m.is_active and not m.agent_rests and m.can_reply and r.next_at <= now()
      and r.received_at > now() - make_interval(days => $4)
      and (r.state = 'waiting' or r.state = 'sending' and r.leased_until < now())
      and not exists (select from sending s where s.mailbox_id = r.mailbox_id)
    order by r.mailbox_id, r.next_at, r.mail_id),
  ranked as (
    select f.*, (select count(*) from sending s where s.organization_id = f.organization_id)
      + row_number() over (partition by organization_id order by next_at, mail_id) as turn
    from firsts f),
  due as (
    select r.mailbox_id, r.mail_id from operational.mailbox_mails r
    join ranked k using (mailbox_id, mail_id)
    where k.turn <= $5
      and (r.state = 'waiting' or r.state = 'sending' and r.leased_until < now())
    order by k.turn, k.next_at for update of r skip locked limit $3)
  update operational.mailbox_mails r
  set state = 'sending', worker_id = $1, leased_until = now() + make_interval(secs => $2)
  from due where r.mailbox_id = due.mailbox_id and r.mail_id = due.mail_id
  returning r.mailbox_id, r.mail_id, r.organization_id, r.task_id, r.tries, r.received_at, r.sealed`;
