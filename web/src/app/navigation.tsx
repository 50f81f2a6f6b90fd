import { type ReactNode, useMemo } from 'react';
import { useLocation, useNavigate } from 'react-router-dom';
import { type Navigation, NavigationProvider } from '../ui/link.tsx';

/** Links within it go through the router. */
export function RoutedNavigation({ children }: { children: ReactNode }) {
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
