import { useEffect, useState, useSyncExternalStore } from 'react';
import { cx } from './cx.ts';
import { later, useLater } from './later.tsx';
import {
  dismissToast,
  showKeptToast,
  TOAST_PLACE,
  type ToastMessage,
  toastMs,
  toastStore,
} from './toast.ts';

const toasts = later(async () => (await import('./toasts.tsx')).Toasts);

/** How long a toast waits for the code that shows it well. */
const CODE_WAIT_MS = 2_000;

/** Shows toasts: plainly while the code of the better toast is missing, or long on its way. */
export function Toaster() {
  const toast = useSyncExternalStore(toastStore.subscribe, toastStore.current);
  /** The toast that is shown plainly. It stays so: it would be announced twice. */
  const [plainId, setPlainId] = useState<number>();
  useEffect(showKeptToast, []);
  const id = toast?.id;
  const Toasts = useLater(toasts, id, () => setPlainId(id));
  const isWaiting = !Toasts;
  useEffect(() => {
    if (!isWaiting) return;
    const timer = setTimeout(() => setPlainId(id), CODE_WAIT_MS);
    return () => clearTimeout(timer);
  }, [isWaiting, id]);
  if (toast && id === plainId) return <PlainToast key={id} toast={toast} />;
  return Toasts ? <Toasts toast={toast} /> : null;
}

/** Needs no code of its own. */
function PlainToast({ toast }: { toast: ToastMessage }) {
  const { id, title, description, action, variant } = toast;
  useEffect(() => {
    const timer = setTimeout(() => dismissToast(id), toastMs(toast));
    return () => clearTimeout(timer);
  }, [id, toast]);
  return (
    <div
      role="status"
      className={cx(
        TOAST_PLACE,
        // A dialog that is open leaves the toast alone in taking clicks.
        'pointer-events-auto rounded-lg border bg-raised p-4 text-sm shadow-float',
        variant === 'destructive' ? 'border-danger' : 'border-line',
      )}
    >
      <p className="font-medium">{title}</p>
      {description && <p className="mt-0.5 break-words text-muted">{description}</p>}
      {action && (
        <button
          type="button"
          className="mt-2 h-8 rounded-md border border-border px-3 font-medium hover:bg-sunken"
          onClick={() => {
            dismissToast(id);
            action.onClick();
          }}
        >
          {action.label}
        </button>
      )}
    </div>
  );
}
