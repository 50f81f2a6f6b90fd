import {
  type ComponentProps,
  type ComponentType,
  cloneElement,
  type ReactElement,
  useState,
} from 'react';
import { later, useLater } from './later.ts';

export type MenuAtButtonProps = {
  /** The button that opens it; it must pass on its ref and props. */
  trigger: ReactElement<ComponentProps<'button'>>;
  defaultOpen?: boolean;
};
type Menu = ComponentType<MenuAtButtonProps>;

/**
 * A menu that is loaded once the page can be used, since it weighs more than all that one sees of it.
 * Its button is there from the beginning; a click that comes first opens the menu when it is here.
 */
export function menuLater(load: () => Promise<Menu>) {
  const menu = later(load);

  return function MenuLater({ trigger }: Pick<MenuAtButtonProps, 'trigger'>) {
    // Counted: where the menu can't be had the button stays, and the next click tries again.
    const [clicks, setClicks] = useState(0);
    const Menu = useLater(menu, clicks);
    if (Menu) return <Menu trigger={trigger} defaultOpen={clicks > 0} />;
    return cloneElement(trigger, {
      'aria-haspopup': 'menu',
      'aria-expanded': false,
      onClick: () => setClicks(clicks + 1),
    });
  };
}
