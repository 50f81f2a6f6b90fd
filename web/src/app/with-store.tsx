import type { ReactNode } from 'react';
import { Provider } from 'react-redux';
import { Outlet } from 'react-router-dom';
import { Toaster } from '../ui/toaster.tsx';
import { store } from './store.ts';

/** What everything that talks to the server stands on. */
export function StoreProviders({ children }: { children: ReactNode }) {
  return (
    <Provider store={store}>
      {children}
      <Toaster />
    </Provider>
  );
}

/** The same around pages. */
export function WithStore() {
  return (
    <StoreProviders>
      <Outlet />
    </StoreProviders>
  );
}
