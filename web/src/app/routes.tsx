import {
  ASKING_PATHS,
  type FRAMELESS_PATHS,
  MEMBER_PATHS,
  PUBLIC_PATHS,
  type STATIC_PATHS,
  TEXT_PAGES,
} from '@tallyhand/contracts/web-paths';
import { type ReactElement, Suspense } from 'react';
import { Route, Routes } from 'react-router-dom';
import { NotFoundPage } from './not-found.page.tsx';
import { PageBoundary } from './page-boundary.tsx';
import { PageSpinner } from './page-spinner.tsx';
import { part } from './part.ts';

const APP_PATHS = MEMBER_PATHS.filter((path) => !path.includes(':'));
const STORE_PATHS = [...APP_PATHS, ...ASKING_PATHS, '/auth'];

// The public pages need no store: it comes with the first page that asks the server for something.
const LandingPage = part(
  ['/'],
  ['landing'],
  async () => (await import('../features/landing/landing.page.tsx')).LandingPage,
);
const WithStore = part(
  STORE_PATHS,
  ['problems'],
  async () => (await import('./frame.ts')).WithStore,
);
const RequireUser = part(APP_PATHS, ['problems'], async () => {
  const { askAhead, RequireUser } = await import('./frame.ts');
  askAhead();
  return RequireUser;
});
const Shell = part(
  APP_PATHS,
  ['identity', 'notifications', 'organizations', 'problems'],
  async () => (await import('./frame.ts')).Shell,
);
const PublicLayout = part(
  PUBLIC_PATHS,
  ['landing'],
  async () => (await import('../features/support/public-layout.tsx')).PublicLayout,
);
const TextPage = part(
  PUBLIC_PATHS,
  ['support'],
  async () => (await import('../features/support/text.page.tsx')).TextPage,
);
const PricingPage = part(
  ['/pricing'],
  ['support'],
  async () => (await import('../features/support/pricing.page.tsx')).PricingPage,
);
const HelpPage = part(
  ['/help'],
  ['support'],
  async () => (await import('../features/support/help.page.tsx')).HelpPage,
);
const ContactPage = part(
  ['/contact'],
  ['problems', 'support', 'validation'],
  async () => (await import('../features/support/contact.page.tsx')).ContactPage,
);
const StatusPage = part(
  ['/status'],
  ['problems', 'support'],
  async () => (await import('../features/support/status.page.tsx')).StatusPage,
);
const TicketsPage = part(
  ['/support'],
  ['problems', 'support'],
  async () => (await import('../features/support/tickets.page.tsx')).TicketsPage,
);
const AuthPage = part(
  ['/auth'],
  ['identity', 'problems', 'validation'],
  async () => (await import('../features/identity/auth.page.tsx')).AuthPage,
);
const DashboardPage = part(
  ['/dashboard'],
  ['organizations', 'problems', 'tasks'],
  async () => (await import('../features/organizations/dashboard.page.tsx')).DashboardPage,
);
const AgentsPage = part(
  ['/agents'],
  [
    'agents',
    'audit',
    'chat',
    'mailboxes',
    'organizations',
    'problems',
    'sentences',
    'tasks',
    'validation',
  ],
  async () => (await import('../features/agents/agents.page.tsx')).AgentsPage,
);
const ExecutePage = part(
  [],
  ['agents', 'problems', 'sentences', 'tasks', 'validation'],
  async () => (await import('../features/agents/execute.page.tsx')).ExecutePage,
);
const SessionsPage = part(
  ['/autonomous'],
  ['problems', 'sentences', 'sessions', 'validation'],
  async () => (await import('../features/sessions/sessions.page.tsx')).SessionsPage,
);
const TasksPage = part(
  ['/tasks'],
  ['audit', 'problems', 'sentences', 'tasks'],
  async () => (await import('../features/tasks/tasks.page.tsx')).TasksPage,
);
const KnowledgePage = part(
  ['/knowledge'],
  ['agents', 'audit', 'knowledge', 'playbooks', 'problems', 'sentences', 'validation'],
  async () => (await import('../features/knowledge/knowledge.page.tsx')).KnowledgePage,
);
const ToolsPage = part(
  ['/tools'],
  ['agents', 'audit', 'problems', 'tools', 'validation'],
  async () => (await import('../features/tools/tools.page.tsx')).ToolsPage,
);
const BillingPage = part(
  ['/billing'],
  ['credits', 'problems', 'validation'],
  async () => (await import('../features/credits/billing.page.tsx')).BillingPage,
);
const TestCheckoutPage = part(
  [],
  ['credits', 'problems'],
  async () => (await import('../features/credits/test-checkout.page.tsx')).TestCheckoutPage,
);
const AgentChatPage = part(
  [],
  ['chat', 'problems', 'sentences', 'tasks', 'validation'],
  async () => (await import('../features/chat/agent-chat.page.tsx')).AgentChatPage,
);
const TeamPage = part(
  ['/team'],
  ['audit', 'problems', 'team', 'validation'],
  async () => (await import('../features/team/team.page.tsx')).TeamPage,
);
const OutboxPage = part(
  ['/team/outbox'],
  ['problems', 'team'],
  async () => (await import('../features/team/outbox.page.tsx')).OutboxPage,
);
const ReferencePage = part(
  ['/api'],
  ['developers'],
  async () => (await import('../features/reference/reference.page.tsx')).ReferencePage,
);
const DevelopersPage = part(
  ['/developers'],
  ['audit', 'developers', 'problems', 'validation'],
  async () => (await import('../features/api-keys/developers.page.tsx')).DevelopersPage,
);
const AuditPage = part(
  ['/audit'],
  ['agents', 'audit', 'problems'],
  async () => (await import('../features/audit/audit.page.tsx')).AuditPage,
);

const SettingsPage = part(
  ['/settings'],
  ['identity', 'notifications', 'problems', 'settings', 'validation'],
  async () => (await import('../features/settings/settings.page.tsx')).SettingsPage,
);

/** A page at each of the paths. */
type PagesAt<Paths extends readonly string[]> = Readonly<Record<Paths[number], ReactElement>>;

const staticPages: PagesAt<typeof STATIC_PATHS> = {
  '/pricing': <PricingPage />,
  '/help': <HelpPage />,
};
const askingPages: PagesAt<typeof ASKING_PATHS> = {
  '/api': <ReferencePage />,
  '/contact': <ContactPage />,
  '/status': <StatusPage />,
};
const framelessPages: PagesAt<typeof FRAMELESS_PATHS> = {
  '/auth': <AuthPage />,
  '/agent/:id': <AgentChatPage />,
};
const memberPages: PagesAt<typeof MEMBER_PATHS> = {
  '/dashboard': <DashboardPage />,
  '/agents': <AgentsPage />,
  '/agents/:id/execute': <ExecutePage />,
  '/autonomous': <SessionsPage />,
  '/tasks': <TasksPage />,
  '/knowledge': <KnowledgePage />,
  '/tools': <ToolsPage />,
  '/billing': <BillingPage />,
  '/billing/test-checkout/:id': <TestCheckoutPage />,
  '/team': <TeamPage />,
  '/team/outbox': <OutboxPage />,
  '/support': <TicketsPage />,
  '/developers': <DevelopersPage />,
  '/audit': <AuditPage />,
  '/settings': <SettingsPage />,
};

const routesOf = (pages: Readonly<Record<string, ReactElement>>) =>
  Object.entries(pages).map(([path, element]) => (
    <Route key={path} path={path} element={element} />
  ));

export function AppRoutes() {
  return (
    <PageBoundary>
      <Suspense fallback={<PageSpinner />}>
        <Routes>
          <Route index element={<LandingPage />} />
          <Route element={<PublicLayout />}>
            {TEXT_PAGES.map((page) => (
              <Route key={page} path={page} element={<TextPage page={page} />} />
            ))}
            {routesOf(staticPages)}
            <Route element={<WithStore />}>{routesOf(askingPages)}</Route>
          </Route>
          <Route element={<WithStore />}>
            {routesOf(framelessPages)}
            <Route element={<RequireUser />}>
              <Route element={<Shell />}>{routesOf(memberPages)}</Route>
            </Route>
          </Route>
          <Route path="*" element={<NotFoundPage />} />
        </Routes>
      </Suspense>
    </PageBoundary>
  );
}
