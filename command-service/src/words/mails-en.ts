import type { MailText } from '../kit/mail/compose.ts';

/** Every mail that is sent, in English. Values come as they are; their marks are escaped later. */
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
      `The invitation is for this e-mail address and ends in ${p.days} days.`,
    ],
    quote: p.message,
    action: { label: 'Accept the invitation', url: p.url },
    footer:
      'Whoever invited you gave us this address. If you did not expect it, you need not do anything.',
  }),
};
