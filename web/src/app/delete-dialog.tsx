import { useTranslation } from 'react-i18next';
import { ConfirmDialog } from '../ui/confirm-dialog.tsx';
import { showToast } from '../ui/toast.ts';
import { describeProblem } from './problem.ts';

type Outcome = { error?: unknown };

export type DeleteDialogProps = {
  title: string;
  /** What will be lost, in one sentence. */
  description: string;
  confirmLabel: string;
  /** Titles of toasts. */
  told: { deleted: string; restored?: string; deleteFailed: string; restoreFailed?: string };
  remove: () => Promise<Outcome>;
  /** Without it what is deleted is gone for good. */
  restore?: () => Promise<Outcome>;
  pending: boolean;
  close: () => void;
};

/** Deletes something after asking; where it can be taken back, its toast does so. */
export function DeleteDialog(props: DeleteDialogProps) {
  const { t } = useTranslation('common');
  const { told, remove, restore, close } = props;
  const fail = (title: string, error: unknown) =>
    showToast({ variant: 'destructive', title, description: describeProblem(t, error) });
  const undo = async (taken: Promise<Outcome>) => {
    const { error } = await taken;
    if (error) fail(told.restoreFailed ?? '', error);
    else showToast({ title: told.restored ?? '' });
  };
  const confirm = async () => {
    const { error } = await remove();
    if (error) {
      fail(told.deleteFailed, error);
      return;
    }
    close();
    const action = restore && { label: t('actions.undo'), onClick: () => undo(restore()) };
    showToast({ title: told.deleted, ...(action ? { action } : {}) });
  };
  return (
    <ConfirmDialog
      open
      onOpenChange={close}
      title={props.title}
      description={props.description}
      confirmLabel={props.confirmLabel}
      onConfirm={confirm}
      pending={props.pending}
    />
  );
}
