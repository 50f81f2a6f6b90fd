import { useTranslation } from 'react-i18next';
import { ConfirmAction } from '../../app/confirm-action.tsx';
import { useRestoreMutation, type VersionedKind } from './audit.api.ts';

/** Makes an older version the newest, after asking. */
export function RestoreVersionDialog({
  kind,
  id,
  version,
  close,
}: {
  kind: VersionedKind;
  id: string;
  version: number;
  close: () => void;
}) {
  const { t } = useTranslation('audit');
  const [restore] = useRestoreMutation();
  return (
    <ConfirmAction
      variant="primary"
      title={t('restore.title', { version })}
      description={
        kind === 'tools'
          ? `${t('restore.description')} ${t('restore.credentials')}`
          : t('restore.description')
      }
      confirmLabel={t('restore.confirm')}
      run={() => restore({ kind, id, version })}
      announcement={{ done: t('restore.done', { version }), failed: t('restore.failed') }}
      staysOnFailure
      close={close}
    />
  );
}
