import { ledgerEvents } from '@tallyhand/contracts/features/credits/credits.events';
import { spendLimitsModel } from '@tallyhand/read-models/features/credits/spend-limits.tables';
import { projection } from '../../kernel/projection.ts';

export const spendLimitsProjection = projection({
  model: spendLimitsModel,
  kinds: ledgerEvents,
  on: {
    SpendLimitSet: (tx, { organizationId, scope, monthlyCredits }) =>
      monthlyCredits === null
        ? tx
            .deleteFrom('spend_limits')
            .where('organization_id', '=', organizationId)
            .where('scope_kind', '=', scope.kind)
            .where('scope_id', '=', scope.id)
            .execute()
        : tx
            .insertInto('spend_limits')
            .values({
              organization_id: organizationId,
              scope_kind: scope.kind,
              scope_id: scope.id,
              monthly_credits: monthlyCredits,
            })
            .onConflict((conflict) =>
              conflict
                .columns(['organization_id', 'scope_kind', 'scope_id'])
                .doUpdateSet({ monthly_credits: monthlyCredits }),
            )
            .execute(),
    CreditsGranted: 'ignored',
    CreditsPurchased: 'ignored',
    CreditsReserved: 'ignored',
    ReservationExtended: 'ignored',
    CreditsCharged: 'ignored',
    ReservationReleased: 'ignored',
    ReservationExpired: 'ignored',
    UnbilledUsageRecorded: 'ignored',
    CreditsRefunded: 'ignored',
    PaymentReversed: 'ignored',
    PaymentReinstated: 'ignored',
    AdjustmentPosted: 'ignored',
  },
});
