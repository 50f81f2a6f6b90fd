import { useTranslation } from 'react-i18next';
import { asProblem, describeProblem } from '../../app/problem.ts';
import { showToast } from '../../ui/toast.ts';
import { confirmUntilEnded } from './confirm-until-ended.ts';
import { useConfirmPurchaseMutation } from './credits.api.ts';
import { useFormats } from './use-formats.ts';

const CONFIRM_EVERY_MS = 2_000;
/** A little over half a minute; the provider's own message ends a payment that takes longer. */
const ATTEMPTS_MAX = 12;

export const wait = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

/** Why a purchase failed: in the words for the provider's code where there are any. */
export function usePurchaseProblem() {
  const { t } = useTranslation('credits');
  return (error: unknown): string => {
    const { code, params } = asProblem(error);
    const described = describeProblem(t, error, t('toasts.purchaseFailedDescription'));
    if (code !== 'payment-failed') return described;
    const reason = String(params.reason);
    return t(`failures.${reason}` as 'failures.card_declined', { defaultValue: described });
  };
}

/** Tells in a toast that a purchase failed, and why. */
export function usePurchaseFailed() {
  const { t } = useTranslation('credits');
  const describe = usePurchaseProblem();
  return (error: unknown) =>
    showToast({
      variant: 'destructive',
      title: t('toasts.purchaseFailed'),
      description: describe(error),
    });
}

/** Follows a payment to its end, and says in a toast how it ended. */
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
