import { useTranslation } from 'react-i18next';
import { Banner } from '../ui/banner.tsx';

/** Warns in an editor when another member has saved a newer version meanwhile. */
export function ChangedSince({ start, now }: { start: number; now: number | undefined }) {
  const { t } = useTranslation('common');
  if (now === undefined || now === start) return null;
  return <Banner tone="warning">{t('changedSince', { version: now })}</Banner>;
}
