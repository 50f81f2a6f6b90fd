import { setTimeout as rest } from 'node:timers/promises';
import { openMail } from '@tallyhand/service-kit/crypto/sealed-box';
import { FairQueue, type FairQueueLimits } from '@tallyhand/service-kit/fair-queue';
import { errorFields } from '@tallyhand/service-kit/log';
import { counter } from '@tallyhand/service-kit/metrics/counter';
import { parseTraceparent } from '@tallyhand/service-kit/tracing/trace-context';
import { tracedFrom } from '@tallyhand/service-kit/tracing/tracing';
import type { Kit } from '../app.ts';
import { startDispatcher } from '../dispatcher.ts';
import { MAIL_CHANNEL } from './mailer.ts';
import { type MailSettings, type Outcome, SMTP_TIMES, type SmtpTimes, sendBySmtp } from './smtp.ts';

const tries = counter({
  name: 'tallyhand_mail_tries_total',
  help: 'Attempts to send a mail, by the state that they lead to; waiting is retried.',
  known: ['sent', 'waiting', 'failed', 'uncertain'].map((state) => ({ state })),
});

/** When mail is retried, in milliseconds. */
export type MailTimes = {
  /** After the first failure; each later one doubles it. */
  readonly retryMs: number;
  readonly retryMsMax: number;
  /** A mail of this age is not retried. */
  readonly giveUpMs: number;
  /** How often due mail is looked for. */
  readonly lookMs: number;
  readonly smtp: SmtpTimes;
};

export const MAIL_TIMES: MailTimes = {
  retryMs: 60_000,
  retryMsMax: 3_600_000,
  giveUpMs: 86_400_000,
  lookMs: 5_000,
  smtp: SMTP_TIMES,
};

/** Further mail of an organization waits, so that none can flood others through this server. */
const ORGANIZATION_MAX_PER_HOUR = 300;
/** As many connections as mail servers accept from one sender. */
const LIMITS: FairQueueLimits = {
  concurrency: 6,
  concurrencyPerOrganization: 4,
  waitingMax: 0,
  waitingPerOrganizationMax: 0,
};
/** Takes turns for mail that belongs to no organization, such as contact messages. */
const NO_ORGANIZATION = '00000000-0000-0000-0000-000000000000';
/** How long running deliveries may take when the process stops. */
const LAST_MOMENT_MS = 3_000;
const LOST = 'The process that sent it ended before the mail server had answered.';

type Taken = {
  readonly mail_id: string;
  readonly organization_id: string | null;
  readonly sealed: Buffer;
  readonly tries: number;
  readonly made_at: Date;
};

/** Sends what waits until it is disposed of; only one such runs at a time. */
export async function deliverMail(
  kit: Pick<Kit, 'pool' | 'box' | 'log'>,
  url: string,
  settings: MailSettings,
  times: MailTimes = MAIL_TIMES,
): Promise<AsyncDisposable> {
  const { pool, log } = kit;
  // The process that claimed these is gone: this one runs alone, and has not claimed any yet.
  await pool.query(
    `update operational.outgoing_mail set state = 'uncertain', error = $1, ended_at = now()
     where state = 'sending'`,
    [LOST],
  );
  return startDispatcher<Taken>({
    url,
    channel: MAIL_CHANNEL,
    log,
    turns: new FairQueue('mail', LIMITS),
    lookMs: times.lookMs,
    graceMs: LAST_MOMENT_MS,
    // The attempt is recorded before the server gets anything.
    async claim(limit) {
      const { rows } = await pool.query<Taken>(TAKE, [
        limit,
        ORGANIZATION_MAX_PER_HOUR,
        LIMITS.concurrencyPerOrganization,
        NO_ORGANIZATION,
      ]);
      return rows;
    },
    putBackOthers: (running) =>
      pool.query(PUT_BACK_STRAY, [running, (2 * times.smtp.totalMs) / 1000]),
    // It may have been sent.
    isRepeatable: false,
    idOf: ({ mail_id }) => mail_id,
    organizationOf: ({ organization_id }) => organization_id ?? NO_ORGANIZATION,
    run: (mail, stop) => deliver(kit, settings, mail, times, stop),
    messages: {
      notClaimed: 'due mail was not fetched',
      notRecorded: 'the outcome of a mail was not recorded',
    },
  });
}

/** With a delay, in case another process has taken over and is sending them. */
const PUT_BACK_STRAY = `
  update operational.outgoing_mail
  set state = 'waiting', next_at = now() + make_interval(secs => $2)
  where state = 'sending' and mail_id <> all($1::uuid[])`;

/**
 * In turns by organization, within its cap and hourly limit, oldest first. The turn of a mail is its
 * rank in its organization, after those being sent.
 */
const TAKE = `
  with busy as (
    select organization_id from operational.outgoing_mail
    where began_at > now() - interval '1 hour'
    group by organization_id having count(*) >= $2),
  sending as (
    select coalesce(organization_id, $4::uuid) as lane, count(*) as count
    from operational.outgoing_mail
    where state = 'sending' and began_at > now() - interval '1 hour' group by lane),
  ranked as (
    select m.mail_id, m.next_at, coalesce(s.count, 0) + row_number() over (
      partition by coalesce(m.organization_id, $4::uuid) order by m.next_at, m.mail_id) as turn
    from operational.outgoing_mail m
    left join sending s on s.lane = coalesce(m.organization_id, $4::uuid)
    where m.state = 'waiting' and m.next_at <= now() and not exists (
      select from busy b where b.organization_id is not distinct from m.organization_id)),
  due as (
    select mail_id from ranked where turn <= $3 order by turn, next_at, mail_id limit $1)
  update operational.outgoing_mail m
  set state = 'sending', tries = tries + 1, began_at = now()
  from due where m.mail_id = due.mail_id and m.state = 'waiting'
  returning m.mail_id, m.organization_id, m.sealed, m.tries, m.made_at`;

async function deliver(
  { pool, box, log }: Pick<Kit, 'pool' | 'box' | 'log'>,
  settings: MailSettings,
  mail: Taken,
  times: MailTimes,
  signal: AbortSignal,
): Promise<number | null> {
  const content = openMail(box, mail.mail_id, mail.sealed);
  const messageId = messageIdOf(mail.mail_id, settings.from);
  const outcome = await tracedSending(settings, { ...content, tries: mail.tries }, () =>
    sendBySmtp(settings, { ...content, messageId }, { times: times.smtp, signal }),
  );
  const { state, afterMs } = next(outcome, mail, times);
  tries.add({ state });
  const reason = outcome.kind === 'sent' ? null : outcome.reason;
  if (reason) log.warn('a mail was not sent', { mailId: mail.mail_id, state, reason });
  const note = () =>
    pool.query(
      `update operational.outgoing_mail
       set state = $2, error = $3, next_at = now() + make_interval(secs => $4),
         ended_at = case when $2 <> 'waiting' then now() end
       where mail_id = $1`,
      [mail.mail_id, state, reason, afterMs / 1000],
    );
  await untilItPasses(note, {
    restMs: times.lookMs,
    signal,
    onFailure: (error) =>
      log.warn('the outcome of a mail was not recorded yet', errorFields(error)),
  });
  return state === 'waiting' ? afterMs : null;
}

/** Repeats idempotent work until it succeeds or the signal aborts. */
async function untilItPasses(
  work: () => Promise<unknown>,
  options: {
    readonly restMs: number;
    readonly signal: AbortSignal;
    readonly onFailure: (error: unknown) => void;
  },
): Promise<void> {
  const { restMs, signal, onFailure } = options;
  for (;;) {
    try {
      await work();
      return;
    } catch (error) {
      if (signal.aborted) throw error;
      onFailure(error);
      await rest(restMs, undefined, { signal }).catch(() => undefined);
    }
  }
}

/** Part of the trace that caused the mail, however much later it is sent. */
const tracedSending = (
  { smtpUrl }: MailSettings,
  { traceparent, tries }: { readonly traceparent?: string | undefined; readonly tries: number },
  send: () => Promise<Outcome>,
): Promise<Outcome> =>
  tracedFrom(
    parseTraceparent(traceparent),
    'send mail',
    {
      kind: 'client',
      attributes: { 'server.address': new URL(smtpUrl).hostname, 'tallyhand.attempt': tries },
    },
    async (span) => {
      const outcome = await send();
      span?.set({ 'tallyhand.outcome': outcome.kind });
      if (outcome.kind !== 'sent') span?.fail();
      return outcome;
    },
  );

/** The same for each attempt, so that servers can drop duplicates. */
const messageIdOf = (mailId: string, from: string) =>
  `<${mailId}@${/@([^@>\s]+)>?\s*$/.exec(from)?.[1] ?? 'tallyhand'}>`;

function next({ kind }: Outcome, { tries, made_at }: Taken, times: MailTimes) {
  if (kind === 'sent' || kind === 'uncertain') return { state: kind, afterMs: 0 };
  const afterMs = Math.min(times.retryMs * 2 ** (tries - 1), times.retryMsMax);
  const isOver = Date.now() + afterMs - made_at.getTime() > times.giveUpMs;
  return kind === 'refused' || isOver
    ? { state: 'failed', afterMs: 0 }
    : { state: 'waiting', afterMs };
}
