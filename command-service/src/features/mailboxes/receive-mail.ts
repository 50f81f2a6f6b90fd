import { AgentPausedNow } from '@tallyhand/contracts/features/agents/agents.refusals';
import { NotFound } from '@tallyhand/contracts/kernel/problem';
import { isRefusal, type Refusal } from '@tallyhand/contracts/kernel/refusal';
import { derivedId } from '@tallyhand/service-kit/crypto/ids';
import type { Kit } from '../../kit/app.ts';
import type { CommandContext } from '../../kit/context.ts';
import { aboutMail, quoteOf, taskInputOf } from './mail-texts.ts';
import { correlationOf } from './mail-trace.ts';
import type { MailboxState } from './mailbox.decider.ts';
import type { Mailboxes } from './mailboxes.ts';
import type { IncomingMail } from './read-mail.ts';
import { MailFailure } from './sources/mail-failure.ts';
import type { FetchedMail } from './sources/mail-source.ts';

/** With more, a mailbox pauses: every mail costs a credit. */
const MAILS_PER_HOUR_MAX = 60;

export type TaskOfMail = {
  readonly organizationId: string;
  readonly taskId: string;
  readonly agentId: string;
  readonly input: string;
};

export type ReceivingContext = {
  readonly kit: Pick<Kit, 'vault' | 'importer' | 'personKeys'>;
  readonly mailboxes: Mailboxes;
  /** Reserves the credit and starts the task; may be repeated. */
  readonly requestTask: (context: CommandContext, task: TaskOfMail) => Promise<Refusal | null>;
};

type Connection = NonNullable<MailboxState['connection']>;

/** The mailbox or its agent is paused. */
export class MailboxPausedNow extends Error {}

/** Turns mails into tasks. */
export class MailReceiver {
  readonly #kit: ReceivingContext['kit'];
  readonly #mailboxes: Mailboxes;
  readonly #requestTask: ReceivingContext['requestTask'];

  constructor({ kit, mailboxes, requestTask }: ReceivingContext) {
    this.#kit = kit;
    this.#mailboxes = mailboxes;
    this.#requestTask = requestTask;
  }

  /**
   * Processes one mail, which becomes at most one task, even if it is received again. Rejects with
   * MailFailure if that is not possible now and must be repeated later.
   */
  async receive(
    commandContext: CommandContext,
    mailboxId: string,
    { raw, isTooLarge, threadId }: FetchedMail,
  ): Promise<void> {
    const { streams, mails } = this.#mailboxes;
    const { connection, pause, isDisconnected } = await streams.load(mailboxId);
    if (!connection || pause || isDisconnected) throw new MailboxPausedNow();
    const { organizationId, agentId } = connection;
    // Parsers of mail are loaded with the first one: most installations connect no mailbox.
    const { readMail } = await import('./read-mail.ts');
    const mail = await readMail(raw, organizationId, this.#kit.importer, { isHead: isTooLarge });
    const ownAddress = await this.#kit.personKeys.reveal(mailboxId, connection.address);
    const verdict = isTooLarge ? TOO_LARGE : judge(mail, ownAddress);
    const mailId = derivedId(mailboxId, 'mail', mail.identity);
    const context = { ...commandContext, correlationId: correlationOf(mailId) };
    const taskId = verdict.makesTask ? derivedId(mailId, 'task') : null;
    const answerable = verdict.isAnswered ? answerableOf(mail, threadId ?? null) : null;
    const about = taskId ? aboutMail(mail) : null;
    const own = { mailboxId, mailId, organizationId, taskId };
    const isNew = await mails.add({ ...own, answerable, about });
    if (!isNew) return;
    await this.#checkPace(context, mailboxId);
    await this.#noteReceived(context, connection, { mail, mailId, taskId, verdict });
    if (taskId) {
      const input = taskInputOf(mail);
      const refused = await this.#requestTask(context, { organizationId, taskId, agentId, input });
      if (refused) await this.#refuse(connection, refused);
    }
    await mails.tookIn({ mailboxId, mailId });
  }

  async #noteReceived(
    context: CommandContext,
    { mailboxId, organizationId }: Connection,
    { mail, mailId, taskId, verdict }: Judged,
  ) {
    const seal = (text: string) => this.#kit.vault.encrypt(mailboxId, organizationId, text);
    const sender = mail.from ? await seal(mail.from.address) : null;
    const reason = verdict.isAnswered ? null : verdict.reason;
    const data = { mailId, sender, subject: await seal(mail.subject), taskId, reason };
    const command = { type: 'ReceiveMail', data } as const;
    const answer = await this.#mailboxes.streams.send(mailboxId, command, context);
    if (isRefusal(answer)) throw new MailboxPausedNow();
  }

  async #checkPace(context: CommandContext, mailboxId: string) {
    const { streams, mails, list } = this.#mailboxes;
    if ((await mails.cameInHour(mailboxId)) <= MAILS_PER_HOUR_MAX) return;
    const data = { pausedBy: null, reason: 'too-much-mail' as const };
    await streams.send(mailboxId, { type: 'Pause', data }, context);
    await list.stop(mailboxId);
    throw new MailboxPausedNow();
  }

  /** The mail waits on its server until its task can be requested. */
  async #refuse({ agentId, organizationId }: Connection, refused: Refusal) {
    if (refused.code !== AgentPausedNow.code && refused.code !== NotFound.code) {
      throw new MailFailure(refused.code, `Mail waits: ${refused.detail}`);
    }
    await this.#mailboxes.followAgent(agentId, organizationId);
    throw new MailboxPausedNow();
  }
}

type Judged = {
  readonly mail: IncomingMail;
  readonly mailId: string;
  readonly taskId: string | null;
  readonly verdict: Verdict;
};

const TOO_LARGE: Verdict = { makesTask: false, isAnswered: false, reason: 'too-large' };

function answerableOf({ from, replyTo, ...mail }: IncomingMail, threadId: string | null) {
  const to = replyTo ?? from;
  if (!to) return null;
  const { subject, messageId, references } = mail;
  return {
    to: to.address,
    name: to.name || (from?.name ?? ''),
    subject,
    messageId,
    threadId,
    references: [...references],
    quote: quoteOf({ from, replyTo, ...mail }),
  };
}

/** `reason`: why a mail makes no task, or is not answered. */
export type Verdict =
  | { readonly makesTask: true; readonly isAnswered: true }
  | { readonly makesTask: boolean; readonly isAnswered: false; readonly reason: string };

const NO_ANSWER = /^(no-?reply|do-?not-?reply|noreply.*|.*-noreply|bounces?|postmaster)([+=-].*)?$/;
const BOUNCERS = /^(mailer-daemon|postmaster|bounces?([+=-].*)?)$/;

/**
 * Prevents mail loops between machines (RFC 3834): automatic mail is never answered, and bounces and
 * automatic answers make no task.
 */
export function judge(mail: IncomingMail, ownAddress: string): Verdict {
  const { from, replyTo, header } = mail;
  const none = (reason: string): Verdict => ({ makesTask: false, isAnswered: false, reason });
  const unanswered = (reason: string): Verdict => ({ makesTask: true, isAnswered: false, reason });
  if (isBounce(mail)) return none('bounce');
  const own = normalized(ownAddress);
  if (from && normalized(from.address) === own) return none('own-address');
  const automatic = header('auto-submitted').toLowerCase();
  // An automatic answer to an outgoing mail: not a question.
  if (automatic.startsWith('auto-replied')) return none('auto-reply');
  if (automatic !== '' && !/^no\b/.test(automatic)) return unanswered('automatic');
  if (header('list-id') !== '') return unanswered('mailing-list');
  if (/^(bulk|junk|list)$/i.test(header('precedence'))) return unanswered('bulk');
  if (SUPPRESSES.test(header('x-auto-response-suppress'))) return unanswered('automatic');
  const to = replyTo ?? from;
  if (!to) return unanswered('no-sender');
  if (normalized(to.address) === own) return unanswered('own-address');
  if (NO_ANSWER.test(localPart(to.address))) return unanswered('no-reply');
  return { makesTask: true, isAnswered: true };
}

const SUPPRESSES = /\b(all|autoreply|oof)\b/i;

function isBounce({ from, header }: IncomingMail): boolean {
  const type = header('content-type').toLowerCase();
  if (type.startsWith('multipart/report') && type.includes('delivery-status')) return true;
  if (header('return-path') === '<>') return true;
  return from !== null && BOUNCERS.test(localPart(from.address));
}

const localPart = (address: string) => address.slice(0, address.lastIndexOf('@')).toLowerCase();

/** Equal for spellings of one address, and without a tag after `+`. */
const normalized = (address: string) => address.toLowerCase().replace(/\+[^@]*@/, '@');
