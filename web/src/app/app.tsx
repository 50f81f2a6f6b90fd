import { type ComponentType, type ReactNode, Suspense, startTransition, useState } from 'react';
import { type Navigation, NavigationProvider } from '../ui/link.tsx';
import { PageBoundary, PageSpinner } from './page-boundary.tsx';
import { part } from './part.ts';

const LandingPage = part(
  ['/'],
  ['landing'],
  async () => (await import('../features/landing/landing.page.tsx')).LandingPage,
);

/** All pages, with the router. */
type Pages = ComponentType<{ landing: ReactNode }>;

export const loadPages = async (): Promise<Pages> => (await import('./routes.tsx')).Pages;
const LaterPages = part([], [], loadPages);

const { pathname, hash } = window.location;
const firstPlace = { key: '', pathname, hash };

/**
 * Without `pages`, the landing page alone: a visitor reads it without the router, which a third of its
 * code would be. The first link loads the router, which finds its page in the address.
 */
export function App({ pages: FirstPages }: { pages: Pages | undefined }) {
  const [isLeft, setLeft] = useState(FirstPages !== undefined);
  const [first] = useState<Navigation>(() => ({
    place: firstPlace,
    go(to, { state }) {
      window.history.pushState({ usr: state }, '', to);
      startTransition(() => setLeft(true));
    },
  }));
  const Pages = FirstPages ?? LaterPages;
  return (
    <NavigationProvider value={first}>
      <PageBoundary>
        <Suspense fallback={<PageSpinner />}>
          {isLeft ? <Pages landing={<LandingPage />} /> : <LandingPage />}
        </Suspense>
      </PageBoundary>
    </NavigationProvider>
  );
}
