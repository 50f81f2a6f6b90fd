import { languageFor, languages } from '@tallyhand/contracts/languages';
import { useTranslation } from 'react-i18next';
import { DropdownMenu, MenuChoice } from '../ui/dropdown-menu.tsx';
import { Flag } from '../ui/flag.tsx';
import type { MenuAtButtonProps } from '../ui/later.tsx';
import { chooseLanguage } from './i18n.ts';

const options = languages.map(({ code, name }) => ({
  value: code,
  label: (
    <span className="flex items-center gap-2.5">
      <Flag language={code} />
      <span lang={code}>{name}</span>
    </span>
  ),
}));

/** All languages, each named in its own language. */
export function LanguageMenu({ trigger, defaultOpen }: MenuAtButtonProps) {
  const { i18n } = useTranslation('common');
  const current = languageFor(i18n.language, []);
  return (
    <DropdownMenu trigger={trigger} defaultOpen={defaultOpen}>
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
