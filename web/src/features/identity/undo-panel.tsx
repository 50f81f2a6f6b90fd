import { useTranslation } from 'react-i18next';
import { Banner } from '../../ui/banner.tsx';
import { Button } from '../../ui/button.tsx';
import { useUndoEmailChangeMutation } from './account.api.ts';
import { LinkPanel } from './link-panel.tsx';

/** Takes a change of address back. */
export function UndoPanel({ token, onReset }: { token: string; onReset: () => void }) {
  const { t } = useTranslation('identity');
  const [undo, { isLoading, isSuccess, error }] = useUndoEmailChangeMutation();
  if (isSuccess) {
    return (
      <Banner
        tone="info"
        title={t('undo.done')}
        action={
          <Button size="sm" onClick={onReset}>
            {t('undo.reset')}
          </Button>
        }
      >
        {t('undo.doneDescription')}
      </Banner>
    );
  }
  return (
    <LinkPanel
      failed={t('undo.failed')}
      error={error}
      intro={t('undo.intro')}
      label={t('undo.confirm')}
      pending={isLoading}
      onConfirm={() => undo(token)}
    />
  );
}
