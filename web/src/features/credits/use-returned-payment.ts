import { useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { useSearchParams } from 'react-router-dom';
import { problemOf } from '../../app/problem.ts';
import { showToast } from '../../ui/toast.ts';
import { useListPaymentsQuery } from './credits.api.ts';
import { useConfirmPayment, usePurchaseFailed } from './use-confirm-payment.ts';

/**
 * The way back from the provider, `?payment=ID&outcome=success|cancelled`: confirms the payment,
 * then cleans the address. True while it is being confirmed.
 */
export function useReturnedPayment(): boolean {
  const { t } = useTranslation('credits');
  const [search, setSearch] = useSearchParams();
  const id = search.get('payment');
  const outcome = search.get('outcome');
  const { data: payments, error } = useListPaymentsQuery(undefined, { skip: id === null });
  const confirm = useConfirmPayment();
  const failed = usePurchaseFailed();
  const begun = useRef<string>(undefined);

  const finish = async (payment: string) => {
    const found = payments?.find((it) => it.id === payment);
    if (outcome === 'cancelled') {
      showToast({ title: t('toasts.cancelled'), description: t('toasts.cancelledDescription') });
    } else if (found) await confirm({ id: payment, credits: found.creditsPurchased });
    else failed(error ?? problemOf(404, { ...unknownPayment, detail: t('checkout.unknown') }));
    setSearch(
      (params) => {
        const rest = new URLSearchParams(params);
        rest.delete('payment');
        rest.delete('outcome');
        return rest;
      },
      { replace: true },
    );
  };
  useEffect(() => {
    const known = payments !== undefined || error !== undefined || outcome === 'cancelled';
    if (id === null || !known || begun.current === id) return;
    begun.current = id;
    void finish(id);
  });
  return id !== null && outcome !== 'cancelled';
}

const unknownPayment = {
  type: 'about:blank',
  title: 'No such payment',
  status: 404,
  code: 'not-found',
};
