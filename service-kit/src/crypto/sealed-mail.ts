import { z } from 'zod';
import type { SealedBox } from './sealed-box.ts';

const MailContent = z.object({
  to: z.string(),
  subject: z.string(),
  text: z.string(),
  html: z.string(),
  replyTo: z.string().optional(),
  /** The trace of its cause, if traced. */
  traceparent: z.string().optional(),
});
/** The mail as its recipient receives it: it may contain access links. */
export type MailContent = z.infer<typeof MailContent>;

const contextOf = (mailId: string) => `outgoing-mail ${mailId}`;

export const sealMail = (box: SealedBox, mailId: string, content: MailContent): Buffer =>
  box.seal(Buffer.from(JSON.stringify(content)), contextOf(mailId));

export const openMail = (box: SealedBox, mailId: string, sealed: Buffer): MailContent =>
  MailContent.parse(JSON.parse(box.open(sealed, contextOf(mailId)).toString()));
