import { Monitor, Moon, Sun } from 'lucide-react';
import { useSyncExternalStore } from 'react';
import { remember } from './remembered.ts';

export const themes = ['system', 'light', 'dark'] as const;
type Theme = (typeof themes)[number];

export const themeIcons = { system: Monitor, light: Sun, dark: Moon };

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
  // Applied by /early.js before the first paint.
  remember('theme', theme === 'system' ? null : theme);
}
