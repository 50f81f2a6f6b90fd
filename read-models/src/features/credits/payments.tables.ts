import { Payment } from '@tallyhand/contracts/features/credits/payments.endpoints';
import { bigint, orNull, text, timestamp, uuid } from '../../kernel/columns.ts';
import { orElse, readOne, readPage, selectOf } from '../../kernel/read.ts';
import { readModel, table } from '../../kernel/read-model.ts';

/**
 * `status` is the outcome of the payment itself; refunds and disputes have columns of their own.
 */
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

/** Credits of this payment that were reversed, minus those reinstated. */
const REVERSED = `(select coalesce(sum(case l.kind when 'reversed' then l.amount
      when 'reinstated' then -l.amount else 0 end), 0)::bigint
    from read_model.ledger_entries l
    where l.payment_id = p.payment_id)`;

const PAYMENT = selectOf(Payment, paymentsModel.tables.payments, 'p', {
  id: 'p.payment_id',
  amount: decimal('p.cents'),
  creditsPurchased: 'p.credits',
  creditsReversed: REVERSED,
  providerTxnId: 'p.transaction_id',
  status: `case when p.dispute_outcome in ('open', 'lost') then 'disputed'
    when p.refunded_cents > 0 then 'refunded' else p.status end`,
  refundedAmount: decimal('p.refunded_cents'),
  checkoutUrl: `case when p.status = 'pending' then p.checkout_url end`,
  hasReceipt: `p.status = 'succeeded'`,
});

const LIST = {
  table: 'read_model.payments',
  as: 'p',
  at: 'created_at',
  id: 'payment_id',
  select: PAYMENT,
};
export const readPayments = readPage('payments', LIST);

/** Of a period, or all; oldest first. */
export const readPaymentsOfPeriod = readPage(
  'payments_of_period',
  {
    ...LIST,
    since: orElse('p_from', `'-infinity'::timestamptz`),
    until: orElse('p_to', `'infinity'::timestamptz`),
  },
  { from: 'timestamptz', to: 'timestamptz' },
  'oldest',
);

export const readPaymentForReceipt = readOne(
  'payment_for_receipt',
  { id: 'uuid' },
  `select ${PAYMENT}, o.name as "organizationName"
   from read_model.payments p join read_model.organizations o using (organization_id)
   where p.organization_id = me.organization_id and p.payment_id = p_id`,
);

/** Checks access only, for answers that come from no table. */
export const readBillingAccess = readOne('billing_access', {}, 'select true as allowed');
