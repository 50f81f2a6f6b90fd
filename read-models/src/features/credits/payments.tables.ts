import { bigint, orNull, text, timestamp, uuid } from '../../kernel/columns.ts';
import { inEachOrder, readOne, readPage } from '../../kernel/read.ts';
import { readModel, table } from '../../kernel/read-model.ts';

/** `status` is how the payment itself went; refunds and disputes stand beside it. */
export const paymentsModel = readModel({
  name: 'payments',
  feature: 'credits',
  version: 1,
  tables: {
    payments: table({
      key: ['payment_id'],
      columns: {
        payment_id: uuid,
        organization_id: uuid,
        package_name: text,
        credits: bigint,
        cents: bigint,
        currency: text,
        provider: text,
        status: text,
        transaction_id: orNull(text),
        failure_code: orNull(text),
        checkout_url: orNull(text),
        refunded_cents: bigint,
        dispute_outcome: orNull(text),
        requested_by: uuid,
        created_at: timestamp,
      },
      indexes: ['(organization_id, created_at, payment_id)'],
    }),
  },
});

const decimal = (cents: string) => `(${cents}::numeric / 100)::numeric(20, 2)::text`;

/** What the ledger took back of this payment, less what came again. */
const REVERSED = `(select coalesce(sum(case l.kind when 'reversed' then l.amount
      when 'reinstated' then -l.amount else 0 end), 0)::bigint
    from read_model.ledger_entries l
    where l.payment_id = p.payment_id)`;

const PAYMENT = `
  p.payment_id as id, ${decimal('p.cents')} as amount, p.currency,
    p.credits as "creditsPurchased", ${REVERSED} as "creditsReversed",
    p.package_name as "packageName", p.provider, p.transaction_id as "providerTxnId",
    case when p.dispute_outcome in ('open', 'lost') then 'disputed'
      when p.refunded_cents > 0 then 'refunded' else p.status end as status,
    p.failure_code as "failureCode", ${decimal('p.refunded_cents')} as "refundedAmount",
    p.dispute_outcome as "disputeOutcome",
    case when p.status = 'pending' then p.checkout_url end as "checkoutUrl",
    p.status = 'succeeded' as "hasReceipt", p.created_at as "createdAt"`;

export const readPayments = inEachOrder((order, suffix) =>
  readPage(
    `payments${suffix}`,
    { table: 'read_model.payments', as: 'p', at: 'created_at', id: 'payment_id', select: PAYMENT },
    {},
    order,
  ),
);

export const readPaymentForReceipt = readOne(
  'payment_for_receipt',
  { id: 'uuid' },
  `select ${PAYMENT}, o.name as "organizationName"
   from read_model.payments p join read_model.organizations o using (organization_id)
   where p.organization_id = me.organization_id and p.payment_id = p_id`,
);

/** Only whether the caller may ask, for answers that stand in no table. */
export const readBillingAccess = readOne('billing_access', {}, 'select true as allowed');
