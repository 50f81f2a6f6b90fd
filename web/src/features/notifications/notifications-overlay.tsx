import * as Radix from '@radix-ui/react-popover';
import { notificationPath } from '@tallyhand/contracts/features/notifications/notification-path';
import type {
  markNotificationsRead,
  Notification,
} from '@tallyhand/contracts/features/notifications/notifications.endpoints';
import type { BodyOf } from '@tallyhand/contracts/kernel/endpoint';
import {
  Bell,
  Bot,
  CircleX,
  Coins,
  CreditCard,
  Globe,
  Hand,
  KeyRound,
  type LucideIcon,
  MailX,
  RadioTower,
  Settings,
  Unplug,
  UserPlus,
} from 'lucide-react';
import {
  type KeyboardEvent,
  type KeyboardEventHandler,
  type ReactNode,
  type RefObject,
  useId,
} from 'react';
import { useTranslation } from 'react-i18next';
import { useAnnounce } from '../../app/announce.ts';
import { MorePages, NotLoaded } from '../../app/loaded.tsx';
import { describeSentence } from '../../app/sentence.ts';
import { Button, ButtonLink } from '../../ui/button.tsx';
import { cx } from '../../ui/cx.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { ExternalTrigger } from '../../ui/external-trigger.tsx';
import { Link } from '../../ui/link.tsx';
import { RelativeTime } from '../../ui/time.tsx';
import { usePhone } from '../../ui/use-media-query.ts';
import {
  useListNotificationsInfiniteQuery,
  useMarkNotificationsReadMutation,
} from './notifications.api.ts';
import { useSentence } from './use-sentence.ts';

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
  const close = () => onOpenChange(false);
  const panel = <NotificationPanel close={close} />;
  const title = t('title');
  if (phone) {
    return (
      open && (
        <Dialog close={close} title={title}>
          {panel}
        </Dialog>
      )
    );
  }
  return (
    <Popover
      open={open}
      onOpenChange={onOpenChange}
      title={title}
      button={bell}
      onKeyDown={moveByArrows}
    >
      {panel}
    </Popover>
  );
}

const icons: Record<Notification['kind'], LucideIcon> = {
  'low-credits': Coins,
  'task-failed': CircleX,
  'approval-needed': Hand,
  'session-ended': Globe,
  'invitation-accepted': UserPlus,
  'agent-status': Bot,
  'mailbox-failing': MailX,
  payment: CreditCard,
  'webhook-disabled': Unplug,
  'tool-credentials-dropped': KeyRound,
  'log-stream-failing': RadioTower,
};

const tones: Record<Notification['severity'], string> = {
  info: 'text-muted',
  warning: 'text-warning',
  critical: 'text-danger',
};

function useMarkRead() {
  const { t } = useTranslation('notifications');
  const announce = useAnnounce();
  const [mark, { isLoading }] = useMarkNotificationsReadMutation();
  const markRead = (read: BodyOf<typeof markNotificationsRead>) =>
    announce(mark(read), { failed: t('readFailed') });
  return { markRead, isLoading };
}

/** Up and down go through the list, from wherever the focus is beside or in it. */
function moveByArrows(event: KeyboardEvent<HTMLElement>) {
  const items = [...event.currentTarget.querySelectorAll<HTMLElement>('[data-notification]')];
  const at = items.indexOf(document.activeElement as HTMLElement);
  const targets: Readonly<Record<string, number>> = {
    ArrowDown: Math.min(at + 1, items.length - 1),
    ArrowUp: Math.max(at - 1, 0),
    Home: 0,
    End: items.length - 1,
  };
  const target = targets[event.key];
  if (target === undefined || items.length === 0) return;
  event.preventDefault();
  items[target]?.focus();
}

/** What the person should know of, newest first; opening one marks it as read. */
function NotificationPanel({ close }: { close: () => void }) {
  const { t } = useTranslation('notifications');
  const pages = useListNotificationsInfiniteQuery(undefined, { refetchOnMountOrArgChange: true });
  const { currentData } = pages;
  const { markRead, isLoading } = useMarkRead();
  const notifications = currentData?.pages.flatMap(({ entries }) => entries);
  const [newest] = notifications ?? [];
  const hasUnread = notifications?.some(({ readAt }) => readAt === null);
  return (
    <div className="flex min-h-0 flex-1 flex-col">
      <div className="flex items-center justify-between gap-2 border-b border-line px-3 pb-2 sm:px-1">
        <Button
          size="sm"
          variant="ghost"
          pending={isLoading}
          aria-disabled={!hasUnread}
          onClick={() => {
            if (newest && hasUnread) void markRead({ all: true, until: newest.createdAt });
          }}
        >
          {t('markAll')}
        </Button>
        <ButtonLink
          size="sm"
          variant="ghost"
          icon={Settings}
          to="/settings?tab=notifications"
          onClick={close}
        >
          {' '}
          {t('settings')}
        </ButtonLink>
      </div>
      <div className="min-h-0 flex-1 overflow-y-auto p-1">
        {!notifications && (
          <NotLoaded
            query={pages}
            label={t('loading')}
            count={3}
            skeleton="h-12"
            className="flex flex-col gap-2 p-2"
          />
        )}
        {notifications?.length === 0 && (
          <EmptyState icon={Bell} title={t('empty')} description={t('emptyDescription')} />
        )}
        {notifications && notifications.length > 0 && (
          <>
            <ul aria-label={t('title')}>
              {notifications.map((notification) => (
                <Item
                  key={notification.id}
                  notification={notification}
                  onOpen={() => {
                    if (notification.readAt === null) void markRead({ ids: [notification.id] });
                    close();
                  }}
                />
              ))}
            </ul>
            <MorePages pages={pages} />
          </>
        )}
      </div>
    </div>
  );
}

function Item({ notification, onOpen }: { notification: Notification; onOpen: () => void }) {
  const { t } = useTranslation('notifications');
  const sentence = useSentence();
  const { kind, severity, params, createdAt, readAt } = notification;
  const Icon = icons[kind];
  return (
    <li>
      <Link
        data-notification
        to={notificationPath(notification)}
        onClick={onOpen}
        className="flex items-start gap-3 rounded-md px-3 py-2 hover:bg-sunken focus-visible:bg-sunken"
      >
        <Icon aria-hidden className={cx('mt-0.5 size-4 shrink-0', tones[severity])} />
        <span className="min-w-0 flex-1">
          <span className={cx('block break-words', readAt === null && 'font-medium')}>
            {sentence(notification)}
          </span>
          {params.error !== undefined && (
            <span className="line-clamp-2 text-xs break-words text-muted">
              {describeSentence(t, { code: String(params.code), params }, String(params.error))}
            </span>
          )}
          <span className="block text-xs text-muted">
            <RelativeTime at={createdAt} />
          </span>
        </span>
        {readAt === null && (
          <span className="mt-1.5 size-2 shrink-0 rounded-full bg-accent">
            <span className="sr-only">{t('unread')}</span>
          </span>
        )}
      </Link>
    </li>
  );
}

/** A panel beside the button that opens it; Escape and a click elsewhere close it. */
function Popover({
  button,
  open,
  onOpenChange,
  title,
  onKeyDown,
  children,
}: {
  button: RefObject<HTMLElement | null>;
  open: boolean;
  onOpenChange: (open: boolean) => void;
  title: string;
  onKeyDown?: KeyboardEventHandler<HTMLElement>;
  children: ReactNode;
}) {
  const heading = useId();
  return (
    <Radix.Root open={open} onOpenChange={onOpenChange}>
      <Radix.Trigger asChild>
        <ExternalTrigger of={button} />
      </Radix.Trigger>
      {/* Within the main landmark, so that those who move by landmarks find it. */}
      <Radix.Portal container={document.querySelector('main')}>
        <Radix.Content
          align="end"
          sideOffset={4}
          collisionPadding={8}
          aria-labelledby={heading}
          onKeyDown={onKeyDown}
          className="z-50 flex max-h-[min(70dvh,var(--radix-popover-content-available-height))] w-96 animate-pop flex-col overflow-hidden rounded-lg border border-line bg-raised text-sm shadow-float outline-none"
        >
          <h2 id={heading} className="px-4 pt-3 pb-1 text-base font-semibold">
            {title}
          </h2>
          {children}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}
