import type { MailText } from '../kit/mail/compose.ts';

type Written = {
  readonly name: string;
  readonly email: string;
  readonly company: string | null;
  readonly message: string;
};

const senderOf = ({ name, email, company }: Written) =>
  `${name} <${email}>${company ? `, ${company}` : ''} writes:`;

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
  return `${what} of ${p.organization} on Tallyhand`;
}

/** Every mail, in English. Values are inserted raw; markup is escaped later. */
export const mailsEn = {
  invitation: (p: {
    readonly organization: string;
    readonly role: string;
    readonly message: string | null;
    readonly url: string;
    readonly days: number;
  }): MailText => ({
    subject: `Invitation to ${p.organization} on Tallyhand`,
    paragraphs: [
      `You are invited to join ${p.organization} on Tallyhand as ${p.role}.`,
      `The invitation is for this email address and ends in ${p.days} days.`,
    ],
    quote: p.message,
    action: { label: 'Accept the invitation', url: p.url },
    footer:
      'The person who invited you gave us this address. If you did not expect it, ignore this email.',
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
      ...(p.more > 0 ? [`${p.more} more are in the list of notifications.`] : []),
    ],
    action: { label: p.sentences.length === 1 ? 'Have a look' : 'Open Tallyhand', url: p.url },
    footer: `You get this because email notifications are on. Turn them off: ${p.settingsUrl}`,
  }),
  passwordReset: (p: { readonly url: string }): MailText => ({
    subject: 'Set a new password on Tallyhand',
    paragraphs: [
      'Someone, most likely you, asked for a new password for this account.',
      'The link works once, within an hour.',
    ],
    action: { label: 'Set a new password', url: p.url },
    footer: 'If it was not you, you need not do anything: your password stays as it is.',
  }),
  deviceLink: (p: { readonly url: string }): MailText => ({
    subject: 'Sign in to Tallyhand from a new device',
    paragraphs: [
      'There were too many failed attempts to sign in to this account, so new devices have to wait.',
      'Open this link on the device where you want to sign in. It works once, within an hour. You still need your password, and your second factor if you use one.',
    ],
    action: { label: 'Sign in on this device', url: p.url },
    footer:
      'If you did not request this, you can ignore it: no one can sign in without your password.',
  }),
  passwordChanged: (): MailText => ({
    subject: 'Your password on Tallyhand was changed',
    paragraphs: [
      'The password of your account was changed a moment ago, and other sign-ins were ended.',
      'If it was not you, set a new password at once: choose “Forgot password?” where you sign in.',
    ],
    footer: 'You get this because it is your account.',
  }),
  emailChanged: (p: { readonly url: string; readonly days: number }): MailText => ({
    subject: 'Your email address on Tallyhand was changed',
    paragraphs: [
      'Your account now has another email address. You can no longer sign in with this one.',
      `If it was not you, take it back within ${p.days} days. All sign-ins end then; set a new password afterwards.`,
    ],
    action: { label: 'Take it back', url: p.url },
    footer: 'You get this because it was your account’s address.',
  }),
  contactMessage: (p: Written): MailText => ({
    subject: `Message from ${p.name}`,
    paragraphs: [senderOf(p)],
    quote: p.message,
    replyTo: p.email,
    footer: 'Written with the contact form. Your answer to this mail goes to its sender.',
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
    paragraphs: [senderOf(p), `Priority: ${p.priority}. Category: ${p.category}.`],
    quote: p.message,
    replyTo: p.email,
    footer: 'Written with the support form. Your answer to this mail goes to its sender.',
  }),
};
