import { useTranslation } from 'react-i18next';
import { HeaderButton } from './header-button.tsx';
import { menuLater } from './menu-later.tsx';
import { themeIcons, useTheme } from './theme.ts';

const ThemeMenu = menuLater(async () => (await import('./theme-menu.tsx')).ThemeMenu);

/** The theme of now by its picture; its menu has the others. */
export function ThemeSwitcher() {
  const { t } = useTranslation('common');
  const theme = useTheme();
  const Icon = themeIcons[theme];
  return (
    <ThemeMenu
      trigger={
        <HeaderButton aria-label={t('theme.label', { theme: t(`theme.${theme}`) })}>
          <Icon aria-hidden />
        </HeaderButton>
      }
    />
  );
}
