/** The current toast. A newer one replaces it. */
export type ToastMessage = {
  id: number;
  title: string;
  description?: string;
  variant?: 'default' | 'destructive';
  action?: { label: string; onClick: () => void };
  /** How long it stays, in milliseconds; by default 5,000, with an action 10,000. */
  durationMs?: number;
};

/** How long a toast stays, in milliseconds. */
export const toastMs = ({ durationMs, action }: ToastMessage) =>
  durationMs ?? (action ? 10_000 : 5_000);

/** Where toasts are: on a phone at the top, because the actions of a sheet are at the bottom. */
export const TOAST_PLACE =
  'fixed inset-x-4 top-4 z-50 sm:top-auto sm:right-6 sm:bottom-6 sm:left-auto sm:w-96';

let current: ToastMessage | undefined;
let nextId = 1;
const listeners = new Set<() => void>();

const show = (message: ToastMessage | undefined) => {
  current = message;
  for (const listener of listeners) listener();
};

export function showToast(message: Omit<ToastMessage, 'id'>) {
  show({ ...message, id: nextId++ });
}

export const showFailure = (message: Omit<ToastMessage, 'id' | 'variant'>) =>
  showToast({ ...message, variant: 'destructive' });

export function dismissToast(id: number) {
  if (current?.id === id) show(undefined);
}

export const toastStore = {
  subscribe(listener: () => void) {
    listeners.add(listener);
    return () => listeners.delete(listener);
  },
  current: () => current,
};

const KEPT_AS = 'tallyhand-toast';

/** Shows the toast on the page that is loaded next. */
export function showToastOnNextPage(message: Pick<ToastMessage, 'title' | 'description'>) {
  try {
    sessionStorage.setItem(KEPT_AS, JSON.stringify(message));
  } catch {
    // Without storage the toast is lost, and nothing else.
  }
}

/** Shows the toast that the previous page stored, if there is one. */
export function showKeptToast() {
  try {
    const kept = sessionStorage.getItem(KEPT_AS);
    sessionStorage.removeItem(KEPT_AS);
    if (kept) showToast(JSON.parse(kept));
  } catch {
    // As above.
  }
}
