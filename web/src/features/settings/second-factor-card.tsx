import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { LoadFailed } from '../../app/load-failed.tsx';
import { StatusBadge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { CardSection } from '../../ui/card.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { useGetSecondFactorQuery } from '../identity/account.api.ts';
import { RemoveSecondFactorDialog } from './remove-second-factor-dialog.tsx';
import { SecondFactorDialog } from './second-factor-dialog.tsx';

export function SecondFactorCard() {
  const { t } = useTranslation('settings');
  const { data, error, refetch } = useGetSecondFactorQuery();
  const [open, setOpen] = useState<'set-up' | 'remove'>();
  const close = () => setOpen(undefined);
  const isOn = Boolean(data?.enabledAt);
  return (
    <CardSection
      title={t('secondFactor.title')}
      actions={
        data && (
          <StatusBadge
            status={isOn ? 'success' : 'paused'}
            label={isOn ? t('secondFactor.on') : t('secondFactor.off')}
          />
        )
      }
    >
      {!data && error && <LoadFailed error={error} onRetry={refetch} />}
      {!data && !error && <Skeleton className="h-16" />}
      {data && (
        <div className="flex flex-col items-start gap-3">
          <p className="text-muted">
            {isOn
              ? t('secondFactor.codesLeft', { count: data.recoveryCodesLeft })
              : t('secondFactor.description')}
          </p>
          <Button onClick={() => setOpen(isOn ? 'remove' : 'set-up')}>
            {isOn ? t('secondFactor.remove') : t('secondFactor.setUp')}
          </Button>
        </div>
      )}
      {open === 'set-up' && <SecondFactorDialog close={close} />}
      {open === 'remove' && <RemoveSecondFactorDialog close={close} />}
    </CardSection>
  );
}
