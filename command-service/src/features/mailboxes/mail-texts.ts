import { REPLY_TEMPLATE } from '@tallyhand/contracts/features/mailboxes/mailboxes.fields';
import { TASK_INPUT_MAX } from '@tallyhand/contracts/features/tasks/tasks.endpoints';
import type { IncomingMail } from './read-mail.ts';

const QUOTE_MAX = 2_000;
const CUT = '\n[…]';

/** The input of the task: subject, text, and attachments that are text. */
export function taskInputOf({ subject, text, attachments }: IncomingMail): string {
  const read = attachments.filter((one) => one.text !== null);
  const others = attachments.filter((one) => one.text === null).map(({ name }) => name);
  const parts = [
    subject,
    text,
    ...read.map((one) => `Attachment "${one.name}":\n${one.text}`),
    others.length > 0 ? `Attachments that were not read: ${others.join(', ')}` : '',
  ];
  const input = parts.filter((part) => part !== '').join('\n\n');
  return cut(input, TASK_INPUT_MAX) || '(An empty mail.)';
}

/** The headers that the agent gets beside the text. */
export function aboutMail({ from, subject, sentAt }: IncomingMail): string {
  const sender = from?.name ? `${from.name} <${from.address}>` : from?.address;
  return [
    'The request came as a mail.',
    `From: ${sender ?? 'unknown'}`,
    `Subject: ${subject || '(none)'}`,
    `Date: ${sentAt?.toISOString() ?? 'unknown'}`,
  ].join('\n');
}

/** The quote below a reply. */
export const quoteOf = ({ text }: IncomingMail) => cut(text, QUOTE_MAX);

function cut(text: string, max: number): string {
  return text.length <= max ? text : text.slice(0, max - CUT.length) + CUT;
}

export type ReplyParts = {
  readonly answer: string;
  readonly subject: string;
  readonly name: string;
  readonly agent: string;
  readonly quote: string;
};

/** The text of a reply: the filled template, and the quoted mail. */
export function replyText(template: string, parts: ReplyParts): string {
  const { quote, name, ...rest } = parts;
  const fields: Readonly<Record<string, string>> = { ...rest, name };
  // One pass, so that text of the sender is not treated as a template.
  const filled = (template || REPLY_TEMPLATE).replace(
    /\{\{\s*(\w+)\s*\}\}/g,
    (whole, field: string) => fields[field] ?? whole,
  );
  if (quote === '') return filled;
  const quoted = quote.split('\n').map((line) => `> ${line}`.trimEnd());
  return `${filled}\n\n${quoted.join('\n')}`;
}

export const replySubject = (subject: string) =>
  /^\s*re\s*:/i.test(subject) ? subject : `Re: ${subject}`.trim();
