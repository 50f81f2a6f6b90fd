import type {
  Package,
  PurchaseInput,
} from '@tallyhand/contracts/features/credits/payments.endpoints';
import { useEffect, useRef, useState } from 'react';
import { useNavigate } from 'react-router-dom';
import type { z } from 'zod';
import { checkoutTarget } from './checkout-target.ts';
import { usePurchaseCreditsMutation } from './credits.api.ts';
import { useConfirmPayment, usePurchaseFailed, wait } from './use-confirm-payment.ts';

const CONFIRM_AFTER_MS = 2_000;

export type TestOutcome = NonNullable<z.infer<typeof PurchaseInput>['testOutcome']>;

/** Goes to where the person pays or proves who they are. False where there is no such place. */
export function useContinueCheckout() {
  const navigate = useNavigate();
  return (checkoutUrl: string): boolean => {
    const target = checkoutTarget(checkoutUrl, window.location.origin);
    if (target?.kind === 'own') navigate(target.path);
    else if (target) window.location.assign(target.url);
    return target !== undefined;
  };
}

/** Coming back with the browser's Back shows the page as it was left: then nothing is bought. */
function useReturnedTo(onReturn: () => void) {
  useEffect(() => {
    const onShow = ({ persisted }: PageTransitionEvent) => persisted && onReturn();
    window.addEventListener('pageshow', onShow);
    return () => window.removeEventListener('pageshow', onShow);
  }, [onReturn]);
}

/** Buys one package at a time; `processing` is its id. With `testOutcome` only in test mode. */
export function usePurchase(testOutcome: TestOutcome | undefined) {
  const [processing, setProcessing] = useState<string>();
  const busy = useRef(false);
  const [purchase] = usePurchaseCreditsMutation();
  const continueCheckout = useContinueCheckout();
  const confirm = useConfirmPayment();
  const failed = usePurchaseFailed();
  const [end] = useState(() => () => {
    busy.current = false;
    setProcessing(undefined);
  });
  useReturnedTo(end);

  const buy = async ({ id, credits, amount }: Package) => {
    // The second click of a double click comes before the first one has changed the button.
    if (busy.current) return;
    busy.current = true;
    setProcessing(id);
    const body = { credits, amount, ...(testOutcome && { testOutcome }) };
    const { data, error } = await purchase(body);
    if (!data) {
      failed(error);
      return end();
    }
    // The button goes on reading "Processing..." until the provider's page is there.
    if (data.checkoutUrl && continueCheckout(data.checkoutUrl)) return;
    await wait(CONFIRM_AFTER_MS);
    await confirm({ id: data.paymentIntentId, credits });
    end();
  };
  return { buy, processing };
}
