import { setTimeout as rest } from 'node:timers/promises';
import { openMail } from '@tallyhand/service-kit/crypto/sealed-box';
import { FairQueue, type FairQueueLimits } from '@tallyhand/service-kit/fair-queue';
import { errorFields } from '@tallyhand/service-kit/log';
import { counter } from '@tallyhand/service-kit/metrics/counter';
import { listen } from '@tallyhand/service-kit/postgres/listener';
import { parseTraceparent } from '@tallyhand/service-kit/tracing/trace-context';
import { tracedFrom } from '@tallyhand/service-kit/tracing/tracing';
import type { Kit } from '../app.ts';
import { MAIL_CHANNEL } from './mailer.ts';
import { type MailSettings, type Outcome, SMTP_TIMES, type SmtpTimes, sendBySmtp } from './smtp.ts';

const tries = counter({
  name: 'tallyhand_mail_tries_total',
  help: 'Tries to hand a mail over, by what its state is then; waiting is tried again.',
  known: ['sent', 'waiting', 'failed', 'uncertain'].map((state) => ({ state })),
});

/** When mail is tried again, in milliseconds. */
export type MailTimes = {
  /** After the first failure; each later one doubles it. */
  readonly retryMs: number;
  readonly retryMsMax: number;
  /** After its making a mail is not tried any more. */
  readonly giveUpMs: number;
  /** How often mail is looked for that is due again. */
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

/** Beyond it an organization's mail waits: so that no organization floods others through this server. */
const ORGANIZATION_MAX_PER_HOUR = 300;
/** As many as a mail server takes from one sender; two are left to the other organizations. */
const LIMITS: FairQueueLimits = {
  concurrency: 6,
  concurrencyPerOrganization: 4,
  waitingMax: 0,
  waitingPerOrganizationMax: 0,
};
/** Mail that belongs to no organization, as the answer to a contact message, has turns of its own. */
const NO_ORGANIZATION = '00000000-0000-0000-0000-000000000000';
/** A mail under way may end by itself before the process does. */
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
  const closing = new AbortController();
  const turns = new FairQueue('mail', LIMITS);
  const underWay = new Map<string, Promise<void>>();
  let looking: Promise<void> | null = null;
  let isWanted = false;
  let isClosed = false;
  /** A look failed: mails may count as being sent that were never begun. */
  let hasStray = false;

  async function look() {
    while (isWanted && !isClosed) {
      isWanted = false;
      if (hasStray) {
        const otherMs = 2 * times.smtp.totalMs;
        await pool.query(PUT_BACK_STRAY, [[...underWay.keys()], otherMs / 1000]);
        hasStray = false;
      }
      const taken = turns.free > 0 ? await take(turns.free) : [];
      for (const mail of taken) begin(mail);
    }
  }

  function want() {
    isWanted = true;
    looking ??= look()
      .catch((error) => {
        hasStray = true;
        log.warn('due mail was not fetched', errorFields(error));
      })
      .finally(() => {
        looking = null;
        // Asked for after the last look and before this.
        if (isWanted && !isClosed) want();
      });
  }

  function begin(mail: Taken) {
    const send = () => deliver(kit, settings, mail, times, closing.signal);
    const ended = turns
      .run(mail.organization_id ?? NO_ORGANIZATION, send, { isRefusable: false })
      .catch((error) => log.error('the outcome of a mail was not recorded', errorFields(error)))
      .finally(() => {
        underWay.delete(mail.mail_id);
        want();
      });
    underWay.set(mail.mail_id, ended);
  }

  /** That it is tried is noted before anything is said to the server. */
  async function take(limit: number): Promise<Taken[]> {
    const { rows } = await pool.query<Taken>(TAKE, [
      limit,
      ORGANIZATION_MAX_PER_HOUR,
      LIMITS.concurrencyPerOrganization,
      NO_ORGANIZATION,
    ]);
    return rows;
  }

  // The process that took these is gone: this runs alone, and has not taken any yet.
  await pool.query(
    `update operational.outgoing_mail set state = 'uncertain', error = $1, ended_at = now()
     where state = 'sending'`,
    [LOST],
  );
  const listener = await listen({
    url,
    log,
    channels: [MAIL_CHANNEL],
    onNotification: want,
    onConnect: async () => want(),
  });
  const timer = setInterval(want, times.lookMs);
  return {
    async [Symbol.asyncDispose]() {
      isClosed = true;
      clearInterval(timer);
      await listener[Symbol.asyncDispose]();
      const lastMoment = setTimeout(() => closing.abort(), underWay.size > 0 ? LAST_MOMENT_MS : 0);
      await looking;
      await Promise.all(underWay.values());
      clearTimeout(lastMoment);
    },
  };
}

/** They wait until another process, if it took over meanwhile and sends them, is done. */
const PUT_BACK_STRAY = `
  update operational.outgoing_mail
  set state = 'waiting', next_at = now() + make_interval(secs => $2)
  where state = 'sending' and mail_id <> all($1::uuid[])`;

/**
 * In turns by organization, as far as its cap and its hour allow, and there the oldest first. The
 * turn of a mail is its place among those of its organization, with what is being sent before it.
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
) {
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
}

/** Work that may be repeated: again after each failure, until it passes or the signal has come. */
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

/** A part of what caused the mail, however much later it goes out. */
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

/** The same for every try: a server that knows it already drops the second. */
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
