import type { NotificationPreferences } from '@tallyhand/contracts/features/notifications/notifications.endpoints';
import { useTranslation } from 'react-i18next';
import { LoadFailed } from '../../app/load-failed.tsx';
import { describeProblem } from '../../app/problem.ts';
import { Loading, Skeletons } from '../../ui/skeleton.tsx';
import { Switch } from '../../ui/switch.tsx';
import { showToast } from '../../ui/toast.ts';
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
  const move = async (changed: Partial<NotificationPreferences>) => {
    const { error: refused } = await change(changed);
    if (!refused) return showToast({ title: t('preferences.saved') });
    const description = describeProblem(t, refused);
    showToast({ variant: 'destructive', title: t('preferences.failed'), description });
  };
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
