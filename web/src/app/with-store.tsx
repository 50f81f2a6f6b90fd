import { Provider } from 'react-redux';
import { Outlet } from 'react-router-dom';
import { Toaster } from '../ui/toaster.tsx';
import { TooltipProvider } from '../ui/tooltip.tsx';
import { store } from './store.ts';

/** What every page that talks to the server stands on. */
export function WithStore() {
  return (
    <Provider store={store}>
      <TooltipProvider>
        <Outlet />
      </TooltipProvider>
      <Toaster />
    </Provider>
  );
}
