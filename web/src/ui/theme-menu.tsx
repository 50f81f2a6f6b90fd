import { useTranslation } from 'react-i18next';
import { DropdownMenu, MenuChoice } from './dropdown-menu.tsx';
import type { MenuAtButtonProps } from './later.tsx';
import { chooseTheme, themeIcons, themes, useTheme } from './theme.ts';

export function ThemeMenu({ trigger, defaultOpen }: MenuAtButtonProps) {
  const { t } = useTranslation('common');
  const theme = useTheme();
  return (
    <DropdownMenu trigger={trigger} defaultOpen={defaultOpen}>
      <MenuChoice
        value={theme}
        options={themes.map((value) => ({
          value,
          label: t(`theme.${value}`),
          icon: themeIcons[value],
        }))}
        onChange={chooseTheme}
      />
    </DropdownMenu>
  );
}
