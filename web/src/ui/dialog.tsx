import * as AlertDialog from '@radix-ui/react-alert-dialog';
import * as Radix from '@radix-ui/react-dialog';
import { X } from 'lucide-react';
import { type FormEventHandler, type KeyboardEvent, type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Button } from './button.tsx';
import { cx } from './cx.ts';
import { Field, Input } from './field.tsx';
import { CopyButton } from './icon-button.tsx';
import { useReturnFocus } from './return-focus.ts';

type DialogProps = {
  close: () => void;
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

/** A part that handles Escape itself has this attribute. */
const keepsEscape = (target: EventTarget) =>
  (target as Element).closest('[data-keeps-escape]') !== null;

/**
 * Closes on the Escape that Radix leaves alone: it offers the key to the newest layer only, and a
 * toast is a layer. What handled the key itself, such as a menu, has prevented its default.
 */
const onEscape = (close: () => void) => (event: KeyboardEvent) => {
  if (event.key !== 'Escape' || event.defaultPrevented || keepsEscape(event.target)) return;
  event.preventDefault();
  close();
};

/** A dialog; on a phone a sheet from below. Its body scrolls, its head and DialogFooter stay. */
export function Dialog({
  close,
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
    if (next) return;
    if (dirty) setAsking(true);
    else close();
  };
  return (
    <Radix.Root open onOpenChange={change}>
      <Radix.Portal>
        <Radix.Overlay className="fixed inset-0 z-40 animate-fade bg-overlay" />
        <Radix.Content
          className={cx(contentClass, widths[size])}
          onOpenAutoFocus={(event) => {
            remember();
            focusWhereItStarts(event);
          }}
          onCloseAutoFocus={onCloseAutoFocus}
          onEscapeKeyDown={(event) => {
            if (event.target && keepsEscape(event.target)) event.preventDefault();
          }}
          onKeyDown={onEscape(() => change(false))}
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
              close();
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

/** Closes the dialog like its cross: asks first if something was typed. */
export function DialogCancel({ label }: { label?: string }) {
  const { t } = useTranslation('common');
  return (
    <Radix.Close asChild>
      <Button>{label ?? t('actions.cancel')}</Button>
    </Radix.Close>
  );
}

export type ConfirmDialogProps = {
  open: boolean;
  onOpenChange: (open: boolean) => void;
  title: string;
  /** What will be lost, in one sentence. */
  description: ReactNode;
  /** A verb. */
  confirmLabel: string;
  cancelLabel?: string;
  onConfirm: () => void;
  pending?: boolean;
  /** Red, where something is lost. */
  variant?: 'destructive' | 'primary';
};

/** Asks before something is lost or replaced. It stays open until its owner closes it. */
export function ConfirmDialog(props: ConfirmDialogProps) {
  const { t } = useTranslation('common');
  const { remember, onCloseAutoFocus } = useReturnFocus();
  return (
    <AlertDialog.Root open={props.open} onOpenChange={props.onOpenChange}>
      <AlertDialog.Portal>
        <AlertDialog.Overlay className="fixed inset-0 z-40 animate-fade bg-overlay" />
        <AlertDialog.Content
          onOpenAutoFocus={remember}
          onCloseAutoFocus={onCloseAutoFocus}
          onKeyDown={onEscape(() => props.onOpenChange(false))}
          className="fixed inset-x-0 bottom-0 z-40 animate-rise rounded-t-lg border border-line bg-raised p-6 shadow-float sm:inset-x-auto sm:top-1/2 sm:bottom-auto sm:left-1/2 sm:w-full sm:max-w-md sm:-translate-x-1/2 sm:-translate-y-1/2 sm:animate-fade sm:rounded-lg"
        >
          <AlertDialog.Title className="text-base font-semibold">{props.title}</AlertDialog.Title>
          <AlertDialog.Description className="mt-2 text-sm text-muted">
            {props.description}
          </AlertDialog.Description>
          <div className="mt-6 flex flex-col-reverse gap-2 sm:flex-row sm:justify-end">
            <AlertDialog.Cancel asChild>
              <Button>{props.cancelLabel ?? t('actions.cancel')}</Button>
            </AlertDialog.Cancel>
            <Button
              variant={props.variant ?? 'destructive'}
              pending={props.pending}
              onClick={props.onConfirm}
            >
              {props.confirmLabel}
            </Button>
          </div>
        </AlertDialog.Content>
      </AlertDialog.Portal>
    </AlertDialog.Root>
  );
}

export type FormDialogProps = Pick<DialogProps, 'title' | 'description' | 'dirty' | 'size'> & {
  submit: FormEventHandler<HTMLFormElement>;
  submitLabel: string;
  /** Nothing can be sent yet. */
  disabled?: boolean;
  pending: boolean;
  pendingLabel?: string;
  /** "Cancel" if absent. */
  cancelLabel?: string;
  close: () => void;
  /** Its fields. */
  children: ReactNode;
};

/** A dialog that is one form: its fields scroll, what sends it stays below them. */
export function FormDialog(props: FormDialogProps) {
  const { submit, submitLabel, disabled, pending, pendingLabel, cancelLabel, children, ...dialog } =
    props;
  return (
    <Dialog {...dialog}>
      <form noValidate onSubmit={submit} className="flex min-h-0 flex-1 flex-col">
        <DialogBody>{children}</DialogBody>
        <DialogFooter>
          <DialogCancel label={cancelLabel} />
          <Button
            type="submit"
            variant="primary"
            disabled={disabled}
            pending={pending}
            pendingLabel={pendingLabel}
          >
            {submitLabel}
          </Button>
        </DialogFooter>
      </form>
    </Dialog>
  );
}

/** Shows a secret the one time that it can be seen. */
export function SecretDialog(props: {
  title: string;
  description: string;
  label: string;
  secret: string;
  copyLabel: string;
  doneLabel: string;
  close: () => void;
}) {
  const { title, description, label, secret, copyLabel, doneLabel, close } = props;
  return (
    <Dialog close={close} title={title} description={description}>
      <DialogBody>
        <div className="flex items-end gap-2">
          <div className="min-w-0 flex-1">
            <Field label={label}>
              <Input
                readOnly
                value={secret}
                className="font-mono"
                onFocus={(event) => event.target.select()}
              />
            </Field>
          </div>
          <div className="flex h-9 items-center">
            <CopyButton text={secret} label={copyLabel} />
          </div>
        </div>
      </DialogBody>
      <DialogFooter>
        <Button variant="primary" onClick={close}>
          {doneLabel}
        </Button>
      </DialogFooter>
    </Dialog>
  );
}
