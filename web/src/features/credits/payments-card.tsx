import {
  exportPayments,
  type Payment,
} from '@tallyhand/contracts/features/credits/payments.endpoints';
import { Download, ReceiptText } from 'lucide-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { NotLoaded } from '../../app/loaded.tsx';
import { useSortedRows } from '../../app/use-sort.ts';
import { Button, ButtonLink } from '../../ui/button.tsx';
import { CardSection } from '../../ui/card.tsx';
import { ShortId } from '../../ui/short-id.tsx';
import { EmptyState } from '../../ui/states.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { DateText } from '../../ui/time.tsx';
import { useListPaymentsQuery } from './credits.api.ts';
import { PaymentActions } from './payment-actions.tsx';
import { PaymentStatus } from './payment-status.tsx';
import { useFormats } from './use-formats.ts';

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
          <ButtonLink size="sm">
            <a href={exportPayments.path} download>
              <Download aria-hidden />
              {t('exportCsv')}
            </a>
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
        error={error}
        refetch={refetch}
        label={t('payments.loading')}
        count={3}
        skeleton="h-8"
        className="flex flex-col gap-3"
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
  const { rows: sorted, ...table } = useSortedRows('payments-sort', useColumns(), payments);
  const [rows, setRows] = useState(ROWS_AT_ONCE);
  return (
    <>
      <Table
        label={t('payments.title')}
        {...table}
        rows={sorted.slice(0, rows)}
        rowKey={({ id }) => id}
        actionsLabel={t('payments.actions')}
        actions={(payment) => <PaymentActions payment={payment} />}
      />
      {payments.length > rows && (
        <div className="mt-3 flex justify-center">
          <Button onClick={() => setRows(rows + ROWS_AT_ONCE)}>{common('actions.showMore')}</Button>
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
