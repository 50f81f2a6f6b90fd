import { Bell } from 'lucide-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Dialog } from '../../ui/dialog.tsx';
import { HeaderButton } from '../../ui/header-button.tsx';
import { Popover } from '../../ui/popover.tsx';
import { usePhone } from '../../ui/use-media-query.ts';
import { moveByArrows, NotificationPanel } from './notification-panel.tsx';
import { useCountUnreadNotificationsQuery } from './notifications.api.ts';
import { useCriticalToasts } from './use-critical-toasts.ts';

const SHOWN_MAX = 99;

/** How many notifications are unread, and the panel with them; on a phone a sheet from below. */
export function NotificationBell() {
  const { t } = useTranslation('notifications');
  const phone = usePhone();
  const [open, setOpen] = useState(false);
  const { data } = useCountUnreadNotificationsQuery();
  useCriticalToasts(data?.count);
  const count = data?.count ?? 0;
  // What is spoken holds what is seen.
  const shown = count > SHOWN_MAX ? t('many') : String(count);
  const close = () => setOpen(false);
  const button = (
    <HeaderButton
      aria-label={count > 0 ? t('bellUnread', { count, shown }) : t('bell')}
      aria-haspopup="dialog"
      aria-expanded={open}
      className="relative"
      onClick={phone ? () => setOpen(true) : undefined}
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
  );
  if (!phone) {
    return (
      <Popover
        trigger={button}
        open={open}
        onOpenChange={setOpen}
        title={t('title')}
        onKeyDown={moveByArrows}
      >
        <NotificationPanel close={close} />
      </Popover>
    );
  }
  return (
    <>
      {button}
      <Dialog open={open} onOpenChange={setOpen} title={t('title')}>
        <NotificationPanel close={close} />
      </Dialog>
    </>
  );
}
