import type { MailboxAccess } from '@tallyhand/contracts/features/mailboxes/mailboxes.fields';
import { isRefusal } from '@tallyhand/contracts/kernel/refusal';
import { derivedId, newId } from '@tallyhand/service-kit/crypto/ids';
import { FairQueue, type FairQueueLimits } from '@tallyhand/service-kit/fair-queue';
import { errorFields } from '@tallyhand/service-kit/log';
import { counter } from '@tallyhand/service-kit/metrics/counter';
import type { SendMailOptions } from 'nodemailer';
import type { Kit } from '../../kit/app.ts';
import { Batcher } from '../../kit/batcher.ts';
import { backgroundContext, type CommandContext } from '../../kit/context.ts';
import { type Outcome, type SmtpTimes, sendMessage } from '../../kit/mail/smtp.ts';
import { recurring } from '../../kit/recurring.ts';
import type { Answerable, HeldReply } from './mail-list.ts';
import { replySubject, replyText } from './mail-texts.ts';
import { correlationOf, replyHost, tracedReply } from './mail-trace.ts';
import { MAILBOX_TIMES, type MailboxTimes } from './mailbox-list.ts';
import type { Mailboxes } from './mailboxes.ts';
import { sendByGmail } from './sources/gmail-api.ts';
import { MailFailure } from './sources/mail-failure.ts';
import { smtpOptions } from './sources/mail-server.ts';
import type { OutboundMailConfig } from './sources/mail-source.ts';

/** With more, a mailbox pauses: two machines may be writing to each other. */
const REPLIES_PER_HOUR_MAX = 5;
const LIMITS: FairQueueLimits = {
  concurrency: 16,
  concurrencyPerOrganization: 6,
  waitingMax: 0,
  waitingPerOrganizationMax: 0,
};

const replies = counter({
  name: 'tallyhand_mailbox_replies_total',
  help: 'Attempts to send a reply through a mailbox, by outcome; delayed ones are retried.',
  known: ['sent', 'delayed', 'failed', 'uncertain'].map((outcome) => ({ outcome })),
});

export type RepliesContext = {
  readonly kit: Kit;
  readonly mailboxes: Mailboxes;
  readonly outbound: OutboundMailConfig;
  /** The output of a task; null if it did not succeed. */
  readonly answerOf: (taskId: string) => Promise<string | null>;
  readonly agentName: (agentId: string, organizationId: string) => Promise<string | null>;
};

/** Sends due replies, each at most once, until it is disposed of. */
export function sendReplies(
  context: RepliesContext,
  times: MailboxTimes = MAILBOX_TIMES,
): AsyncDisposable {
  const { kit, mailboxes } = context;
  const workerId = newId();
  const stop = new AbortController();
  const turns = new FairQueue('replies', LIMITS);
  const held = new Set<Promise<void>>();
  const sender = new ReplySender(context, times, stop.signal);

  function begin(reply: HeldReply) {
    const { mailId, organizationId } = reply;
    const ended: Promise<void> = turns
      .run(organizationId, () => sender.send(reply))
      .catch((error) =>
        kit.log.error('the outcome of a reply was not recorded', { mailId, ...errorFields(error) }),
      )
      .finally(() => {
        held.delete(ended);
        // The mailbox's next reply may be due. If this fails, the timer finds it.
        if (!stop.signal.aborted) void looks.add(undefined).catch(() => undefined);
      });
    held.add(ended);
  }

  // Concurrent requests share the next claim.
  const looks = new Batcher(async () => {
    if (turns.free <= 0) return;
    const share = { limit: turns.free, perOrganization: LIMITS.concurrencyPerOrganization };
    for (const reply of await mailboxes.mails.hold(workerId, times.leaseMs, share)) begin(reply);
  });
  const work = recurring(
    { everyMs: times.lookMs, failed: 'due replies were not looked for', log: kit.log },
    () => looks.add(undefined),
  );
  const keeping = setInterval(() => {
    // A short outage of the database is harmless until the lease expires.
    if (held.size > 0) mailboxes.mails.keep(workerId, times.leaseMs).catch(() => undefined);
  }, times.leaseMs / 6);
  return {
    async [Symbol.asyncDispose]() {
      stop.abort();
      await work[Symbol.asyncDispose]();
      await Promise.all(held);
      clearInterval(keeping);
    },
  };
}

/** Sends single replies. The intent of each is stored before the mail server gets anything. */
class ReplySender {
  readonly #context: RepliesContext;
  readonly #times: MailboxTimes;
  readonly #stop: AbortSignal;

  constructor(context: RepliesContext, times: MailboxTimes, stop: AbortSignal) {
    this.#context = context;
    this.#times = times;
    this.#stop = stop;
  }

  async send(reply: HeldReply): Promise<void> {
    const { kit, mailboxes, outbound, answerOf, agentName } = this.#context;
    const { mailboxId, mailId, organizationId, taskId, answerable } = reply;
    const { connection } = await mailboxes.streams.load(mailboxId);
    const answer = connection?.autoReply ? await answerOf(taskId) : null;
    if (!connection || answer === null) return mailboxes.mails.end(reply, 'done');
    if (await this.#isTooMuch(reply)) return;
    const access = await mailboxes.readAccess(mailboxId, connection.credentialsId);
    const address = await kit.personKeys.reveal(mailboxId, connection.address);
    const name = (await agentName(connection.agentId, organizationId)) ?? '';
    const attempt = await this.#intend(reply);
    if (attempt === null) return;
    const words = { answerable, template: connection.replyTemplate, answer };
    const outcome = await tracedReply(reply, replyHost(access, outbound), () =>
      deliverReply({ mailId, from: { name, address }, ...words }, access, outbound, {
        times: this.#times.smtp,
        signal: this.#stop,
      }),
    );
    if (outcome.kind !== 'sent') {
      const { kind, reason } = outcome;
      kit.log.warn('a reply was not sent', { mailId, mailboxId, kind, reason });
    }
    await this.#noteEnd(reply, attempt, outcome);
  }

  /** Pauses the mailbox if one sender got too many replies; the reply waits for a member. */
  async #isTooMuch(reply: HeldReply): Promise<boolean> {
    const { streams, mails, list } = this.#context.mailboxes;
    if ((await mails.repliedInHour(reply)) < REPLIES_PER_HOUR_MAX) return false;
    const data = { pausedBy: null, reason: 'too-many-replies' as const };
    await streams.send(reply.mailboxId, { type: 'Pause', data }, workerContext(reply));
    await list.stop(reply.mailboxId);
    await mails.delay(reply, 0);
    return true;
  }

  /** The number of the attempt; null if none may begin, and the outcome is stored. */
  async #intend(reply: HeldReply): Promise<number | null> {
    const { streams, mails } = this.#context.mailboxes;
    const { mailboxId, mailId } = reply;
    const command = { type: 'IntendReply', data: { mailId } } as const;
    const answer = await streams.send(mailboxId, command, workerContext(reply));
    if (isRefusal(answer)) {
      await mails.end(reply, 'done');
      return null;
    }
    const known = answer.state.replies.get(mailId);
    if (answer.events.length > 0 && known) return known.attempt;
    // The sender died before the outcome was known: it may have arrived.
    if (known?.state === 'intended') {
      await this.#noteEnd(reply, known.attempt, LOST);
      return null;
    }
    const isOver = known?.state === 'failed' || known?.state === 'uncertain';
    await mails.end(reply, isOver ? (known.state as 'failed' | 'uncertain') : 'done');
    return null;
  }

  async #noteEnd(reply: HeldReply, attempt: number, { kind }: Outcome): Promise<void> {
    const { streams, mails } = this.#context.mailboxes;
    const { retryMs, retryMsMax, giveUpMs } = this.#times;
    const { mailboxId, mailId, tries, receivedAt } = reply;
    const afterMs = Math.min(retryMs * 2 ** tries, retryMsMax);
    const isLate = Date.now() + afterMs - receivedAt.getTime() > giveUpMs;
    const refused = kind === 'refused' || (kind === 'undelivered' && isLate);
    const outcome = refused ? 'failed' : kind === 'undelivered' ? 'delayed' : kind;
    const data = { mailId, attempt, outcome } as const;
    await streams.send(mailboxId, { type: 'NoteReply', data }, workerContext(reply));
    replies.add({ outcome });
    if (outcome === 'delayed') await mails.delay(reply, afterMs);
    else await mails.end(reply, outcome === 'sent' ? 'done' : outcome, { isSent: true });
  }
}

const LOST: Outcome = {
  kind: 'uncertain',
  reason: 'The process that sent it ended before the mail server had answered.',
};

const workerContext = ({ organizationId, mailId }: HeldReply): CommandContext =>
  backgroundContext('worker', organizationId, { correlationId: correlationOf(mailId) });

export type Reply = {
  readonly mailId: string;
  /** The mailbox's own address, and the name of its agent. */
  readonly from: { readonly name: string; readonly address: string };
  readonly answerable: Answerable;
  readonly template: string;
  readonly answer: string;
};

/** The reply to a mail. Every attempt has the same Message-ID. */
export function replyMessage({
  mailId,
  from,
  answerable,
  template,
  answer,
}: Reply): SendMailOptions {
  const { to, name, subject, messageId, references, quote } = answerable;
  const domain = from.address.slice(from.address.lastIndexOf('@') + 1);
  const thread = messageId ? [...references.filter((id) => id !== messageId), messageId] : [];
  return {
    from,
    to: { name, address: to },
    subject: replySubject(subject),
    text: replyText(template, { answer, subject, name, agent: from.name, quote }),
    messageId: `<${derivedId(mailId, 'reply')}@${domain}>`,
    ...(messageId ? { inReplyTo: messageId, references: thread } : {}),
    // Suppresses automatic answers (RFC 3834).
    headers: { 'Auto-Submitted': 'auto-replied', 'X-Auto-Response-Suppress': 'All' },
  };
}

/** Hands a reply over and returns the outcome. Never throws. */
export async function deliverReply(
  reply: Reply,
  access: MailboxAccess,
  outbound: OutboundMailConfig,
  sending: { readonly times: SmtpTimes; readonly signal: AbortSignal },
): Promise<Outcome> {
  const message = replyMessage(reply);
  try {
    if (access.provider === 'gmail') {
      return await sendByGmail(message, reply.answerable, access, outbound, sending);
    }
    if (!access.smtp)
      return { kind: 'undelivered', reason: 'Replies are waiting for an SMTP server.' };
    const server = await smtpOptions(access.smtp, outbound.policy, sending.signal);
    return await sendMessage(server, message, reply.answerable.to, sending);
  } catch (error) {
    // Nothing was handed over yet.
    const reason = error instanceof MailFailure ? error.message : 'The mail could not be sent.';
    return { kind: 'undelivered', reason };
  }
}
