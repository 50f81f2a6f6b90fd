import * as Radix from '@radix-ui/react-toast';
import { CircleAlert, X } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { cx } from './cx.ts';
import { dismissToast, TOAST_PLACE, type ToastMessage, toastMs } from './toast.ts';

/** Shows the current toast: F8 leads to it, a swipe of 50 px to the right dismisses it. */
export function Toasts({ toast }: { toast: ToastMessage | undefined }) {
  const { t } = useTranslation('common');
  const destructive = toast?.variant === 'destructive';
  return (
    <Radix.Provider swipeDirection="right" swipeThreshold={50} label={t('toast.label')}>
      {toast && (
        <Radix.Root
          key={toast.id}
          type={destructive ? 'foreground' : 'background'}
          duration={toastMs(toast)}
          onOpenChange={(open) => !open && dismissToast(toast.id)}
          className={cx(
            // A dialog that is open leaves the toast alone in taking clicks.
            'pointer-events-auto flex animate-rise items-start gap-3 rounded-lg border bg-raised p-4 shadow-float',
            'data-[swipe=move]:translate-x-(--radix-toast-swipe-move-x)',
            destructive ? 'border-danger' : 'border-line',
          )}
        >
          {destructive && (
            <CircleAlert aria-hidden className="mt-0.5 size-4 shrink-0 text-danger" />
          )}
          <div className="min-w-0 flex-1">
            <Radix.Title className="text-sm font-medium">{toast.title}</Radix.Title>
            {toast.description && (
              <Radix.Description className="mt-0.5 text-sm break-words text-muted">
                {toast.description}
              </Radix.Description>
            )}
          </div>
          {toast.action && (
            <Radix.Action
              altText={toast.action.label}
              onClick={toast.action.onClick}
              className="h-8 shrink-0 rounded-md border border-border px-3 text-sm font-medium hover:bg-sunken"
            >
              {toast.action.label}
            </Radix.Action>
          )}
          <Radix.Close
            aria-label={t('actions.close')}
            className="-m-1 inline-flex size-7 shrink-0 items-center justify-center rounded-md text-muted hover:bg-sunken hover:text-text"
          >
            <X aria-hidden className="size-4" />
          </Radix.Close>
        </Radix.Root>
      )}
      <Radix.Viewport
        hotkey={['F8']}
        label={t('toast.viewport', { hotkey: '{hotkey}' })}
        className={cx(TOAST_PLACE, 'outline-none')}
      />
    </Radix.Provider>
  );
}
