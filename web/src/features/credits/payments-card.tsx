import {
  exportPayments,
  getReceipt,
  type Payment,
} from '@tallyhand/contracts/features/credits/payments.endpoints';
import { pathOf } from '@tallyhand/contracts/kernel/endpoint';
import { Download, FlaskConical, ReceiptText, TriangleAlert, Undo2 } from 'lucide-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useAnnounce } from '../../app/announce.ts';
import { NotLoaded } from '../../app/loaded.tsx';
import { useSort } from '../../app/use-sort.ts';
import { Badge, StatusBadge } from '../../ui/badge.tsx';
import { Button, ButtonLink, HeaderButton } from '../../ui/button.tsx';
import { CardSection } from '../../ui/card.tsx';
import { DropdownMenu, MenuItem } from '../../ui/dropdown-menu.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { dateFormat } from '../../ui/formats.ts';
import { ShortId } from '../../ui/icon-button.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { DateText } from '../../ui/time.tsx';
import { useActOnTestPaymentMutation, useListPaymentsQuery } from './credits.api.ts';
import { type TestAction, testActionsOf } from './payment-rules.ts';
import { useFormats } from './use-formats.ts';
import { useConfirmPayment, useContinueCheckout } from './use-purchase.ts';

const ROWS_AT_ONCE = 20;

export function PaymentsCard() {
  const { t } = useTranslation('credits');
  const { data: payments } = useListPaymentsQuery();
  return (
    <CardSection
      title={t('payments.title')}
      actions={
        payments &&
        payments.length > 0 && (
          <ButtonLink size="sm" icon={Download} href={exportPayments.path} download>
            {' '}
            {t('exportCsv')}
          </ButtonLink>
        )
      }
    >
      <Payments />
    </CardSection>
  );
}

function Payments() {
  const { t } = useTranslation('credits');
  const { data: payments, error, refetch } = useListPaymentsQuery();
  if (!payments)
    return (
      <NotLoaded
        query={{ error, refetch }}
        label={t('payments.loading')}
        count={3}
        skeleton="h-8"
      />
    );
  if (payments.length === 0) {
    return (
      <EmptyState
        icon={ReceiptText}
        title={t('payments.empty')}
        description={t('payments.emptyDescription')}
      />
    );
  }
  return <PaymentTable payments={payments} />;
}

function PaymentTable({ payments }: { payments: readonly Payment[] }) {
  const { t } = useTranslation('credits');
  const { t: common } = useTranslation('common');
  const columns = useColumns();
  const sort = useSort('payments-sort', columns);
  const [count, setCount] = useState(ROWS_AT_ONCE);
  return (
    <>
      <Table
        label={t('payments.title')}
        columns={columns}
        rows={payments}
        first={count}
        sort={sort}
        rowKey={({ id }) => id}
        actionsLabel={t('payments.actions')}
        actions={(payment) => <PaymentActions payment={payment} />}
      />
      {payments.length > count && (
        <div className="mt-3 flex justify-center">
          <Button onClick={() => setCount(count + ROWS_AT_ONCE)}>
            {common('actions.showMore')}
          </Button>
        </div>
      )}
    </>
  );
}

function useColumns(): Column<Payment>[] {
  const { t } = useTranslation('credits');
  const { number, money } = useFormats();
  return [
    {
      key: 'date',
      header: t('payments.date'),
      sortBy: { time: ({ createdAt }) => createdAt },
      cell: ({ createdAt }) => <DateText at={createdAt} />,
    },
    {
      key: 'amount',
      header: t('payments.amount'),
      numeric: true,
      sortBy: { number: ({ amount }) => Number(amount) },
      cell: ({ amount, currency }) => money(amount, currency, 2),
    },
    {
      key: 'credits',
      header: t('payments.credits'),
      numeric: true,
      sortBy: { number: ({ creditsPurchased }) => creditsPurchased },
      cell: ({ creditsPurchased }) => number(creditsPurchased),
    },
    {
      key: 'transaction',
      header: t('payments.transaction'),
      cell: ({ providerTxnId }) =>
        providerTxnId ? <ShortId id={providerTxnId} copyLabel={t('payments.copy')} /> : '–',
    },
    {
      key: 'status',
      header: t('payments.status'),
      className: 'w-full whitespace-normal',
      sortBy: { text: ({ status }) => t(`payments.statuses.${status}`) },
      cell: (payment) => <PaymentStatus payment={payment} />,
    },
  ];
}

/** Continues a pending payment, downloads the receipt of a paid one, and acts on test payments. */
function PaymentActions({ payment }: { payment: Payment }) {
  const { t, i18n } = useTranslation('credits');
  const date = dateFormat(i18n.language, {
    dateStyle: 'medium',
    timeStyle: 'short',
  }).format(new Date(payment.createdAt));
  const actions = testActionsOf(payment);
  return (
    <div className="flex items-center justify-end gap-1 max-sm:flex-row-reverse">
      {actions.length > 0 && <TestMenu id={payment.id} actions={actions} date={date} />}
      {payment.status === 'pending' && <Continue payment={payment} date={date} />}
      {payment.hasReceipt && (
        <ButtonLink
          size="sm"
          variant="ghost"
          className="sm:-mr-3"
          icon={Download}
          href={pathOf(getReceipt, { id: payment.id })}
          download
        >
          {' '}
          {t('payments.download')}
          <span className="sr-only"> {t('payments.downloadOf', { date })}</span>
        </ButtonLink>
      )}
    </div>
  );
}

/** Leads to where the payment is completed, or checks it again if there is no such place. */
function Continue({ payment, date }: { payment: Payment; date: string }) {
  const { t } = useTranslation('credits');
  const { id, checkoutUrl, creditsPurchased } = payment;
  const continueCheckout = useContinueCheckout();
  const confirm = useConfirmPayment();
  const [asking, setAsking] = useState(false);
  const goOn = async () => {
    if (checkoutUrl && continueCheckout(checkoutUrl)) return;
    setAsking(true);
    await confirm({ id, credits: creditsPurchased });
    setAsking(false);
  };
  return (
    <Button size="sm" pending={asking} onClick={() => void goOn()}>
      {checkoutUrl ? t('payments.continue') : t('payments.check')}
      <span className="sr-only"> {t('payments.of', { date })}</span>
    </Button>
  );
}

function TestMenu({
  id,
  actions,
  date,
}: {
  id: string;
  actions: readonly TestAction[];
  date: string;
}) {
  const { t } = useTranslation('credits');
  const [act] = useActOnTestPaymentMutation();
  const announce = useAnnounce();
  const send = (action: TestAction) =>
    announce(act({ id, action }), { done: t('toasts.testSent'), failed: t('toasts.testFailed') });
  return (
    <DropdownMenu
      trigger={
        <HeaderButton aria-label={t('payments.testMenu', { date })}>
          <FlaskConical aria-hidden />
        </HeaderButton>
      }
    >
      {actions.map((action) => (
        <MenuItem key={action} onSelect={() => void send(action)}>
          {t(`payments.testActions.${action}`)}
        </MenuItem>
      ))}
    </DropdownMenu>
  );
}

/** The status of a payment, and what was refunded of it. */
function PaymentStatus({ payment }: { payment: Payment }) {
  const notes = useNotes(payment);
  return (
    <div className="flex flex-wrap items-center gap-x-2 gap-y-1 max-sm:justify-end">
      <Standing status={payment.status} />
      {notes.length > 0 && <span className="text-xs text-muted">{notes.join(' · ')}</span>}
    </div>
  );
}

function Standing({ status }: { status: Payment['status'] }) {
  const { t } = useTranslation('credits');
  const label = t(`payments.statuses.${status}`);
  switch (status) {
    case 'pending':
      return <StatusBadge status="waiting" label={label} />;
    case 'succeeded':
      return <StatusBadge status="success" label={label} />;
    case 'failed':
      return <StatusBadge status="failed" label={label} />;
    case 'refunded':
      return (
        <Badge tone="info">
          <Undo2 aria-hidden />
          {label}
        </Badge>
      );
    case 'disputed':
      return (
        <Badge tone="warning">
          <TriangleAlert aria-hidden />
          {label}
        </Badge>
      );
  }
}

function useNotes(payment: Payment): string[] {
  const { t } = useTranslation('credits');
  const { number, money } = useFormats();
  const { failureCode, creditsReversed, refundedAmount, currency, disputeOutcome } = payment;
  const notes: string[] = [];
  if (failureCode) {
    notes.push(
      t(`failures.${failureCode}` as 'failures.card_declined', { defaultValue: failureCode }),
    );
  }
  if (Number(refundedAmount) > 0) {
    notes.push(t('payments.refunded', { amount: money(refundedAmount, currency, 2) }));
  }
  if (disputeOutcome) notes.push(t(`payments.disputes.${disputeOutcome}`));
  if (creditsReversed > 0) {
    const formatted = number(creditsReversed);
    notes.push(t('payments.takenBack', { count: creditsReversed, formatted }));
  }
  return notes;
}
