import type { Agent } from '@tallyhand/contracts/features/agents/agents.endpoints';
import { useTranslation } from 'react-i18next';
import { DeleteDialog } from '../../app/delete-dialog.tsx';
import { useDeleteAgentMutation, useRestoreAgentMutation } from './agents.api.ts';

export function DeleteAgentDialog({ agent, close }: { agent: Agent; close: () => void }) {
  const { t } = useTranslation('agents');
  const [remove, { isLoading }] = useDeleteAgentMutation();
  const [restore] = useRestoreAgentMutation();
  return (
    <DeleteDialog
      title={t('delete.title', { name: agent.name })}
      description={t('delete.description')}
      confirmLabel={t('delete.confirm')}
      told={{
        deleted: t('toasts.deleted'),
        restored: t('toasts.restored'),
        deleteFailed: t('toasts.deleteFailed'),
        restoreFailed: t('toasts.restoreFailed'),
      }}
      remove={() => remove(agent.id)}
      restore={() => restore(agent.id)}
      pending={isLoading}
      close={close}
    />
  );
}
