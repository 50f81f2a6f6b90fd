import { z } from 'zod';
import { ADMINS, PUBLIC } from '../../kernel/access.ts';
import { endpoint } from '../../kernel/endpoint.ts';
import { Id, Instant } from '../../kernel/ids.ts';
import { Page } from '../../kernel/lists.ts';
import { ContactInput, TicketInput } from './support.fields.ts';
import { TicketNumberTaken } from './support.refusals.ts';

export const Ticket = z.object({
  id: Id,
  ticketNumber: z.string(),
  /** As the sender entered it; `erased` with the person. */
  name: z.string(),
  email: z.string(),
  company: z.string().nullable(),
  subject: z.string(),
  message: z.string(),
  priority: z.string(),
  category: z.string(),
  createdAt: Instant,
});
export type Ticket = z.infer<typeof Ticket>;

export const sendContactMessage = endpoint({
  name: 'sendContactMessage',
  method: 'POST',
  path: '/api/contact',
  access: PUBLIC,
  feature: 'support',
  summary: 'Send a contact message',
  description: 'Sends a message to the operator. The same message counts once a day.',
  body: ContactInput,
  example: { name: 'Ada', email: 'ada@example.com', message: 'Hello' },
  status: 201,
  answer: z.object({ id: Id }),
  answerExample: { id: '0193a1b2-0000-7000-8000-000000000001' },
});
export const openTicket = endpoint({
  name: 'openTicket',
  method: 'POST',
  path: '/api/support/tickets',
  access: PUBLIC,
  feature: 'support',
  summary: 'Open a support ticket',
  description: 'If the sender is signed in, the ticket belongs to their organization.',
  body: TicketInput,
  example: {
    name: 'Ada',
    email: 'ada@example.com',
    subject: 'Question about an invoice',
    message: 'Where do I find the invoice of last month?',
    priority: 'low',
    category: 'billing',
  },
  status: 201,
  answer: z.object({ ticketNumber: z.string() }),
  answerExample: { ticketNumber: 'TH-3VM4PY' },
  refusals: [TicketNumberTaken],
});
export const listTickets = endpoint({
  name: 'listTickets',
  method: 'GET',
  path: '/api/support/tickets',
  access: ADMINS,
  feature: 'support',
  summary: 'List support tickets',
  description: 'Returns the tickets that members of the organization opened, newest first.',
  query: Page,
  status: 200,
  answer: z.array(Ticket),
  answerExample: [
    {
      id: '0193a1b2-0000-7000-8000-000000000001',
      ticketNumber: 'TH-BTYNVD',
      name: 'Ada Lovelace',
      email: 'ada@example.com',
      company: 'Harbour Goods',
      subject: 'An import fails',
      message: 'The PDF of our price list cannot be imported.',
      priority: 'high',
      category: 'technical',
      createdAt: '2027-01-31T09:30:00.000Z',
    },
  ],
});
