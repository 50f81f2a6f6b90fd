import { configureStore } from '@reduxjs/toolkit';
import type { ReactNode } from 'react';
import { Provider } from 'react-redux';
import { Outlet } from 'react-router-dom';
import { Toaster } from '../ui/toaster.tsx';
import { api } from './api.ts';

export const store = configureStore({
  reducer: { [api.reducerPath]: api.reducer },
  middleware: (defaults) => defaults().concat(api.middleware),
});

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
