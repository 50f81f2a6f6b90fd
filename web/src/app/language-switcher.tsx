import { useTranslation } from 'react-i18next';
import { DropdownMenu, MenuChoice } from '../ui/dropdown-menu.tsx';
import { Flag } from '../ui/flag.tsx';
import { HeaderButton } from '../ui/header-button.tsx';
import { chooseLanguage } from './i18n.ts';
import { languageFor, languages } from './languages.ts';

const options = languages.map(({ code, name }) => ({
  value: code,
  label: (
    <span className="flex items-center gap-2.5">
      <Flag language={code} />
      <span lang={code}>{name}</span>
    </span>
  ),
}));

/** The language of now by flag and code, and all others by the names that they give themselves. */
export function LanguageSwitcher() {
  const { t, i18n } = useTranslation('common');
  const current = languageFor(i18n.language, []);
  const name = languages.find(({ code }) => code === current)?.name;
  return (
    <DropdownMenu
      trigger={
        // Flag above code on a phone: the organization's name needs the room.
        <HeaderButton className="max-sm:flex-col max-sm:gap-0.5">
          <span className="sr-only">{t('language.label', { language: name })}</span>
          <Flag language={current} />
          <span aria-hidden className="text-xs leading-none font-medium uppercase">
            {current}
          </span>
        </HeaderButton>
      }
    >
      <MenuChoice
        value={current}
        options={options}
        onChange={(code) => {
          // Without the network the page stays in the language that it is in.
          chooseLanguage(code).catch(() => {});
        }}
      />
    </DropdownMenu>
  );
}
