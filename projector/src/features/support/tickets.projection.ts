import { PersonErased } from '@tallyhand/contracts/features/identity/identity.events';
import { ticketEvents } from '@tallyhand/contracts/features/support/support.events';
import { ticketsModel } from '@tallyhand/read-models/features/support/support.tables';
import { ERASED } from '@tallyhand/service-kit/crypto/person-keys';
import { projection } from '../../kernel/projection.ts';
import { addRows, newRow } from '../../kernel/rows.ts';

/** Tickets of members. A visitor's ticket is for the operator alone. */
export const ticketsProjection = projection({
  model: ticketsModel,
  kinds: { ...ticketEvents, PersonErased },
  on: {
    TicketOpened: async (tx, data, { at, reveal }) => {
      const { organizationId, personId, company } = data;
      if (!organizationId) return;
      const row = newRow('tickets', { ...data, organizationId }, at, {
        name: await reveal(personId, data.name),
        email: await reveal(personId, data.email),
        company: company && (await reveal(personId, company)),
        subject: await reveal(personId, data.subject),
        message: await reveal(personId, data.message),
      });
      await addRows(tx, 'tickets', [row]);
    },
    PersonErased: (tx, { userId }) =>
      tx
        .updateTable('tickets')
        .set({ name: ERASED, email: ERASED, company: null, subject: ERASED, message: ERASED })
        .where('person_id', '=', userId)
        .execute(),
  },
});
