import type { NotificationPreferences } from '@tallyhand/contracts/features/notifications/notifications.endpoints';
import { useTranslation } from 'react-i18next';
import { useAnnounce } from '../../app/announce.ts';
import { NotLoaded } from '../../app/loaded.tsx';
import { Switch } from '../../ui/toggles.tsx';
import {
  useChangeNotificationPreferencesMutation,
  useGetNotificationPreferencesQuery,
} from './notifications.api.ts';

const SWITCHES: Record<keyof NotificationPreferences, true> = {
  emailNotifications: true,
  agentStatusUpdates: true,
  creditBalanceAlerts: true,
};
const NAMES = Object.keys(SWITCHES) as (keyof NotificationPreferences)[];

/** What the person wants to hear of; each switch is saved when it is moved. */
export function NotificationSwitches() {
  const { t } = useTranslation('notifications');
  const { data, error, refetch } = useGetNotificationPreferencesQuery();
  const [change] = useChangeNotificationPreferencesMutation();
  const announce = useAnnounce();
  const move = (changed: Partial<NotificationPreferences>) =>
    announce(change(changed), { done: t('preferences.saved'), failed: t('preferences.failed') });
  if (!data)
    return (
      <NotLoaded
        query={{ error, refetch }}
        label={t('preferences.loading')}
        count={NAMES.length}
        skeleton="h-10"
      />
    );
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
