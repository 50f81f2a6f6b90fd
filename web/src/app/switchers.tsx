import { languageFor, languages } from '@tallyhand/contracts/languages';
import { useTranslation } from 'react-i18next';
import { HeaderButton } from '../ui/button.tsx';
import { Flag } from '../ui/flag.tsx';
import { menuLater } from '../ui/later.tsx';
import { themeIcons, useTheme } from '../ui/theme.ts';

/** Language and theme, in a header. */
export function Switchers() {
  return (
    <>
      <LanguageSwitcher />
      <ThemeSwitcher />
    </>
  );
}

const LanguageMenu = menuLater(async () => (await import('./language-menu.tsx')).LanguageMenu);

/** The current language by flag and code; its menu has the others. */
function LanguageSwitcher() {
  const { t, i18n } = useTranslation('common');
  const current = languageFor(i18n.language, []);
  const name = languages.find(({ code }) => code === current)?.name;
  return (
    <LanguageMenu
      trigger={
        <HeaderButton>
          <span className="sr-only">{t('language.label', { language: name })}</span>
          <Flag language={current} />
          <span aria-hidden className="text-xs leading-none font-medium uppercase">
            {current}
          </span>
        </HeaderButton>
      }
    />
  );
}

const ThemeMenu = menuLater(async () => (await import('../ui/theme-menu.tsx')).ThemeMenu);

/** The current theme by its icon; its menu has the others. */
function ThemeSwitcher() {
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
