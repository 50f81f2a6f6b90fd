import { z } from 'zod';
import { EmailAddress } from '../identity/identity.fields.ts';

export const PRIORITIES = ['low', 'medium', 'high', 'urgent'] as const;
export const CATEGORIES = [
  'general',
  'technical',
  'billing',
  'feature_request',
  'bug_report',
] as const;

const Priority = z.enum(PRIORITIES, { error: `Priority must be one of ${PRIORITIES.join(', ')}` });
export type Priority = z.infer<typeof Priority>;

const Category = z.enum(CATEGORIES, { error: `Category must be one of ${CATEGORIES.join(', ')}` });
export type Category = z.infer<typeof Category>;

export const SUPPORT_MESSAGE_MAX = 5000;

const text = (min: number, max: number, tooShort: string, name: string) =>
  z
    .string({ error: tooShort })
    .trim()
    .min(min, tooShort)
    .max(max, `${name} must be at most ${max} characters`);

const Company = z
  .string('Company must be a text')
  .trim()
  .max(200, 'Company must be at most 200 characters')
  .optional();

/** A honeypot: people never see this field. Messages that fill it in are dropped. */
const Fax = z
  .string('Fax must be a text')
  .max(200, 'Fax must be at most 200 characters')
  .optional();

export const ContactInput = z.strictObject({
  name: text(1, 200, 'Please enter your name', 'Name'),
  email: EmailAddress,
  company: Company,
  message: text(1, SUPPORT_MESSAGE_MAX, 'Please enter a message', 'Message'),
  fax: Fax,
});
export type ContactInput = z.infer<typeof ContactInput>;

export const TicketInput = z.strictObject({
  name: text(2, 200, 'Name must be at least 2 characters', 'Name'),
  email: EmailAddress,
  company: Company,
  subject: text(5, 200, 'Subject must be at least 5 characters', 'Subject'),
  message: text(20, SUPPORT_MESSAGE_MAX, 'Message must be at least 20 characters', 'Message'),
  priority: Priority.default('medium'),
  category: Category.default('general'),
  fax: Fax,
});
export type TicketInput = z.infer<typeof TicketInput>;
