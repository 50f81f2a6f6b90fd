import type { TFunction } from 'i18next';
import { useTranslation } from 'react-i18next';
import { showFailure, showToast, type ToastMessage } from '../ui/toast.ts';
import { describeProblem } from './problem.ts';

/** How a call to the server ended. */
export type Outcome<Data = unknown> = { data?: Data; error?: unknown };

type Success = string | Pick<ToastMessage, 'title' | 'description' | 'action'> | undefined;

/** What a toast reports about a call. */
export type Announcement<Data = unknown> = {
  /** The toast of success, or its title. Absent where the page itself shows the result. */
  done?: Success | ((data: NonNullable<Data>) => Success);
  /** The title of the toast of failure, described by the refusal; or the whole toast. */
  failed: string | Pick<ToastMessage, 'title' | 'description'>;
  /** Follows it where the answer gives no reason. */
  fallback?: string;
  /** Shows a refusal in the page; true where that is enough, and no toast is needed. */
  onRefused?: (error: unknown) => boolean;
};

/** Waits for a call, reports its outcome in a toast, and returns it. */
export async function announceOutcome<Data>(
  t: TFunction,
  call: PromiseLike<Outcome<Data>>,
  { done, failed, fallback, onRefused }: Announcement<Data>,
): Promise<Outcome<Data>> {
  const outcome = await call;
  const { data, error } = outcome;
  if (error) {
    if (onRefused?.(error)) return outcome;
    showFailure(
      typeof failed === 'string'
        ? { title: failed, description: describeProblem(t, error, fallback) }
        : failed,
    );
    return outcome;
  }
  const toast = typeof done === 'function' ? done(data as NonNullable<Data>) : done;
  if (toast) showToast(typeof toast === 'string' ? { title: toast } : toast);
  return outcome;
}

/** `announceOutcome` in the language of the page. */
export function useAnnounce() {
  const { t } = useTranslation('common');
  return <Data>(call: PromiseLike<Outcome<Data>>, announcement: Announcement<Data>) =>
    announceOutcome(t, call, announcement);
}
