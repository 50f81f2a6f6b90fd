import { Ticket } from '@tallyhand/contracts/features/support/support.endpoints';
import { orNull, text, timestamp, uuid } from '../../kernel/columns.ts';
import { readPage, selectOf } from '../../kernel/read.ts';
import { readModel, table } from '../../kernel/read-model.ts';

export const ticketsModel = readModel({
  name: 'tickets',
  feature: 'support',
  version: 1,
  tables: {
    tickets: table({
      key: ['ticket_id'],
      columns: {
        ticket_id: uuid,
        organization_id: uuid,
        ticket_number: text,
        person_id: uuid,
        name: text,
        email: text,
        company: orNull(text),
        subject: text,
        message: text,
        priority: text,
        category: text,
        created_at: timestamp,
      },
      indexes: ['(organization_id, created_at, ticket_id)'],
      writeIndexes: ['(person_id)'],
    }),
  },
});

export const readTickets = readPage('tickets', {
  table: 'read_model.tickets',
  as: 't',
  at: 'created_at',
  id: 'ticket_id',
  select: selectOf(Ticket, ticketsModel.tables.tickets, 't', { id: 't.ticket_id' }),
});
