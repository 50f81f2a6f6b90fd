import type { Tool } from '@tallyhand/contracts/features/tools/tools.endpoints';
import { useTranslation } from 'react-i18next';
import { DeleteDialog } from '../../app/confirm-action.tsx';
import { useDeleteToolMutation, useRestoreToolMutation } from './tools.api.ts';

export function DeleteToolDialog({ tool, close }: { tool: Tool; close: () => void }) {
  const { t } = useTranslation('tools');
  const [remove] = useDeleteToolMutation();
  const [restore] = useRestoreToolMutation();
  return (
    <DeleteDialog
      title={t('delete.title', { name: tool.name })}
      description={t('delete.description')}
      confirmLabel={t('delete.confirm')}
      remove={() => remove(tool.id)}
      deleted={{ done: t('toasts.deleted'), failed: t('toasts.deleteFailed') }}
      undo={{
        restore: () => restore(tool.id),
        done: t('toasts.restored'),
        failed: t('toasts.restoreFailed'),
      }}
      close={close}
    />
  );
}
