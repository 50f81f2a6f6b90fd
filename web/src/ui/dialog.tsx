import { X } from 'lucide-react';
import { Dialog as Radix } from 'radix-ui';
import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Button } from './button.tsx';
import { ConfirmDialog } from './confirm-dialog.tsx';
import { cx } from './cx.ts';
import { useReturnFocus } from './return-focus.ts';

export type DialogProps = {
  open: boolean;
  onOpenChange: (open: boolean) => void;
  title: string;
  description?: ReactNode;
  /** Something was typed: closing asks first. */
  dirty?: boolean;
  size?: keyof typeof widths;
  children: ReactNode;
};

const widths = {
  form: 'sm:max-w-[560px]',
  wide: 'sm:max-w-[760px]',
  large: 'sm:max-w-[1200px]',
};

const contentClass = cx(
  'fixed inset-x-0 bottom-0 z-40 flex max-h-[92dvh] animate-rise flex-col rounded-t-lg border',
  'border-line bg-raised shadow-float outline-none sm:inset-x-auto sm:top-1/2 sm:bottom-auto',
  'sm:left-1/2 sm:max-h-[86dvh] sm:w-[calc(100%-48px)] sm:-translate-x-1/2 sm:-translate-y-1/2',
  'sm:animate-fade sm:rounded-lg',
);

/**
 * Typing can begin at once where there is a keyboard; else the dialog itself has the focus, not
 * its cross, and a phone keeps its keyboard away.
 */
function focusWhereItStarts(event: Event) {
  event.preventDefault();
  const dialog = event.currentTarget as HTMLElement;
  const field = dialog.querySelector<HTMLElement>(
    'input:not([readonly], [aria-hidden]), textarea:not([readonly])',
  );
  const target = window.matchMedia('(pointer: fine)').matches ? field : null;
  (target ?? dialog).focus();
}

/** A part that has a use of its own for Escape says so by this attribute. */
function leaveEscapeTo(event: KeyboardEvent) {
  if ((event.target as Element).closest('[data-keeps-escape]')) event.preventDefault();
}

/** A dialog; on a phone a sheet from below. Its body scrolls, its head and DialogFooter stay. */
export function Dialog({
  open,
  onOpenChange,
  title,
  description,
  dirty = false,
  size = 'form',
  children,
}: DialogProps) {
  const { t } = useTranslation('common');
  const [asking, setAsking] = useState(false);
  const { remember, onCloseAutoFocus } = useReturnFocus();
  const change = (next: boolean) => {
    if (!next && dirty) setAsking(true);
    else onOpenChange(next);
  };
  return (
    <Radix.Root open={open} onOpenChange={change}>
      <Radix.Portal>
        <Radix.Overlay className="fixed inset-0 z-40 animate-fade bg-overlay" />
        <Radix.Content
          className={cx(contentClass, widths[size])}
          onOpenAutoFocus={(event) => {
            remember();
            focusWhereItStarts(event);
          }}
          onCloseAutoFocus={onCloseAutoFocus}
          onEscapeKeyDown={leaveEscapeTo}
          {...(description ? {} : { 'aria-describedby': undefined })}
        >
          <div className="flex items-start justify-between gap-4 px-6 pt-5 pb-4">
            <div className="min-w-0">
              <Radix.Title className="text-base font-semibold break-words">{title}</Radix.Title>
              {description && (
                <Radix.Description className="mt-0.5 text-sm text-muted">
                  {description}
                </Radix.Description>
              )}
            </div>
            <Radix.Close
              aria-label={t('actions.close')}
              className="-mt-1.5 -mr-2 inline-flex size-9 shrink-0 items-center justify-center rounded-md text-muted hover:bg-sunken hover:text-text"
            >
              <X aria-hidden className="size-4" />
            </Radix.Close>
          </div>
          {children}
          <ConfirmDialog
            open={asking}
            onOpenChange={setAsking}
            title={t('discard.title')}
            description={t('discard.description')}
            cancelLabel={t('discard.keep')}
            confirmLabel={t('discard.confirm')}
            onConfirm={() => {
              setAsking(false);
              onOpenChange(false);
            }}
          />
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}

export function DialogBody({ className, children }: { className?: string; children: ReactNode }) {
  return (
    <div className={cx('flex min-h-0 flex-1 flex-col gap-4 overflow-y-auto px-6 pb-6', className)}>
      {children}
    </div>
  );
}

/** The main action stands at the right, and on a phone at the very bottom. */
export function DialogFooter({ children }: { children: ReactNode }) {
  return (
    <div className="flex flex-col-reverse gap-2 border-t border-line px-6 py-4 sm:flex-row sm:justify-end">
      {children}
    </div>
  );
}

/** Closes the dialog as its cross does: it asks first when something was typed. */
export function DialogCancel({ label }: { label?: string }) {
  const { t } = useTranslation('common');
  return (
    <Radix.Close asChild>
      <Button>{label ?? t('actions.cancel')}</Button>
    </Radix.Close>
  );
}
