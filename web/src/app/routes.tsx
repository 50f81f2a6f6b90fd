import { lazy, Suspense } from 'react';
import { Route, Routes } from 'react-router-dom';
import { TooltipProvider } from '../ui/tooltip.tsx';
import { NotFoundPage } from './not-found.page.tsx';
import { PageSpinner } from './page-spinner.tsx';

// The public pages need no store: it comes with the first page that asks the server for something.
const LandingPage = lazy(async () => ({
  default: (await import('../features/support/landing.page.tsx')).LandingPage,
}));
const WithStore = lazy(async () => ({ default: (await import('./with-store.tsx')).WithStore }));
const AuthPage = lazy(async () => ({
  default: (await import('../features/identity/auth.page.tsx')).AuthPage,
}));
const RequireUser = lazy(async () => ({
  default: (await import('./require-user.tsx')).RequireUser,
}));
const Shell = lazy(async () => ({ default: (await import('./shell.tsx')).Shell }));
const DashboardPage = lazy(async () => ({
  default: (await import('../features/organizations/dashboard.page.tsx')).DashboardPage,
}));
const AgentsPage = lazy(async () => ({
  default: (await import('../features/agents/agents.page.tsx')).AgentsPage,
}));
const TasksPage = lazy(async () => ({
  default: (await import('../features/tasks/tasks.page.tsx')).TasksPage,
}));
const KnowledgePage = lazy(async () => ({
  default: (await import('../features/knowledge/knowledge.page.tsx')).KnowledgePage,
}));
const TeamPage = lazy(async () => ({
  default: (await import('../features/team/team.page.tsx')).TeamPage,
}));

export function AppRoutes() {
  return (
    <TooltipProvider>
      <Suspense fallback={<PageSpinner />}>
        <Routes>
          <Route index element={<LandingPage />} />
          <Route element={<WithStore />}>
            <Route path="auth" element={<AuthPage />} />
            <Route element={<RequireUser />}>
              <Route element={<Shell />}>
                <Route path="dashboard" element={<DashboardPage />} />
                <Route path="agents" element={<AgentsPage />} />
                <Route path="tasks" element={<TasksPage />} />
                <Route path="knowledge" element={<KnowledgePage />} />
                <Route path="team" element={<TeamPage />} />
              </Route>
            </Route>
          </Route>
          <Route path="*" element={<NotFoundPage />} />
        </Routes>
      </Suspense>
    </TooltipProvider>
  );
}
