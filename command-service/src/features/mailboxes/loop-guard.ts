import type { IncomingMail } from './read-mail.ts';

/** What a mail leads to; `reason`: why it makes no task, or is not answered. */
export type Verdict =
  | { readonly makesTask: true; readonly isAnswered: true }
  | { readonly makesTask: boolean; readonly isAnswered: false; readonly reason: string };

const NO_ANSWER = /^(no-?reply|do-?not-?reply|noreply.*|.*-noreply|bounces?|postmaster)([+=-].*)?$/;
const BOUNCERS = /^(mailer-daemon|postmaster|bounces?([+=-].*)?)$/;

/**
 * Sees to it that no two machines write to each other for ever (RFC 3834): what a machine sent is
 * never answered, and what came back to us does not even make a task.
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

/** One address written in different ways, with a part of its own behind `+`. */
const normalized = (address: string) => address.toLowerCase().replace(/\+[^@]*@/, '@');
