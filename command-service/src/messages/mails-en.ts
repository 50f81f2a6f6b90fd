import type { Role } from '@tallyhand/contracts/kernel/role';
import type { SignedText } from '@tallyhand/service-kit/audit-bundle/signed-text';
import type { MailText } from '../kit/mail/compose.ts';

type Written = {
  readonly name: string;
  readonly email: string;
  readonly company: string | null;
  readonly message: string;
};

const senderOf = ({ name, email, company }: Written) =>
  `${name} <${email}>${company ? `, ${company}` : ''} wrote:`;

const SUBJECT_LENGTH_MAX = 100;

/** A short message is complete in itself. */
function notificationsSubject(p: {
  readonly organization: string;
  readonly sentences: readonly string[];
  readonly more: number;
}): string {
  const [first = '', ...others] = p.sentences;
  const count = p.sentences.length + p.more;
  if (others.length === 0 && first.length <= SUBJECT_LENGTH_MAX) return first;
  const what = count === 1 ? 'A notification' : `${count} notifications`;
  return `${what} from ${p.organization} on Tallyhand`;
}

const ROLE_NAMES: Readonly<Record<Role, string>> = {
  Admin: 'an Admin',
  Editor: 'an Editor',
  AgentManager: 'an Agent Manager',
  Viewer: 'a Viewer',
  Auditor: 'an Auditor',
};

/** Every mail, in English. Values are inserted raw; markup is escaped later. */
export const mailsEn = {
  invitation: (p: {
    readonly organization: string;
    readonly role: Role;
    /** Of an Auditor. */
    readonly lastDay: string | null;
    readonly message: string | null;
    readonly url: string;
    readonly days: number;
  }): MailText => ({
    subject: `Join ${p.organization} on Tallyhand`,
    paragraphs: [
      `You’ve been invited to join ${p.organization} on Tallyhand as ${ROLE_NAMES[p.role]}.`,
      `The invitation is only for this email address and expires in ${p.days} days.`,
      ...(p.lastDay ? [`You have access until the end of ${p.lastDay} (UTC).`] : []),
    ],
    quote: p.message,
    action: { label: 'Accept invitation', url: p.url },
    footer:
      'The person who invited you gave us this address. If you weren’t expecting the invitation, you can ignore this email.',
  }),
  /** A member's unread notifications, in one mail. */
  notifications: (p: {
    readonly organization: string;
    readonly sentences: readonly string[];
    readonly more: number;
    readonly url: string;
    readonly settingsUrl: string;
  }): MailText => ({
    subject: notificationsSubject(p),
    paragraphs: [
      `${p.organization} on Tallyhand:`,
      ...p.sentences,
      ...(p.more > 0 ? [`${p.more} more in your notifications.`] : []),
    ],
    action: { label: p.sentences.length === 1 ? 'View details' : 'Open Tallyhand', url: p.url },
    footer: `You’re receiving this because email notifications are on. Turn them off: ${p.settingsUrl}`,
  }),
  /** A checkpoint of the audit log, in a form that the verifier reads. */
  checkpoint: (p: {
    readonly organization: string;
    readonly size: number;
    readonly period: string;
    readonly checkpoint: SignedText;
    readonly url: string;
  }): MailText => ({
    subject: `Audit checkpoint of ${p.organization}: ${p.size} entries`,
    paragraphs: [
      `The audit log of ${p.organization} on Tallyhand had ${p.size} entries. The attached file is its signed checkpoint.`,
      'Keep this email. An export that was made later must begin with the same entries: verify it with --since and the attached file, or name the file when you create the export.',
    ],
    action: { label: 'Open the audit log', url: p.url },
    attachment: {
      name: `checkpoint-${p.period.slice(0, 'yyyy-mm-ddThh'.length).replace('T', '-')}.json`,
      content: `${JSON.stringify(p.checkpoint)}\n`,
    },
    footer:
      'You’re receiving this because an Admin chose you to keep checkpoints of the audit log.',
  }),
  passwordReset: (p: { readonly url: string }): MailText => ({
    subject: 'Reset your Tallyhand password',
    paragraphs: [
      'We received a request to reset the password of your Tallyhand account.',
      'The link works once and expires in one hour.',
    ],
    action: { label: 'Set a new password', url: p.url },
    footer: 'If you didn’t request this, you can ignore this email. Your password won’t change.',
  }),
  deviceLink: (p: { readonly url: string }): MailText => ({
    subject: 'Sign in to Tallyhand from a new device',
    paragraphs: [
      'There were too many failed attempts to sign in to your account, so new devices have to wait.',
      'Open this link on the device where you want to sign in. It works once and expires in one hour. You still need your password, and your two-factor code if you use one.',
    ],
    action: { label: 'Sign in on this device', url: p.url },
    footer:
      'If you didn’t request this, you can ignore this email. No one can sign in without your password.',
  }),
  passwordChanged: (): MailText => ({
    subject: 'Your Tallyhand password was changed',
    paragraphs: [
      'The password of your account was just changed, and all other devices were signed out.',
      'If this wasn’t you, set a new password right away: choose “Forgot password?” on the sign-in page.',
    ],
    footer: 'You’re receiving this because it concerns the security of your account.',
  }),
  emailChanged: (p: { readonly url: string; readonly days: number }): MailText => ({
    subject: 'Your Tallyhand email address was changed',
    paragraphs: [
      'Your account now uses a different email address. You can no longer sign in with this one.',
      `If this wasn’t you, undo the change within ${p.days} days. That signs you out everywhere. Set a new password afterwards.`,
    ],
    action: { label: 'Undo the change', url: p.url },
    footer: 'You’re receiving this because this was the email address of your account.',
  }),
  contactMessage: (p: Written): MailText => ({
    subject: `Message from ${p.name}`,
    paragraphs: [senderOf(p)],
    quote: p.message,
    replyTo: p.email,
    footer: 'Sent with the contact form. Reply to this email to answer the sender.',
  }),
  supportTicket: (
    p: Written & {
      readonly ticketNumber: string;
      readonly subject: string;
      readonly priority: string;
      readonly category: string;
    },
  ): MailText => ({
    subject: `[${p.ticketNumber}] ${p.subject}`,
    paragraphs: [
      senderOf(p),
      `Priority: ${p.priority}. Category: ${p.category.replaceAll('_', ' ')}.`,
    ],
    quote: p.message,
    replyTo: p.email,
    footer: 'Sent with the support form. Reply to this email to answer the sender.',
  }),
};
