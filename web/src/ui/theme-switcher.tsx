import { Monitor, Moon, Sun } from 'lucide-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { DropdownMenu, MenuChoice } from './dropdown-menu.tsx';
import { HeaderButton } from './header-button.tsx';

type Theme = 'system' | 'light' | 'dark';

/** The same name as in /theme.js, which applies the choice before the first paint. */
const STORED_AS = 'tallyhand-theme';

function chosenTheme(): Theme {
  const { theme } = document.documentElement.dataset;
  return theme === 'light' || theme === 'dark' ? theme : 'system';
}

function applyTheme(theme: Theme) {
  if (theme === 'system') delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
  try {
    if (theme === 'system') localStorage.removeItem(STORED_AS);
    else localStorage.setItem(STORED_AS, theme);
  } catch {
    // Without storage the choice holds for this page only.
  }
}

const icons = { system: Monitor, light: Sun, dark: Moon };

export function ThemeSwitcher() {
  const { t } = useTranslation('common');
  const [theme, setTheme] = useState(chosenTheme);
  const Icon = icons[theme];
  return (
    <DropdownMenu
      trigger={
        <HeaderButton aria-label={t('theme.label', { theme: t(`theme.${theme}`) })}>
          <Icon aria-hidden />
        </HeaderButton>
      }
    >
      <MenuChoice
        value={theme}
        options={(['system', 'light', 'dark'] as const).map((value) => ({
          value,
          label: t(`theme.${value}`),
          icon: icons[value],
        }))}
        onChange={(next) => {
          applyTheme(next);
          setTheme(next);
        }}
      />
    </DropdownMenu>
  );
}
