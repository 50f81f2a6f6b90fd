import type { Agent } from '@tallyhand/contracts/features/agents/agents.endpoints';
import { useTranslation } from 'react-i18next';
import { DeleteDialog } from '../../app/confirm-action.tsx';
import { useDeleteAgentMutation, useRestoreAgentMutation } from './agents.api.ts';

export function DeleteAgentDialog({ agent, close }: { agent: Agent; close: () => void }) {
  const { t } = useTranslation('agents');
  const [remove] = useDeleteAgentMutation();
  const [restore] = useRestoreAgentMutation();
  return (
    <DeleteDialog
      title={t('delete.title', { name: agent.name })}
      description={t('delete.description')}
      confirmLabel={t('delete.confirm')}
      remove={() => remove(agent.id)}
      deleted={{ done: t('toasts.deleted'), failed: t('toasts.deleteFailed') }}
      undo={{
        restore: () => restore(agent.id),
        done: t('toasts.restored'),
        failed: t('toasts.restoreFailed'),
      }}
      close={close}
    />
  );
}
