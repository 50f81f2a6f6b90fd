import { z } from 'zod';
import type { Kit } from '../../kit/app.ts';

/** What a reply needs of the mail that it answers. */
const Answerable = z.object({
  to: z.string(),
  name: z.string(),
  subject: z.string(),
  messageId: z.string().nullable(),
  references: z.array(z.string()),
  quote: z.string(),
  /** Of Gmail's. */
  threadId: z.string().nullable(),
});
export type Answerable = z.infer<typeof Answerable>;

type OfMail = { readonly mailboxId: string; readonly mailId: string };

export type NewMail = OfMail & {
  readonly organizationId: string;
  readonly taskId: string | null;
  /** Null where no reply may follow. */
  readonly answerable: Answerable | null;
  /** What its agent is told besides its words; null where there is no task. */
  readonly about: string | null;
};

/** A mail whose reply one worker sends. */
export type HeldReply = OfMail & {
  readonly organizationId: string;
  readonly taskId: string;
  readonly tries: number;
  readonly receivedAt: Date;
  readonly answerable: Answerable;
};

export type ReplyEnd = 'done' | 'failed' | 'uncertain';

/** A reply that waited for longer surprises more than it helps. */
const DAYS_MAX = 7;

/** The mails that came, and which of them wait for a reply, as all processes share them. */
export type MailList = ReturnType<typeof mailListOf>;

export const mailListOf = (kit: Pick<Kit, 'pool' | 'box'>) => ({
  ...arrivalsOf(kit),
  ...repliesOf(kit),
});

const contextOf = ({ mailboxId, mailId }: OfMail) => `mailbox-mail ${mailboxId} ${mailId}`;
const aboutContextOf = (mail: OfMail) => `${contextOf(mail)} about`;

function arrivalsOf({ pool, box }: Pick<Kit, 'pool' | 'box'>) {
  return {
    /** Notes a mail. False: it was taken in already. */
    async add(mail: NewMail): Promise<boolean> {
      const { mailboxId, mailId, organizationId, taskId, answerable, about } = mail;
      const sealed =
        answerable && box.seal(Buffer.from(JSON.stringify(answerable)), contextOf(mail));
      const told = about && box.seal(Buffer.from(about), aboutContextOf(mail));
      const senderKey = answerable && box.keyedHash('mail-sender', answerable.to.toLowerCase());
      await pool.query(
        `insert into operational.mailbox_mails
           (mailbox_id, mail_id, organization_id, task_id, sealed, sender_key, about, state)
         values ($1, $2, $3, $4, $5, $6, $7, 'received') on conflict do nothing`,
        [mailboxId, mailId, organizationId, taskId, sealed, senderKey, told],
      );
      const { rows } = await pool.query<{ state: string }>(
        'select state from operational.mailbox_mails where mailbox_id = $1 and mail_id = $2',
        [mailboxId, mailId],
      );
      return rows[0]?.state === 'received';
    },
    /** Its task is requested, or there is none. Its end may have come before. */
    async tookIn({ mailboxId, mailId }: OfMail) {
      await pool.query(
        `update operational.mailbox_mails
         set state = case when task_id is null then 'done' else 'working' end
         where mailbox_id = $1 and mail_id = $2 and state = 'received'`,
        [mailboxId, mailId],
      );
    },
    /** How many came in the last hour, or since a person let it go on. */
    async cameInHour(mailboxId: string): Promise<number> {
      const { rows } = await pool.query<{ count: number }>(
        `select count(*)::int as count from operational.mailbox_mails r
         join operational.mailboxes m using (mailbox_id)
         where r.mailbox_id = $1
           and r.received_at > greatest(m.resumed_at, now() - interval '1 hour')`,
        [mailboxId],
      );
      return rows[0]?.count ?? 0;
    },
    /** What the mail of a task told besides its words; null where the task is none of a mail. */
    async about(taskId: string): Promise<string | null> {
      const { rows } = await pool.query<{ mailbox_id: string; mail_id: string; about: Buffer }>(
        `select mailbox_id, mail_id, about from operational.mailbox_mails
         where task_id = $1 and state in ('received', 'working') and about is not null`,
        [taskId],
      );
      const [row] = rows;
      if (!row) return null;
      const mail = { mailboxId: row.mailbox_id, mailId: row.mail_id };
      return box.open(row.about, aboutContextOf(mail)).toString('utf8');
    },
    /** Tasks came to their end: what they answer may go out, and the rest is over. */
    async tasksEnded(succeeded: readonly string[], others: readonly string[]) {
      await pool.query(
        `update operational.mailbox_mails
         set state = case when task_id = any($1::uuid[]) and sealed is not null
             then 'waiting' else 'done' end,
           sealed = case when task_id = any($1::uuid[]) then sealed end, about = null,
           next_at = now()
         where state in ('received', 'working') and task_id = any($1::uuid[] || $2::uuid[])`,
        [succeeded, others],
      );
    },
  };
}

type Row = {
  readonly mailbox_id: string;
  readonly mail_id: string;
  readonly organization_id: string;
  readonly task_id: string;
  readonly tries: number;
  readonly received_at: Date;
  readonly sealed: Buffer;
};

function repliesOf({ pool, box }: Pick<Kit, 'pool' | 'box'>) {
  return {
    /**
     * Those that are due, each for one worker; also those of a worker that died. They come in turns
     * by organization, with a cap for each, and one after the other in a mailbox.
     */
    async hold(
      workerId: string,
      leaseMs: number,
      { limit, perOrganization }: { readonly limit: number; readonly perOrganization: number },
    ): Promise<HeldReply[]> {
      const values = [workerId, leaseMs / 1000, limit, DAYS_MAX, perOrganization];
      const { rows } = await pool.query<Row>(HOLD, values);
      return rows.map((row) => {
        const mail = { mailboxId: row.mailbox_id, mailId: row.mail_id };
        const text = box.open(row.sealed, contextOf(mail)).toString('utf8');
        return {
          ...mail,
          organizationId: row.organization_id,
          taskId: row.task_id,
          tries: row.tries,
          receivedAt: row.received_at,
          answerable: Answerable.parse(JSON.parse(text)),
        };
      });
    },
    /** They are being sent still. */
    async keep(workerId: string, leaseMs: number) {
      await pool.query(
        `update operational.mailbox_mails
         set leased_until = now() + make_interval(secs => $2)
         where worker_id = $1 and state = 'sending'`,
        [workerId, leaseMs / 1000],
      );
    },
    /** How many replies this sender got in the last hour, or since a person let it go on. */
    async repliedInHour({ mailboxId, mailId }: OfMail): Promise<number> {
      const { rows } = await pool.query<{ count: number }>(
        `select count(*)::int as count from operational.mailbox_mails own
         join operational.mailbox_mails r using (mailbox_id, sender_key)
         join operational.mailboxes m using (mailbox_id)
         where own.mailbox_id = $1 and own.mail_id = $2
           and r.replied_at > greatest(m.resumed_at, now() - interval '1 hour')`,
        [mailboxId, mailId],
      );
      return rows[0]?.count ?? 0;
    },
    async end({ mailboxId, mailId }: OfMail, state: ReplyEnd, { isSent = false } = {}) {
      await pool.query(
        `update operational.mailbox_mails
         set state = $3, worker_id = null, leased_until = null,
           replied_at = case when $4 then now() else replied_at end,
           sealed = case when $3 = 'done' then null else sealed end
         where mailbox_id = $1 and mail_id = $2 and state in ('waiting', 'sending')`,
        [mailboxId, mailId, state, isSent],
      );
    },
    /** Once more, later. */
    async delay({ mailboxId, mailId }: OfMail, afterMs: number) {
      await pool.query(
        `update operational.mailbox_mails
         set state = 'waiting', tries = tries + 1, worker_id = null, leased_until = null,
           next_at = now() + make_interval(secs => $3)
         where mailbox_id = $1 and mail_id = $2 and state = 'sending'`,
        [mailboxId, mailId, afterMs / 1000],
      );
    },
    async mailboxOf(mailId: string, organizationId: string): Promise<string | null> {
      const { rows } = await pool.query<{ mailbox_id: string }>(
        `select mailbox_id from operational.mailbox_mails
         where mail_id = $1 and organization_id = $2`,
        [mailId, organizationId],
      );
      return rows[0]?.mailbox_id ?? null;
    },
    /** A person wants it once more. */
    async again({ mailboxId, mailId }: OfMail) {
      await pool.query(
        `update operational.mailbox_mails
         set state = 'waiting', tries = 0, next_at = now(), received_at = now()
         where mailbox_id = $1 and mail_id = $2 and state in ('failed', 'uncertain')`,
        [mailboxId, mailId],
      );
    },
  };
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
