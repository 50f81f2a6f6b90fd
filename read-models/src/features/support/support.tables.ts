import { orNull, text, timestamp, uuid } from '../../kernel/columns.ts';
import { readPage } from '../../kernel/read.ts';
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
  select: `t.ticket_id as id, t.ticket_number as "ticketNumber", t.name, t.email, t.company,
    t.subject, t.message, t.priority, t.category, t.created_at as "createdAt"`,
});
