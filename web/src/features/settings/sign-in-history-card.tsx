import type { SignInRecord } from '@tallyhand/contracts/features/identity/account.endpoints';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { NotLoaded } from '../../app/loaded.tsx';
import { StatusBadge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { CardSection } from '../../ui/card.tsx';
import { RelativeTime } from '../../ui/time.tsx';
import { useListSignInHistoryQuery } from '../identity/account.api.ts';
import { DeviceName } from './device-name.tsx';

const SHOWN_AT_FIRST = 5;
const LOOKS = { 'signed-in': 'success', 'signed-out': 'paused', failed: 'failed' } as const;

export function SignInHistoryCard() {
  const { t } = useTranslation('settings');
  const { data: records, error, refetch } = useListSignInHistoryQuery();
  const [isWhole, setWhole] = useState(false);
  const shown = isWhole ? records : records?.slice(0, SHOWN_AT_FIRST);
  return (
    <CardSection title={t('history.title')}>
      {!records && (
        <NotLoaded
          error={error}
          refetch={refetch}
          label={t('history.loading')}
          count={3}
          skeleton="h-10"
          className="flex flex-col gap-3"
        />
      )}
      <ul className="divide-y divide-line">
        {shown?.map((record) => (
          <RecordRow key={record.id} record={record} />
        ))}
      </ul>
      {records && records.length > SHOWN_AT_FIRST && !isWhole && (
        <Button size="sm" className="mt-2" onClick={() => setWhole(true)}>
          {t('history.showAll', { count: records.length })}
        </Button>
      )}
    </CardSection>
  );
}

function RecordRow({ record }: { record: SignInRecord }) {
  const { t } = useTranslation('settings');
  const { at, kind, device, address, count } = record;
  return (
    <li className="flex items-center justify-between gap-3 py-2">
      <div className="min-w-0">
        <StatusBadge status={LOOKS[kind]} label={t(`history.${kind}`)} />
        <p className="mt-1 text-xs break-words text-muted">
          {kind === 'signed-in' && <DeviceName device={device} />}
          {kind === 'signed-in' && address && ' · '}
          {address}
          {count > 1 && ` · ${t('history.times', { count })}`}
        </p>
      </div>
      <span className="text-xs text-muted">
        <RelativeTime at={at} />
      </span>
    </li>
  );
}
