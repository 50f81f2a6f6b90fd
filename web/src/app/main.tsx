import '../ui/tokens.css';
import '../ui/print.css';
import { StrictMode, startTransition } from 'react';
import { createRoot } from 'react-dom/client';
import { App, loadPages } from './app.tsx';
import { startI18n } from './i18n.ts';
import { firstPartsLoaded } from './part.ts';

async function start(root: Element) {
  const isLanding = window.location.pathname === '/';
  const [pages] = await Promise.all([isLanding ? undefined : loadPages(), startI18n()]);
  await firstPartsLoaded();
  startTransition(() =>
    createRoot(root).render(
      <StrictMode>
        <App pages={pages} />
      </StrictMode>,
    ),
  );
}

const root = document.getElementById('root');
if (!root) throw new Error('index.html has no element #root');
// Not awaited: the pages import this file's chunk, and would wait for its end.
void start(root);
