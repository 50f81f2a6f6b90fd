import { useTranslation } from 'react-i18next';
import { describeProblem } from '../../app/problem.ts';
import { Banner } from '../../ui/banner.tsx';
import { Button } from '../../ui/button.tsx';
import { useUndoEmailChangeMutation } from './account.api.ts';

/** Takes a change of address back. It asks first: programs that read mail open links too. */
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
    <div className="flex flex-col gap-4">
      {error && (
        <Banner tone="danger" title={t('undo.failed')}>
          {describeProblem(t, error)}
        </Banner>
      )}
      <p className="text-muted">{t('undo.intro')}</p>
      <Button
        variant="primary"
        size="lg"
        className="text-sm"
        pending={isLoading}
        pendingLabel={t('pending')}
        onClick={() => undo(token)}
      >
        {t('undo.confirm')}
      </Button>
    </div>
  );
}
