import type { Tool } from '@tallyhand/contracts/features/tools/tools.endpoints';
import { useTranslation } from 'react-i18next';
import { DeleteDialog } from '../../app/delete-dialog.tsx';
import { useDeleteToolMutation, useRestoreToolMutation } from './tools.api.ts';

export function DeleteToolDialog({ tool, close }: { tool: Tool; close: () => void }) {
  const { t } = useTranslation('tools');
  const [remove, { isLoading }] = useDeleteToolMutation();
  const [restore] = useRestoreToolMutation();
  return (
    <DeleteDialog
      title={t('delete.title', { name: tool.name })}
      description={t('delete.description')}
      confirmLabel={t('delete.confirm')}
      told={{
        deleted: t('toasts.deleted'),
        restored: t('toasts.restored'),
        deleteFailed: t('toasts.deleteFailed'),
        restoreFailed: t('toasts.restoreFailed'),
      }}
      remove={() => remove(tool.id)}
      restore={() => restore(tool.id)}
      pending={isLoading}
      close={close}
    />
  );
}
