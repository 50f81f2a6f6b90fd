import { readModel, readPage } from '../../kernel/read-model.ts';

export const ticketsModel = readModel({
  name: 'tickets',
  feature: 'support',
  version: 1,
  tables: {
    tickets: `
      ticket_id uuid primary key,
      organization_id uuid not null,
      ticket_number text not null,
      person_id uuid not null,
      name text not null,
      email text not null,
      company text,
      subject text not null,
      message text not null,
      priority text not null,
      category text not null,
      created_at timestamptz not null`,
  },
  indexes: ['create index on read_model.tickets (organization_id, created_at, ticket_id)'],
  writeIndexes: ['create index on read_model.tickets (person_id)'],
});

export type TicketsTable = {
  ticket_id: string;
  organization_id: string;
  ticket_number: string;
  person_id: string;
  name: string;
  email: string;
  company: string | null;
  subject: string;
  message: string;
  priority: string;
  category: string;
  created_at: string;
};

export const readTickets = readPage('tickets', {
  table: 'read_model.tickets',
  as: 't',
  at: 'created_at',
  id: 'ticket_id',
  select: `t.ticket_id as id, t.ticket_number as "ticketNumber", t.name, t.email, t.company,
    t.subject, t.message, t.priority, t.category, t.created_at as "createdAt"`,
});
