import type { RefObject } from 'react';
import { useTranslation } from 'react-i18next';
import { Dialog } from '../../ui/dialog.tsx';
import { Popover } from '../../ui/popover.tsx';
import { usePhone } from '../../ui/use-media-query.ts';
import { moveByArrows, NotificationPanel } from './notification-panel.tsx';

/** The panel beside the bell; on a phone a sheet from below. */
export function NotificationsOverlay({
  bell,
  open,
  onOpenChange,
}: {
  bell: RefObject<HTMLButtonElement | null>;
  open: boolean;
  onOpenChange: (open: boolean) => void;
}) {
  const { t } = useTranslation('notifications');
  const phone = usePhone();
  const panel = <NotificationPanel close={() => onOpenChange(false)} />;
  const shared = { open, onOpenChange, title: t('title') };
  if (phone) return <Dialog {...shared}>{panel}</Dialog>;
  return (
    <Popover {...shared} button={bell} onKeyDown={moveByArrows}>
      {panel}
    </Popover>
  );
}
