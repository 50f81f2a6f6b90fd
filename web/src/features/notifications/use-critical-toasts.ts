import { notificationPath } from '@tallyhand/contracts/features/notifications/notification-path';
import { useEffect, useEffectEvent, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { useNavigate } from 'react-router-dom';
import { showToast } from '../../ui/toast.ts';
import { useLazyNewestNotificationsQuery } from './notifications.api.ts';
import { useSentence } from './use-sentence.ts';

/** So many are looked through when more have come at once. */
const LOOKED_AT_MAX = 20;

/** What is critical says so when it comes; what was there when the page was opened does not. */
export function useCriticalToasts(unread: number | undefined) {
  const { t } = useTranslation('notifications');
  const sentence = useSentence();
  const navigate = useNavigate();
  const [load] = useLazyNewestNotificationsQuery();
  const before = useRef<number>(undefined);

  const tell = useEffectEvent(async (count: number) => {
    const { data } = await load(Math.min(count, LOOKED_AT_MAX));
    const critical = data?.find((each) => each.severity === 'critical' && each.readAt === null);
    if (!critical) return;
    showToast({
      variant: 'destructive',
      title: sentence(critical),
      action: { label: t('show'), onClick: () => navigate(notificationPath(critical)) },
    });
  });

  useEffect(() => {
    const known = before.current;
    before.current = unread;
    if (unread !== undefined && known !== undefined && unread > known) void tell(unread - known);
  }, [unread]);
}
