import type { FormEventHandler, ReactNode } from 'react';
import { Button } from './button.tsx';
import { Dialog, DialogBody, DialogCancel, DialogFooter, type DialogProps } from './dialog.tsx';

export type FormDialogProps = Pick<DialogProps, 'title' | 'description' | 'dirty' | 'size'> & {
  submit: FormEventHandler<HTMLFormElement>;
  submitLabel: string;
  /** Nothing can be sent yet. */
  disabled?: boolean;
  pending: boolean;
  pendingLabel?: string;
  close: () => void;
  /** Its fields. */
  children: ReactNode;
};

/** A dialog that is one form: its fields scroll, what sends it stays below them. */
export function FormDialog(props: FormDialogProps) {
  const { submit, submitLabel, disabled, pending, pendingLabel, close, children, ...dialog } =
    props;
  return (
    <Dialog open onOpenChange={close} {...dialog}>
      <form noValidate onSubmit={submit} className="flex min-h-0 flex-1 flex-col">
        <DialogBody>{children}</DialogBody>
        <DialogFooter>
          <DialogCancel />
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
