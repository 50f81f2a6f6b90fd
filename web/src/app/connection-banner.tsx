import { useSyncExternalStore } from 'react';
import { useTranslation } from 'react-i18next';
import { Banner } from '../ui/banner.tsx';
import { connection } from './connection.ts';

function subscribeToNetwork(changed: () => void) {
  window.addEventListener('online', changed);
  window.addEventListener('offline', changed);
  return () => {
    window.removeEventListener('online', changed);
    window.removeEventListener('offline', changed);
  };
}

/** Says when what is shown may be out of date; it stays on screen, and so does what was typed. */
export function ConnectionBanner() {
  const { t } = useTranslation('common');
  const isOnline = useSyncExternalStore(subscribeToNetwork, () => navigator.onLine);
  const isLost = useSyncExternalStore(connection.subscribe, connection.isLost);
  if (isOnline && !isLost) return null;
  const state = isOnline ? 'reconnecting' : 'offline';
  return (
    <div className="px-4 pt-4 md:px-6 print:hidden">
      <Banner tone="warning" title={t(`connection.${state}.title`)}>
        <p>{t(`connection.${state}.description`)}</p>
      </Banner>
    </div>
  );
}
