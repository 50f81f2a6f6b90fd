import { PersonErased } from '@tallyhand/contracts/features/identity/identity.events';
import { ticketEvents } from '@tallyhand/contracts/features/support/support.events';
import { ticketsModel } from '@tallyhand/read-models/features/support/support.tables';
import { ERASED } from '@tallyhand/service-kit/crypto/person-keys';
import { projection } from '../../kernel/projection.ts';

/** Tickets of members. A visitor's ticket is for the operator alone. */
export const ticketsProjection = projection({
  model: ticketsModel,
  kinds: { ...ticketEvents, PersonErased },
  on: {
    TicketOpened: async (tx, data, { at, reveal }) => {
      const { organizationId, personId, company } = data;
      if (!organizationId) return;
      await tx
        .insertInto('tickets')
        .values({
          ticket_id: data.ticketId,
          organization_id: organizationId,
          ticket_number: data.ticketNumber,
          person_id: personId,
          name: await reveal(personId, data.name),
          email: await reveal(personId, data.email),
          company: company && (await reveal(personId, company)),
          subject: await reveal(personId, data.subject),
          message: await reveal(personId, data.message),
          priority: data.priority,
          category: data.category,
          created_at: at,
        })
        .execute();
    },
    PersonErased: (tx, { userId }) =>
      tx
        .updateTable('tickets')
        .set({ name: ERASED, email: ERASED, company: null, subject: ERASED, message: ERASED })
        .where('person_id', '=', userId)
        .execute(),
  },
});
