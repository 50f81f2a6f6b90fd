import { useEffect, useState, useSyncExternalStore } from 'react';
import { later, useLater } from './later.tsx';
import { dismissToast, showKeptToast, type ToastMessage, toastMs, toastStore } from './toast.ts';

const toasts = later(async () => (await import('./toasts.tsx')).Toasts);

/** Shows toasts. Until its code is loaded a toast waits, and its time does not run. */
export function Toaster() {
  const toast = useSyncExternalStore(toastStore.subscribe, toastStore.current);
  const [isMissing, setMissing] = useState(false);
  useEffect(showKeptToast, []);
  const Toasts = useLater(toasts, toast?.id, () => setMissing(true));
  if (Toasts) return <Toasts toast={toast} />;
  return isMissing && toast ? <PlainToast key={toast.id} toast={toast} /> : null;
}

/** Shown if the code of the better toast could not be loaded. */
function PlainToast({ toast }: { toast: ToastMessage }) {
  const { id, title, description, action } = toast;
  useEffect(() => {
    const timer = setTimeout(() => dismissToast(id), toastMs(toast));
    return () => clearTimeout(timer);
  }, [id, toast]);
  return (
    <div
      role="status"
      className="fixed inset-x-4 top-4 z-50 rounded-lg border border-line bg-raised p-4 text-sm shadow-float sm:left-auto sm:w-96"
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
