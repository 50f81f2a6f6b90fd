import { Globe } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { DropdownMenu, MenuChoice } from '../ui/dropdown-menu.tsx';
import { HeaderButton } from '../ui/header-button.tsx';
import { chooseLanguage, type Language, languages } from './i18n.ts';

export function LanguageSwitcher() {
  const { t, i18n } = useTranslation('common');
  const current = languages.find(({ code }) => code === i18n.language) ?? languages[0];
  return (
    <DropdownMenu
      trigger={
        <HeaderButton>
          <Globe aria-hidden />
          <span className="sr-only">{t('language.label', { language: current?.name })}</span>
          <span aria-hidden className="text-xs font-medium uppercase">
            {current?.code}
          </span>
        </HeaderButton>
      }
    >
      <MenuChoice
        value={(current?.code ?? 'en') as Language}
        options={languages.map(({ code, name }) => ({ value: code, label: name }))}
        onChange={(code) => void chooseLanguage(code)}
      />
    </DropdownMenu>
  );
}
