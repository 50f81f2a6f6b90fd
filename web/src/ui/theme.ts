import { Monitor, Moon, Sun } from 'lucide-react';
import { useSyncExternalStore } from 'react';

export const themes = ['system', 'light', 'dark'] as const;
type Theme = (typeof themes)[number];

export const themeIcons = { system: Monitor, light: Sun, dark: Moon };

/** Also in /early.js, which applies the choice before the first paint. */
const STORED_AS = 'tallyhand-theme';

const listeners = new Set<() => void>();

function subscribe(listener: () => void) {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function chosenTheme(): Theme {
  const { theme } = document.documentElement.dataset;
  return theme === 'light' || theme === 'dark' ? theme : 'system';
}

export const useTheme = () => useSyncExternalStore(subscribe, chosenTheme);

export function chooseTheme(theme: Theme) {
  if (theme === 'system') delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
  for (const listener of listeners) listener();
  try {
    if (theme === 'system') localStorage.removeItem(STORED_AS);
    else localStorage.setItem(STORED_AS, theme);
  } catch {
    // Without storage the choice holds for this page only.
  }
}
