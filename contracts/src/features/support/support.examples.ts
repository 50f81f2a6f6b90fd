import type { AnswerExamples } from '../../kernel/answer-examples.ts';
import type * as support from './support.endpoints.ts';

export const supportExamples: AnswerExamples<typeof support> = {
  openTicket: {
    ticketNumber: 'TH-3VM4PY',
  },
  sendContactMessage: {
    id: '0193a1b2-0000-7000-8000-000000000001',
  },
  Ticket: {
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
};
