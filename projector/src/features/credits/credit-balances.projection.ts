import {
  type LedgerEvent,
  ledgerEvents,
} from '@tallyhand/contracts/features/credits/credits.events';
import { creditBalancesModel } from '@tallyhand/read-models/features/credits/credits.tables';
import { sql } from 'kysely';
import { projection, type Tx } from '../../kernel/projection.ts';

/** What an organization can spend now. One row for each organization. */
export const creditBalancesProjection = projection<LedgerEvent>({
  model: creditBalancesModel,
  kinds: ledgerEvents,
  on: {
    CreditsGranted: (tx, { organizationId, amount }) => move(tx, organizationId, amount, 0),
    CreditsReserved: (tx, { organizationId, amount }) => move(tx, organizationId, 0, amount),
    CreditsCharged: (tx, { organizationId, amount }) => move(tx, organizationId, -amount, -amount),
    ReservationReleased: (tx, { organizationId, amount }) => move(tx, organizationId, 0, -amount),
  },
});

function move(tx: Tx, organizationId: string, posted: number, reserved: number) {
  return tx
    .insertInto('credit_balances')
    .values({ organization_id: organizationId, posted, reserved })
    .onConflict((conflict) =>
      conflict.column('organization_id').doUpdateSet({
        posted: sql`credit_balances.posted + excluded.posted`,
        reserved: sql`credit_balances.reserved + excluded.reserved`,
      }),
    )
    .execute();
}
