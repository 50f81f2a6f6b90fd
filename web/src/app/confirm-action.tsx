import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { ConfirmDialog, type ConfirmDialogProps } from '../ui/dialog.tsx';
import { type Announcement, type Outcome, useAnnounce } from './announce.ts';

type Asked = Omit<ConfirmDialogProps, 'open' | 'onOpenChange' | 'onConfirm' | 'pending'>;

type ConfirmActionProps<Data> = Asked & {
  run: () => PromiseLike<Outcome<Data>>;
  announcement: Announcement<Data>;
  close: () => void;
  onDone?: (data: NonNullable<Data>) => void;
  /** Stays open after a failure, to be tried again. */
  staysOnFailure?: boolean;
};

/** Asks before a call, and reports its outcome. */
export function ConfirmAction<Data>(props: ConfirmActionProps<Data>) {
  const { run, announcement, close, onDone, staysOnFailure = false, ...dialog } = props;
  const announce = useAnnounce();
  const [pending, setPending] = useState(false);
  const confirm = async () => {
    setPending(true);
    const { data, error } = await announce(run(), announcement);
    setPending(false);
    if (error && staysOnFailure) return;
    close();
    if (!error) onDone?.(data as NonNullable<Data>);
  };
  return (
    <ConfirmDialog {...dialog} open onOpenChange={close} onConfirm={confirm} pending={pending} />
  );
}

type DeleteDialogProps = Pick<Asked, 'title' | 'description' | 'confirmLabel'> & {
  remove: () => PromiseLike<Outcome>;
  deleted: { done: string; failed: string };
  /** Where the deletion can be undone, its toast offers that. */
  undo?: { restore: () => PromiseLike<Outcome>; done: string; failed: string };
  close: () => void;
};

/** Deletes something after asking. */
export function DeleteDialog({ remove, deleted, undo, ...dialog }: DeleteDialogProps) {
  const { t } = useTranslation('common');
  const announce = useAnnounce();
  const action = undo && {
    label: t('actions.undo'),
    onClick: () => void announce(undo.restore(), undo),
  };
  const done = { title: deleted.done, ...(action && { action }) };
  return (
    <ConfirmAction
      {...dialog}
      run={remove}
      announcement={{ done, failed: deleted.failed }}
      staysOnFailure
    />
  );
}
