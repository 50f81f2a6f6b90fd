import type { Organization } from '@tallyhand/contracts/features/organizations/organizations.endpoints';
import { MEMBERS, mayCall } from '@tallyhand/contracts/kernel/access';
import { Menu, Settings } from 'lucide-react';
import { type ComponentProps, Suspense, useState, useSyncExternalStore } from 'react';
import { useTranslation } from 'react-i18next';
import { Navigate, Outlet, useLocation } from 'react-router-dom';
import { useCurrentUser } from '../features/identity/identity.api.ts';
import { NotificationBell } from '../features/notifications/notification-bell.tsx';
import { askForUnread } from '../features/notifications/notifications.api.ts';
import { CreditBadge } from '../features/organizations/credit-badge.tsx';
import {
  askForOrganization,
  useGetOrganizationQuery,
} from '../features/organizations/organizations.api.ts';
import { SearchButton } from '../features/search/search-button.tsx';
import { Banner } from '../ui/banner.tsx';
import { ButtonLink, HeaderButton } from '../ui/button.tsx';
import { later, useLater } from '../ui/later.tsx';
import { remember, remembered } from '../ui/remembered.ts';
import { useMediaQuery } from '../ui/use-media-query.ts';
import { asRead } from './api.ts';
import { connection } from './connection.ts';
import { mayOpen } from './main-pages.ts';
import { PageBoundary, PageSpinner } from './page-boundary.tsx';
import { laterPart } from './part.ts';
import { Sidebar } from './sidebar.tsx';
import type { SidebarDrawer } from './sidebar-drawer.tsx';
import { Switchers } from './switchers.tsx';

const drawer = later(async () => (await import('./sidebar-drawer.tsx')).SidebarDrawer);

function useCollapsed() {
  const [collapsed, setCollapsed] = useState(() => remembered('sidebar') === 'collapsed');
  const toggle = () => {
    setCollapsed(!collapsed);
    remember('sidebar', collapsed ? 'open' : 'collapsed');
  };
  return [collapsed, toggle] as const;
}

/** What the header shows first. */
export const shellReads = [askForOrganization, askForUnread] as const;

/** Sidebar and header around every signed-in page. */
export function Shell() {
  const { t } = useTranslation('common');
  const wide = useMediaQuery('(min-width: 900px)');
  const [collapsed, toggleCollapsed] = useCollapsed();
  const { pathname } = useLocation();
  const { role } = useCurrentUser();
  // Kept per page: the drawer closes on navigation.
  const [drawerAt, setDrawerAt] = useState<string>();
  return (
    <div className="flex min-h-dvh text-sm">
      <a
        href="#content"
        className="sr-only focus:not-sr-only focus:fixed focus:top-2 focus:left-2 focus:z-50 focus:rounded-md focus:bg-raised focus:px-4 focus:py-2"
      >
        {t('shell.skip')}
      </a>
      {wide && <Sidebar collapsed={collapsed} onToggle={toggleCollapsed} />}
      {!wide && (
        <Drawer
          open={drawerAt === pathname}
          onOpenChange={(open) => setDrawerAt(open ? pathname : undefined)}
        />
      )}
      <div className="flex min-w-0 flex-1 flex-col">
        <header className="sticky top-0 z-30 flex h-14 items-center gap-2 max-sm:gap-0.5 border-b border-line bg-background px-4 max-sm:pr-2 md:px-6">
          {!wide && (
            <HeaderButton
              aria-label={t('shell.openMenu')}
              className="-ml-2"
              onClick={() => setDrawerAt(pathname)}
            >
              <Menu aria-hidden />
            </HeaderButton>
          )}
          <OrganizationName />
          <CreditBadge />
          {mayCall(role, MEMBERS) && (
            <>
              <SearchButton />
              <NotificationBell />
            </>
          )}
          {wide && (
            <>
              <Switchers />
              <ButtonLink
                variant="ghost"
                className="px-2.5 text-muted"
                icon={Settings}
                to="/settings"
                aria-label={t('shell.settings')}
              >
                {' '}
              </ButtonLink>
            </>
          )}
        </header>
        <ConnectionBanner />
        <main
          id="content"
          tabIndex={-1}
          className="flex-1 px-4 py-6 outline-none max-sm:has-[.phone-bar]:pb-[calc(6rem+env(safe-area-inset-bottom))] md:px-6"
        >
          <PageBoundary>
            <Suspense fallback={<PageSpinner />}>
              {mayOpen(role, pathname) ? <Outlet /> : <Elsewhere pathname={pathname} />}
            </Suspense>
          </PageBoundary>
        </main>
      </div>
    </div>
  );
}

const NoAccess = laterPart(
  ['audit', 'problems'],
  async () => (await import('../features/audit/no-access.tsx')).NoAccess,
  PageSpinner,
);

/** What an Auditor sees at an address of other roles. The audit log is their first page. */
function Elsewhere({ pathname }: { pathname: string }) {
  return pathname === '/dashboard' ? <Navigate to="/audit" replace /> : <NoAccess />;
}

function Drawer(props: ComponentProps<typeof SidebarDrawer>) {
  const Loaded = useLater(drawer, props.open);
  return Loaded && <Loaded {...props} />;
}

function OrganizationName() {
  const { t } = useTranslation('common');
  const user = useCurrentUser();
  const { data } = useGetOrganizationQuery(undefined, asRead<Organization>());
  const name = data?.name || user.organization.name || t('nav.dashboard');
  return (
    <p className="min-w-0 flex-1 truncate font-semibold" title={name}>
      {name}
    </p>
  );
}

function subscribeToNetwork(changed: () => void) {
  window.addEventListener('online', changed);
  window.addEventListener('offline', changed);
  return () => {
    window.removeEventListener('online', changed);
    window.removeEventListener('offline', changed);
  };
}

/** Warns when the content may be out of date. Content and typed text stay. */
function ConnectionBanner() {
  const { t } = useTranslation('common');
  const isOnline = useSyncExternalStore(subscribeToNetwork, () => navigator.onLine);
  const isLost = useSyncExternalStore(connection.subscribe, connection.isLost);
  if (isOnline && !isLost) return null;
  const state = isOnline ? 'reconnecting' : 'offline';
  return (
    <div className="px-4 pt-4 md:px-6 print:hidden">
      <Banner tone="warning" title={t(`connection.${state}.title`)}>
        <p>{t(`connection.${state}.description`)}</p>
      </Banner>
    </div>
  );
}
