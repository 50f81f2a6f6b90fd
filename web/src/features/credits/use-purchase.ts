import type {
  Package,
  PurchaseInput,
} from '@tallyhand/contracts/features/credits/payments.endpoints';
import { useEffect, useRef, useState } from 'react';
import { useNavigate } from 'react-router-dom';
import type { z } from 'zod';
import { asProblem } from '../../app/problem.ts';
import { checkoutTarget } from './checkout-target.ts';
import { usePurchaseCreditsMutation } from './credits.api.ts';
import { purchaseKeys, randomKey } from './purchase-keys.ts';
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

/** False where nobody knows whether the purchase arrived. */
function isAnswer(error: unknown): boolean {
  const { status, code } = asProblem(error);
  return (status > 0 && status < 500) || code === 'payment-provider-unavailable';
}

/** Buys one package at a time; `processing` is its id. With `testOutcome` only in test mode. */
export function usePurchase(testOutcome: TestOutcome | undefined) {
  const [processing, setProcessing] = useState<string>();
  const busy = useRef(false);
  const [keys] = useState(() => purchaseKeys(randomKey));
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
    const idempotencyKey = keys.keyOf(JSON.stringify(body));
    const { data, error } = await purchase({ body, idempotencyKey });
    if (data || isAnswer(error)) keys.answered();
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
