import type { ReactNode } from 'react';
import { Provider } from 'react-redux';
import { Outlet } from 'react-router-dom';
import { Toaster } from '../ui/toaster.tsx';
import { store } from './store.ts';

/** Needed by everything that calls the server. */
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
