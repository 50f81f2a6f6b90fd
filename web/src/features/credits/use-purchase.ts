import type {
  Package,
  PurchaseInput,
} from '@tallyhand/contracts/features/credits/payments.endpoints';
import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useNavigate } from 'react-router-dom';
import type { z } from 'zod';
import { asProblem, describeProblem } from '../../app/problem.ts';
import { showFailure, showToast } from '../../ui/toast.ts';
import { useConfirmPurchaseMutation, usePurchaseCreditsMutation } from './credits.api.ts';
import { checkoutTarget, confirmUntilEnded } from './payment-rules.ts';
import { useFormats } from './use-formats.ts';

const CONFIRM_AFTER_MS = 2_000;

export type TestOutcome = NonNullable<z.infer<typeof PurchaseInput>['testOutcome']>;

/** Goes to where the user pays or authenticates. False if there is no such place. */
export function useContinueCheckout() {
  const navigate = useNavigate();
  return (checkoutUrl: string): boolean => {
    const target = checkoutTarget(checkoutUrl, window.location.origin);
    if (target?.kind === 'own') navigate(target.path);
    else if (target) window.location.assign(target.url);
    return target !== undefined;
  };
}

/** The browser's Back shows the page as it was left: the purchase is no longer in progress. */
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
    // The button reads "Processing..." until the provider's page is there.
    if (data.checkoutUrl && continueCheckout(data.checkoutUrl)) return;
    await wait(CONFIRM_AFTER_MS);
    await confirm({ id: data.paymentIntentId, credits });
    end();
  };
  return { buy, processing };
}

const CONFIRM_EVERY_MS = 2_000;
/** A little over half a minute; the provider's own message ends a payment that takes longer. */
const ATTEMPTS_MAX = 12;

const wait = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

/** Why a purchase failed, by the provider's code if it is known. */
function usePurchaseProblem() {
  const { t } = useTranslation('credits');
  return (error: unknown): string => {
    const { code, params } = asProblem(error);
    const described = describeProblem(t, error, t('toasts.purchaseFailedDescription'));
    if (code !== 'payment-failed') return described;
    const reason = String(params.reason);
    return t(`failures.${reason}` as 'failures.card_declined', { defaultValue: described });
  };
}

/** Shows a toast with why a purchase failed. */
export function usePurchaseFailed() {
  const { t } = useTranslation('credits');
  const describe = usePurchaseProblem();
  return (error: unknown) =>
    showFailure({ title: t('toasts.purchaseFailed'), description: describe(error) });
}

/** Follows a payment to its end, and reports its outcome in a toast. */
export function useConfirmPayment() {
  const { t } = useTranslation('credits');
  const { number } = useFormats();
  const failed = usePurchaseFailed();
  const [confirm] = useConfirmPurchaseMutation();
  return async ({ id, credits }: { id: string; credits: number }): Promise<void> => {
    const ask = () => confirm({ paymentIntentId: id, credits });
    const patience = { everyMs: CONFIRM_EVERY_MS, attemptsMax: ATTEMPTS_MAX, wait };
    const outcome = await confirmUntilEnded(ask, patience);
    if (outcome.kind === 'refused') failed(outcome.problem);
    else if (outcome.kind === 'pending') {
      showToast({
        title: t('toasts.pending'),
        description: t('toasts.pendingDescription'),
      });
    } else if (outcome.answer.status === 'succeeded') {
      showToast({
        title: t('toasts.purchased'),
        description: t('toasts.purchasedDescription', {
          count: credits,
          formatted: number(credits),
        }),
      });
    }
  };
}
