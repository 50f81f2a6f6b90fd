import { refusal } from '../../kernel/refusal.ts';

export const TicketNumberTaken = refusal(
  'ticket-number-taken',
  503,
  'No free ticket number',
  () => 'No free ticket number was found. Send your message again.',
);
