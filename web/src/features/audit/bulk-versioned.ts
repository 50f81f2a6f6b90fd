import { Trash2 } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import type { BulkAction } from '../../app/bulk.ts';
import { useRemoveMutation, useRestoreMutation, type VersionedKind } from './audit.api.ts';

/** Kinds whose lists have a selection. */
export type BulkKind = Exclude<VersionedKind, 'models'>;

/** Deletes the selected objects after asking; one toast restores them all. */
export function useBulkDelete(kind: BulkKind): BulkAction<{ id: string }> {
  const { t } = useTranslation('bulk');
  const [remove] = useRemoveMutation();
  const [restore] = useRestoreMutation();
  return {
    key: 'delete',
    icon: Trash2,
    label: (n) => t('delete.action', { n }),
    ask: {
      title: (n) => t(`delete.titles.${kind}`, { n }),
      description: t(`delete.descriptions.${kind}`),
      variant: 'destructive',
    },
    run: ({ id }) => remove({ kind, id }),
    done: (n) => t('delete.done', { n }),
    undo: { run: ({ id }) => restore({ kind, id }), done: (n) => t('delete.restored', { n }) },
  };
}
