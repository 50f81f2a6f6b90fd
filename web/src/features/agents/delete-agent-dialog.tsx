import type { Agent } from '@tallyhand/contracts/features/agents/agents.endpoints';
import { useTranslation } from 'react-i18next';
import { describeProblem } from '../../app/problem.ts';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { showToast } from '../../ui/toast.ts';
import { useDeleteAgentMutation, useRestoreAgentMutation } from './agents.api.ts';

export function DeleteAgentDialog({ agent, close }: { agent: Agent; close: () => void }) {
  const { t } = useTranslation('agents');
  const { t: common } = useTranslation('common');
  const [remove, { isLoading }] = useDeleteAgentMutation();
  const [restore] = useRestoreAgentMutation();
  const fail = (title: string, error: unknown) =>
    showToast({ variant: 'destructive', title, description: describeProblem(t, error) });
  const undo = async () => {
    const { error } = await restore(agent.id);
    if (error) fail(t('toasts.restoreFailed'), error);
    else showToast({ title: t('toasts.restored') });
  };
  const confirm = async () => {
    const { error } = await remove(agent.id);
    if (error) {
      fail(t('toasts.deleteFailed'), error);
      return;
    }
    close();
    showToast({
      title: t('toasts.deleted'),
      action: { label: common('actions.undo'), onClick: undo },
    });
  };
  return (
    <ConfirmDialog
      open
      onOpenChange={close}
      title={t('delete.title', { name: agent.name })}
      description={t('delete.description')}
      confirmLabel={t('delete.confirm')}
      onConfirm={confirm}
      pending={isLoading}
    />
  );
}
