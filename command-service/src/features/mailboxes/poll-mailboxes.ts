import { newId } from '@tallyhand/service-kit/crypto/ids';
import { FairQueue, type FairQueueLimits } from '@tallyhand/service-kit/fair-queue';
import { errorFields, type Log } from '@tallyhand/service-kit/log';
import { counter } from '@tallyhand/service-kit/metrics/counter';
import type { Kit } from '../../kit/app.ts';
import { backgroundContext } from '../../kit/context.ts';
import { recurring } from '../../kit/recurring.ts';
import { PollSpans } from './mail-trace.ts';
import { type HeldMailbox, MAILBOX_TIMES, type MailboxTimes } from './mailbox-list.ts';
import type { Mailboxes } from './mailboxes.ts';
import { MailboxPausedNow, MailReceiver, type ReceivingContext } from './receive-mail.ts';
import { MailFailure } from './sources/mail-failure.ts';
import type { Cursor, MailSource, OutboundMailConfig } from './sources/mail-source.ts';
import { openSource } from './sources/open-source.ts';

/** Polled at the same time by one worker, including those that stay connected. */
const LIMITS: FairQueueLimits = {
  concurrency: 150,
  concurrencyPerOrganization: 50,
  waitingMax: 0,
  waitingPerOrganizationMax: 0,
};
/** Idle connections are renewed after this time. */
const WAITING_MS_MAX = 240_000;
const FAILURES_REPORTED = 3;

const failedPolls = counter({
  name: 'tallyhand_mailbox_failures_total',
  help: 'Failed polls of mailboxes, by the code of the failure.',
});

export type PollContext = ReceivingContext & {
  readonly kit: Kit;
  readonly mailboxes: Mailboxes;
  readonly outbound: OutboundMailConfig;
};

/** Polls due mailboxes, each by one worker at a time, until it is disposed of. */
export function pollMailboxes(
  context: PollContext,
  times: MailboxTimes = MAILBOX_TIMES,
): AsyncDisposable {
  const { kit, mailboxes } = context;
  const workerId = newId();
  const stop = new AbortController();
  const turns = new FairQueue('mailboxes', LIMITS);
  const held = new Map<string, Promise<void>>();
  const poller = new MailboxPoller(context, { workerId, times, stop: stop.signal });
  const work = recurring(
    { everyMs: times.lookMs, failed: 'mailboxes were not polled', log: kit.log },
    async () => {
      if (turns.free <= 0) return;
      const share = { limit: turns.free, perOrganization: LIMITS.concurrencyPerOrganization };
      for (const mailbox of await mailboxes.list.hold(workerId, times.leaseMs, share)) {
        const { mailboxId, organizationId } = mailbox;
        const ended = turns
          .run(organizationId, () => poller.visit(mailbox))
          .catch((error) =>
            kit.log.error('a mailbox was not polled', { mailboxId, ...errorFields(error) }),
          )
          .finally(() => held.delete(mailboxId));
        held.set(mailboxId, ended);
      }
    },
  );
  return {
    async [Symbol.asyncDispose]() {
      stop.abort();
      await work[Symbol.asyncDispose]();
      await Promise.all(held.values());
    },
  };
}

type Visiting = {
  readonly workerId: string;
  readonly times: MailboxTimes;
  readonly stop: AbortSignal;
};

/** Polls single mailboxes that the worker has claimed. */
class MailboxPoller {
  readonly #context: PollContext;
  readonly #visiting: Visiting;
  readonly #receiver: MailReceiver;

  constructor(context: PollContext, visiting: Visiting) {
    this.#context = context;
    this.#visiting = visiting;
    this.#receiver = new MailReceiver(context);
  }

  /** Polls a mailbox, records the outcome and releases it. */
  async visit(mailbox: HeldMailbox): Promise<void> {
    const { kit, mailboxes, outbound } = this.#context;
    const { list, streams } = mailboxes;
    const { workerId, times, stop } = this.#visiting;
    const { mailboxId } = mailbox;
    const { connection, isDisconnected } = await streams.load(mailboxId);
    if (!connection || isDisconnected) return list.stop(mailboxId);
    const intervalMs = connection.pollInterval * times.secondMs;
    let nextMs = intervalMs;
    using watch = watchOver(times, stop, () => list.keep(mailboxId, workerId, times.leaseMs));
    let spans: PollSpans | null = null;
    try {
      const access = await mailboxes.readAccess(mailboxId, connection.credentialsId);
      spans = new PollSpans(mailbox, access, outbound);
      const source = await openSource(access, outbound, watch.signal);
      try {
        await this.#poll(mailbox, source, { watch, spans, intervalMs });
      } finally {
        source.close();
      }
    } catch (error) {
      // Another worker continues it, or it was disconnected.
      const isOver = stop.aborted || watch.isLost() || error instanceof MailboxPausedNow;
      const failure = isOver ? null : counted(failureOf(error, kit.log));
      spans?.close(failure);
      if (stop.aborted) nextMs = 0;
      else if (failure) nextMs = await this.#noteFailure(mailbox, failure);
    }
    await list.release(mailboxId, workerId, nextMs);
  }

  /** Processes new mail; then again each time, if the server announces it. */
  async #poll(mailbox: HeldMailbox, source: MailSource, polling: Polling) {
    const { list, streams } = this.#context.mailboxes;
    const { watch, spans, intervalMs } = polling;
    const { mailboxId, organizationId } = mailbox;
    const { connection } = await streams.known(mailboxId);
    const save = async (cursor: Cursor) => {
      const isHeld = await list.advance(mailboxId, this.#visiting.workerId, cursor);
      if (!isHeld) throw new MailboxPausedNow();
    };
    let cursor = mailbox.cursor ?? (await source.first(mailbox.connectedAt));
    if (!mailbox.cursor) await save(cursor);
    for (;;) {
      for await (const mail of source.after(cursor)) {
        await this.#receiver.receive(backgroundContext('worker', organizationId), mailboxId, mail);
        cursor = mail.cursor;
        await save(cursor);
        if (connection?.markAsRead) await source.markRead(mail.ref);
        spans.countMail();
        watch.stepForward();
      }
      await this.#noteSuccess(mailbox);
      spans.end('done');
      if (!source.news) return;
      watch.rest();
      await source.news(Math.min(intervalMs, WAITING_MS_MAX));
      spans.begin();
      watch.stepForward();
    }
  }

  async #noteSuccess({ mailboxId, organizationId }: HeldMailbox) {
    const { list, streams } = this.#context.mailboxes;
    await list.notePoll(mailboxId, this.#visiting.workerId);
    const { failure } = await streams.known(mailboxId);
    if (!failure) return;
    const context = backgroundContext('worker', organizationId);
    await streams.send(mailboxId, { type: 'Recover', data: {} }, context);
  }

  /** Returns the time until the next attempt. */
  async #noteFailure(mailbox: HeldMailbox, { code, message, isFinal }: MailFailure) {
    const { kit, mailboxes } = this.#context;
    const { workerId, times } = this.#visiting;
    const { mailboxId, organizationId } = mailbox;
    const failures = await mailboxes.list.noteFailure(mailboxId, workerId, code, message);
    kit.log.warn('a mailbox could not be polled', { mailboxId, code, failures });
    if (isFinal || failures >= FAILURES_REPORTED) {
      const data = { code, isStopped: isFinal };
      const context = backgroundContext('worker', organizationId);
      await mailboxes.streams.send(mailboxId, { type: 'Fail', data }, context);
    }
    if (isFinal) await mailboxes.list.stop(mailboxId);
    return Math.min(times.retryMs * 2 ** Math.max(0, failures - 1), times.retryMsMax);
  }
}

/** Any other error is a bug. */
function failureOf(error: unknown, log: Log): MailFailure {
  if (error instanceof MailFailure) return error;
  log.error('a mailbox was not polled', errorFields(error));
  return new MailFailure('fault', 'Something went wrong here. It is tried again.');
}

function counted(failure: MailFailure): MailFailure {
  failedPolls.add({ code: failure.code });
  return failure;
}

type Polling = {
  readonly watch: Watch;
  readonly spans: PollSpans;
  readonly intervalMs: number;
};

type Watch = Disposable & {
  readonly signal: AbortSignal;
  /** Whether another worker has the claim now. */
  isLost(): boolean;
  stepForward(): void;
  /** Suspends the time-out until the next step, while the connection is idle. */
  rest(): void;
};

/** Renews the claim on a mailbox, and aborts a poll without progress. */
function watchOver(
  { leaseMs, silenceMs }: MailboxTimes,
  stop: AbortSignal,
  keep: () => Promise<boolean>,
): Watch {
  const end = new AbortController();
  let isLost = false;
  let silence: NodeJS.Timeout | undefined;
  const late = () => end.abort(new DOMException('No progress', 'TimeoutError'));
  const stepForward = () => {
    clearTimeout(silence);
    silence = setTimeout(late, silenceMs);
  };
  const beat = setInterval(() => {
    keep().then(
      (isHeld) => {
        if (isHeld) return;
        isLost = true;
        end.abort();
      },
      // A short outage of the database is harmless until the lease expires.
      () => undefined,
    );
  }, leaseMs / 6);
  stepForward();
  return {
    signal: AbortSignal.any([stop, end.signal]),
    isLost: () => isLost,
    stepForward,
    rest: () => clearTimeout(silence),
    [Symbol.dispose]() {
      clearTimeout(silence);
      clearInterval(beat);
    },
  };
}
