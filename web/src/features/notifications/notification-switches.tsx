import type { NotificationPreferences } from '@tallyhand/contracts/features/notifications/notifications.endpoints';
import { useTranslation } from 'react-i18next';
import { useAnnounce } from '../../app/announce.ts';
import { LoadFailed } from '../../app/load-failed.tsx';
import { Loading, Skeletons } from '../../ui/skeleton.tsx';
import { Switch } from '../../ui/switch.tsx';
import {
  useChangeNotificationPreferencesMutation,
  useGetNotificationPreferencesQuery,
} from './notifications.api.ts';

const NAMES = ['emailNotifications', 'agentStatusUpdates', 'creditBalanceAlerts'] as const;

/** What the person wants to hear of; each switch is saved when it is moved. */
export function NotificationSwitches() {
  const { t } = useTranslation('notifications');
  const { data, error, refetch } = useGetNotificationPreferencesQuery();
  const [change] = useChangeNotificationPreferencesMutation();
  const announce = useAnnounce();
  const move = (changed: Partial<NotificationPreferences>) =>
    announce(change(changed), { done: t('preferences.saved'), failed: t('preferences.failed') });
  if (!data && error) return <LoadFailed error={error} onRetry={refetch} />;
  if (!data) {
    return (
      <Loading label={t('preferences.loading')} className="flex flex-col gap-4">
        <Skeletons count={NAMES.length} className="h-10" />
      </Loading>
    );
  }
  return (
    <div className="flex flex-col gap-4">
      {NAMES.map((name) => (
        <Switch
          key={name}
          label={t(`preferences.${name}`)}
          help={t(`preferences.${name}Help`)}
          checked={data[name]}
          onCheckedChange={(checked) => void move({ [name]: checked })}
        />
      ))}
    </div>
  );
}
