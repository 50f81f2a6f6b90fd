import type { Payment } from '@tallyhand/contracts/features/credits/payments.endpoints';
import { TriangleAlert, Undo2 } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { Badge, StatusBadge } from '../../ui/badge.tsx';
import { useFormats } from './use-formats.ts';

/** How a payment stands, and what was taken back of it. */
export function PaymentStatus({ payment }: { payment: Payment }) {
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
