import type { TaskStats } from '@tallyhand/contracts/features/tasks/tasks.endpoints';
import { MEMBERS, mayCall } from '@tallyhand/contracts/kernel/access';
import { LogOut, type LucideIcon, PanelLeftClose, PanelLeftOpen } from 'lucide-react';
import type { ComponentProps } from 'react';
import { useTranslation } from 'react-i18next';
import { useLocation } from 'react-router-dom';
import { useCurrentUser } from '../features/identity/identity.api.ts';
import { useSignOut } from '../features/identity/use-sign-out.ts';
import { useGetTaskStatsQuery } from '../features/tasks/tasks.api.ts';
import { Avatar } from '../ui/avatar.tsx';
import { cx } from '../ui/cx.ts';
import { IconButton } from '../ui/icon-button.tsx';
import { Link } from '../ui/link.tsx';
import { Logo } from '../ui/logo.tsx';
import { Tooltip } from '../ui/tooltip.tsx';
import { asRead } from './api.ts';
import { isPartOf, mainPages } from './main-pages.ts';

export function Sidebar({ collapsed, onToggle }: { collapsed: boolean; onToggle: () => void }) {
  const { t } = useTranslation('common');
  return (
    <aside
      className={cx(
        'sticky top-0 flex h-dvh shrink-0 flex-col border-r border-line bg-surface',
        collapsed ? 'w-16' : 'w-60',
      )}
    >
      <div className="flex h-14 items-center justify-between gap-2 border-b border-line px-3">
        {!collapsed && (
          <span className="flex pl-2">
            <Logo />
          </span>
        )}
        <IconButton
          icon={collapsed ? PanelLeftOpen : PanelLeftClose}
          label={collapsed ? t('shell.expand') : t('shell.collapse')}
          aria-expanded={!collapsed}
          onClick={onToggle}
          className={cx(collapsed && 'mx-auto')}
        />
      </div>
      <SidebarLinks collapsed={collapsed} />
      <SidebarPerson collapsed={collapsed} />
    </aside>
  );
}

const COUNTED_MAX = 99;

/** How many calls wait for an approval; beyond 99, only that there are more. */
function useWaiting(): Waiting | undefined {
  const { t } = useTranslation('common');
  const skip = !mayCall(useCurrentUser().role, MEMBERS);
  const { data } = useGetTaskStatsQuery(undefined, { ...asRead<TaskStats>(), skip });
  const count = data?.waitingCalls ?? 0;
  if (count === 0) return undefined;
  const shown = count > COUNTED_MAX ? t('nav.many') : String(count);
  return { shown, label: t('nav.waiting', { count, shown }) };
}

/** Links to the main pages; `collapsed`: their icons, named by tooltips. */
export function SidebarLinks({ collapsed }: { collapsed: boolean }) {
  const { t } = useTranslation('common');
  const { role } = useCurrentUser();
  const waiting = useWaiting();
  return (
    <nav aria-label={t('shell.menu')} className="flex-1 overflow-y-auto p-3">
      <ul className="flex flex-col gap-1">
        {mainPages(role).map(({ to, key, icon }) => {
          const link = (
            <SidebarLink
              to={to}
              icon={icon}
              label={t(key)}
              collapsed={collapsed}
              waiting={to === '/approvals' ? waiting : undefined}
            />
          );
          return (
            <li key={to}>
              {collapsed ? (
                <Tooltip label={t(key)} side="right">
                  {link}
                </Tooltip>
              ) : (
                link
              )}
            </li>
          );
        })}
      </ul>
    </nav>
  );
}

type Waiting = {
  shown: string;
  /** The same in words. */
  label: string;
};

type SidebarLinkProps = {
  to: string;
  icon: LucideIcon;
  label: string;
  collapsed?: boolean;
  /** What waits on the page. */
  waiting?: Waiting;
};

/** A link to a main page; it takes the props of a tooltip's trigger. */
export function SidebarLink({
  to,
  icon: Icon,
  label,
  collapsed = false,
  waiting,
  ...trigger
}: SidebarLinkProps & Omit<ComponentProps<'a'>, 'href'>) {
  const { pathname } = useLocation();
  return (
    <Link
      {...trigger}
      to={to}
      aria-current={isPartOf(to, pathname) ? 'page' : undefined}
      className={cx(
        'flex h-9 items-center gap-3 rounded-md px-3 text-sm font-medium text-muted',
        'transition-colors duration-150 ease-out hover:bg-sunken hover:text-text',
        'aria-[current=page]:bg-sunken aria-[current=page]:text-text',
        'aria-[current=page]:[&_svg]:text-accent',
        collapsed && 'relative justify-center px-0',
      )}
    >
      <Icon aria-hidden className="size-4 shrink-0" />
      <span className={cx(collapsed ? 'sr-only' : 'min-w-0 flex-1 truncate')}>{label}</span>
      {waiting && (
        <>
          <span
            aria-hidden
            className={cx(
              'tabular flex h-5 min-w-5 items-center justify-center rounded-full bg-accent px-1.5',
              'text-xs leading-none font-semibold text-on-accent',
              collapsed && 'absolute -top-0.5 right-0',
            )}
          >
            {waiting.shown}
          </span>
          <span className="sr-only">{waiting.label}</span>
        </>
      )}
    </Link>
  );
}

/** The current user, and the button to sign out. */
export function SidebarPerson({ collapsed }: { collapsed: boolean }) {
  const { t } = useTranslation('common');
  const { username, role } = useCurrentUser();
  const { signOut, pending } = useSignOut();
  return (
    <div
      className={cx(
        'flex items-center gap-3 border-t border-line p-3',
        collapsed ? 'flex-col' : 'pl-5',
      )}
    >
      <Avatar name={username} />
      {!collapsed && (
        <div className="min-w-0 flex-1 leading-tight">
          <p className="truncate text-sm font-medium" title={username}>
            {username}
          </p>
          <p className="text-xs text-muted">{t(`roles.${role}`)}</p>
        </div>
      )}
      <IconButton icon={LogOut} label={t('shell.signOut')} disabled={pending} onClick={signOut} />
    </div>
  );
}
