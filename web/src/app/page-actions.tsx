import { EllipsisVertical, type LucideIcon } from 'lucide-react';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { Button, HeaderButton } from '../ui/button.tsx';
import { DropdownMenu, MenuItem } from '../ui/dropdown-menu.tsx';
import { usePhone } from '../ui/use-media-query.ts';

export type PageAction = {
  label: string;
  icon: LucideIcon;
  onSelect: () => void;
  pending?: boolean;
};

/**
 * What else can be done on a page: buttons, and a menu of what is needed seldom. On a phone the
 * buttons stand in the menu, too: in a long language two of them are wider than the screen.
 */
export function PageActions({
  actions = [],
  children,
}: {
  actions?: readonly PageAction[];
  /** The items of the menu. */
  children?: ReactNode;
}) {
  const { t } = useTranslation('common');
  const isPhone = usePhone();
  return (
    <>
      {!isPhone &&
        actions.map(({ label, icon, pending, onSelect }) => (
          <Button key={label} icon={icon} pending={pending} onClick={onSelect}>
            {label}
          </Button>
        ))}
      {(children || isPhone) && (
        <DropdownMenu
          trigger={
            <HeaderButton aria-label={t('actions.ofPage')}>
              <EllipsisVertical aria-hidden />
            </HeaderButton>
          }
        >
          {isPhone &&
            actions.map(({ label, icon, pending, onSelect }) => (
              <MenuItem key={label} icon={icon} disabled={pending} onSelect={onSelect}>
                {label}
              </MenuItem>
            ))}
          {children}
        </DropdownMenu>
      )}
    </>
  );
}
