import {
  ASKING_PATHS,
  type FRAMELESS_PATHS,
  MEMBER_PATHS,
  PUBLIC_PATHS,
  SHARED_PATHS,
  type STATIC_PATHS,
  TEXT_PAGES,
  TEXT_PATHS,
} from '@tallyhand/contracts/web-paths';
import { type ComponentType, type ReactNode, useMemo } from 'react';
import { BrowserRouter, Route, Routes, useLocation, useNavigate } from 'react-router-dom';
import { type Navigation, NavigationProvider } from '../ui/link.tsx';
import type { Namespace } from './i18n.ts';
import { PageBoundary, PageSpinner } from './page-boundary.tsx';
import { laterPart, part } from './part.ts';

const FRAMED_PATHS = [...MEMBER_PATHS, ...SHARED_PATHS];
const STORE_PATHS = [...FRAMED_PATHS, ...ASKING_PATHS, '/auth'];

// The public pages need no store: it comes with the first page that calls the server.
const WithStore = part(
  STORE_PATHS,
  ['problems'],
  async () => (await import('./frame.ts')).WithStore,
);
const RequireUser = part(FRAMED_PATHS, ['problems'], async () => {
  const { askAhead, RequireUser, shellReads } = await import('./frame.ts');
  void askAhead(...shellReads);
  return RequireUser;
});
const Shell = part(
  FRAMED_PATHS,
  ['notifications', 'organizations', 'problems'],
  async () => (await import('./frame.ts')).Shell,
);
const ChatGuest = laterPart(
  ['chat'],
  async () => (await import('../features/chat/chat-guest.tsx')).ChatGuest,
  PageSpinner,
);
const PublicLayout = part(
  PUBLIC_PATHS,
  ['landing'],
  async () => (await import('../features/support/public-layout.tsx')).PublicLayout,
);
const NotFoundPage = laterPart(
  [],
  async () => (await import('./not-found.page.tsx')).NotFoundPage,
  PageSpinner,
);
const TextPage = part(
  TEXT_PATHS,
  ['support'],
  async () => (await import('../features/support/text.page.tsx')).TextPage,
);

/** The words that a page needs, and how it is loaded. */
type Page = readonly [words: readonly Namespace[], load: () => Promise<ComponentType>];
type PagesAt<Paths extends readonly string[]> = Readonly<Record<Paths[number], Page>>;

const staticPages: PagesAt<typeof STATIC_PATHS> = {
  '/pricing': [
    ['support'],
    async () => (await import('../features/support/pricing.page.tsx')).PricingPage,
  ],
  '/help': [['support'], async () => (await import('../features/support/help.page.tsx')).HelpPage],
};
const askingPages: PagesAt<typeof ASKING_PATHS> = {
  '/api': [
    ['reference'],
    async () => (await import('../features/reference/reference.page.tsx')).ReferencePage,
  ],
  '/contact': [
    ['problems', 'support', 'validation'],
    async () => (await import('../features/support/contact.page.tsx')).ContactPage,
  ],
  '/status': [
    ['problems', 'support'],
    async () => (await import('../features/support/status.page.tsx')).StatusPage,
  ],
};
const framelessPages: PagesAt<typeof FRAMELESS_PATHS> = {
  '/auth': [
    ['identity', 'problems', 'validation'],
    async () => (await import('../features/identity/auth.page.tsx')).AuthPage,
  ],
};
const sharedPages: PagesAt<typeof SHARED_PATHS> = {
  '/agent/:id': [
    ['agents', 'approvals', 'chat', 'problems', 'ratings', 'sentences', 'tasks', 'validation'],
    async () => (await import('../features/chat/agent-chat.page.tsx')).AgentChatPage,
  ],
};
const memberPages: PagesAt<typeof MEMBER_PATHS> = {
  '/dashboard': [
    ['organizations', 'problems', 'tasks'],
    async () => {
      const [{ DashboardPage, dashboardReads }, { askAhead }] = await Promise.all([
        import('../features/organizations/dashboard.page.tsx'),
        import('./frame.ts'),
      ]);
      void askAhead(...dashboardReads);
      return DashboardPage;
    },
  ],
  '/agents': [
    [
      'agents',
      'approvals',
      'audit',
      'chat',
      'lists',
      'mailboxes',
      'organizations',
      'problems',
      'ratings',
      'sentences',
      'tasks',
      'usage',
      'validation',
    ],
    async () => (await import('../features/agents/agents.page.tsx')).AgentsPage,
  ],
  '/agents/:id': [
    [
      'agents',
      'approvals',
      'audit',
      'chat',
      'mailboxes',
      'problems',
      'ratings',
      'sentences',
      'tasks',
      'usage',
      'validation',
    ],
    async () => (await import('../features/agents/agent.page.tsx')).AgentPage,
  ],
  '/agents/:id/execute': [
    ['agents', 'approvals', 'problems', 'ratings', 'sentences', 'tasks', 'validation'],
    async () => (await import('../features/agents/execute.page.tsx')).ExecutePage,
  ],
  '/agents/:id/compare': [
    [
      'agents',
      'audit',
      'compare',
      'problems',
      'ratings',
      'sentences',
      'tasks',
      'usage',
      'validation',
    ],
    async () => (await import('../features/agents/compare.page.tsx')).ComparePage,
  ],
  '/autonomous': [
    ['approvals', 'lists', 'problems', 'sentences', 'sessions', 'usage', 'validation'],
    async () => (await import('../features/sessions/autonomous.page.tsx')).SessionsPage,
  ],
  '/tasks': [
    ['approvals', 'audit', 'lists', 'problems', 'ratings', 'sentences', 'tasks', 'usage'],
    async () => (await import('../features/tasks/tasks.page.tsx')).TasksPage,
  ],
  '/approvals': [
    ['approvals', 'problems'],
    async () => (await import('../features/tasks/approvals.page.tsx')).ApprovalsPage,
  ],
  '/knowledge': [
    ['agents', 'audit', 'knowledge', 'lists', 'playbooks', 'problems', 'sentences', 'validation'],
    async () => (await import('../features/knowledge/knowledge.page.tsx')).KnowledgePage,
  ],
  '/tools': [
    ['agents', 'audit', 'lists', 'problems', 'sentences', 'tools', 'validation'],
    async () => (await import('../features/tools/tools.page.tsx')).ToolsPage,
  ],
  '/tools/signed-in': [
    ['problems', 'sentences', 'tools'],
    async () => (await import('../features/tools/signed-in.page.tsx')).SignedInPage,
  ],
  '/billing': [
    ['chat', 'credits', 'lists', 'problems', 'usage', 'validation'],
    async () => (await import('../features/credits/billing.page.tsx')).BillingPage,
  ],
  '/billing/test-checkout/:id': [
    ['credits', 'problems'],
    async () => (await import('../features/credits/test-checkout.page.tsx')).TestCheckoutPage,
  ],
  '/team': [
    ['audit', 'problems', 'team', 'validation'],
    async () => (await import('../features/team/team.page.tsx')).TeamPage,
  ],
  '/team/outbox': [
    ['problems', 'team'],
    async () => (await import('../features/team/outbox.page.tsx')).OutboxPage,
  ],
  '/support': [
    ['problems', 'support'],
    async () => (await import('../features/support/support.page.tsx')).TicketsPage,
  ],
  '/developers': [
    ['audit', 'developers', 'problems', 'validation'],
    async () => (await import('../features/api-keys/developers.page.tsx')).DevelopersPage,
  ],
  '/audit': [
    ['agents', 'audit', 'lists', 'problems'],
    async () => (await import('../features/audit/audit.page.tsx')).AuditPage,
  ],
  '/histories': [
    ['agents', 'audit', 'problems'],
    async () => (await import('../features/audit/histories.page.tsx')).HistoriesPage,
  ],
  '/settings': [
    ['identity', 'notifications', 'problems', 'settings', 'validation'],
    async () => (await import('../features/settings/settings.page.tsx')).SettingsPage,
  ],
  '/settings/models': [
    ['agents', 'audit', 'models', 'problems', 'sentences', 'validation'],
    async () => (await import('../features/models/models.page.tsx')).ModelsPage,
  ],
};

const routesOf = (pages: Readonly<Record<string, Page>>) =>
  Object.entries(pages).map(([path, [words, load]]) => {
    const LazyPage = part([path], words, load);
    return <Route key={path} path={path} element={<LazyPage />} />;
  });

const staticRoutes = routesOf(staticPages);
const askingRoutes = routesOf(askingPages);
const framelessRoutes = routesOf(framelessPages);
const sharedRoutes = routesOf(sharedPages);
const memberRoutes = routesOf(memberPages);

/** The router, and the page of the address. */
export function Pages({ landing }: { landing: ReactNode }) {
  return (
    <BrowserRouter>
      <RoutedNavigation>
        <PageBoundary>
          <Routes>
            <Route index element={landing} />
            <Route element={<PublicLayout />}>
              {TEXT_PAGES.map((page) => (
                <Route key={page} path={page} element={<TextPage page={page} />} />
              ))}
              {staticRoutes}
              <Route element={<WithStore />}>{askingRoutes}</Route>
            </Route>
            <Route element={<WithStore />}>
              {framelessRoutes}
              <Route element={<RequireUser guest={<ChatGuest />} />}>
                <Route element={<Shell />}>{sharedRoutes}</Route>
              </Route>
              <Route element={<RequireUser />}>
                <Route element={<Shell />}>{memberRoutes}</Route>
              </Route>
            </Route>
            <Route path="*" element={<NotFoundPage />} />
          </Routes>
        </PageBoundary>
      </RoutedNavigation>
    </BrowserRouter>
  );
}

/** Links within it go through the router. */
function RoutedNavigation({ children }: { children: ReactNode }) {
  const { key, pathname, search, hash } = useLocation();
  const navigate = useNavigate();
  const navigation = useMemo<Navigation>(
    () => ({
      place: { key, pathname, hash },
      go(to, { replace = to === `${pathname}${search}${hash}`, state }) {
        void navigate(to, { replace, state });
      },
    }),
    [key, pathname, search, hash, navigate],
  );
  return <NavigationProvider value={navigation}>{children}</NavigationProvider>;
}
