import { notificationPath } from '@tallyhand/contracts/features/notifications/notification-path';
import { Bell } from 'lucide-react';
import { useEffect, useEffectEvent, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useNavigate } from 'react-router-dom';
import { asRead } from '../../app/api.ts';
import { needWords } from '../../app/i18n.ts';
import { HeaderButton } from '../../ui/button.tsx';
import { later, useLater } from '../../ui/later.tsx';
import { showFailure } from '../../ui/toast.ts';
import {
  useCountUnreadNotificationsQuery,
  useLazyNewestNotificationsQuery,
} from './notifications.api.ts';
import { useSentence } from './use-sentence.ts';

const SHOWN_MAX = 99;

const overlay = later(async () => {
  const [{ NotificationsOverlay }] = await Promise.all([
    import('./notifications-overlay.tsx'),
    needWords(['sentences']),
  ]);
  return NotificationsOverlay;
});

/** How many notifications are unread; a click shows them. */
export function NotificationBell() {
  const { t } = useTranslation('notifications');
  const bell = useRef<HTMLButtonElement>(null);
  const [open, setOpen] = useState(false);
  const Overlay = useLater(overlay, open);
  const { data } = useCountUnreadNotificationsQuery(undefined, asRead<{ count: number }>());
  useCriticalToasts(data?.count);
  const count = data?.count ?? 0;
  // What is spoken holds what is seen.
  const shown = count > SHOWN_MAX ? t('many') : String(count);
  return (
    <>
      <HeaderButton
        ref={bell}
        aria-label={count > 0 ? t('bellUnread', { count, shown }) : t('bell')}
        aria-haspopup="dialog"
        aria-expanded={open}
        data-state={open ? 'open' : 'closed'}
        className="relative"
        onClick={() => setOpen(!open)}
      >
        <Bell aria-hidden />
        {count > 0 && (
          <span
            aria-hidden
            className="tabular absolute -top-0.5 -right-0.5 flex h-4 min-w-4 items-center justify-center rounded-full bg-accent px-1 text-[10px] leading-none font-semibold text-on-accent"
          >
            {shown}
          </span>
        )}
      </HeaderButton>
      {Overlay && <Overlay bell={bell} open={open} onOpenChange={setOpen} />}
    </>
  );
}

/** So many are looked through when more have come at once. */
const LOOKED_AT_MAX = 20;

/** New critical notifications show a toast; those from before the page was opened do not. */
function useCriticalToasts(unread: number | undefined) {
  const { t } = useTranslation('notifications');
  const sentence = useSentence();
  const navigate = useNavigate();
  const [load] = useLazyNewestNotificationsQuery();
  const before = useRef<number>(undefined);

  const showCritical = useEffectEvent(async (count: number) => {
    const { data } = await load({ limit: Math.min(count, LOOKED_AT_MAX) });
    const critical = data?.find((each) => each.severity === 'critical' && each.readAt === null);
    if (!critical) return;
    showFailure({
      title: sentence(critical),
      action: { label: t('show'), onClick: () => navigate(notificationPath(critical)) },
    });
  });

  useEffect(() => {
    const known = before.current;
    before.current = unread;
    if (unread !== undefined && known !== undefined && unread > known)
      void showCritical(unread - known);
  }, [unread]);
}
