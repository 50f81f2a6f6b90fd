import type { Device } from '@tallyhand/contracts/features/identity/account.endpoints';
import { useTranslation } from 'react-i18next';

/** What a browser is called, in words. */
export function DeviceName({ device: { browser, system } }: { device: Device }) {
  const { t } = useTranslation('settings');
  if (browser && system) return t('device.both', { browser, system });
  return browser ?? system ?? t('device.unknown');
}
