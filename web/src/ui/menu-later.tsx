import {
  type ComponentProps,
  type ComponentType,
  cloneElement,
  type ReactElement,
  useEffect,
  useState,
} from 'react';

export type MenuAtButtonProps = {
  /** The button that opens it; it must pass on its ref and props. */
  trigger: ReactElement<ComponentProps<'button'>>;
  defaultOpen?: boolean;
};
type Menu = ComponentType<MenuAtButtonProps>;

/** How long a busy page keeps a menu waiting. */
const WAIT_MS_MAX = 2_000;

const whenIdle = () =>
  new Promise<void>((resolve) => {
    // Safari knows no idle time.
    if (!('requestIdleCallback' in window)) setTimeout(resolve, 200);
    else requestIdleCallback(() => resolve(), { timeout: WAIT_MS_MAX });
  });

/**
 * A menu that is loaded once the page can be used, since it weighs more than all that one sees of it.
 * Its button is there from the beginning; a click that comes first opens the menu when it is here.
 */
export function menuLater(load: () => Promise<Menu>) {
  let loaded: Menu | undefined;
  const loadOnce = async () => {
    loaded ??= await load();
    return loaded;
  };

  return function MenuLater({ trigger }: Pick<MenuAtButtonProps, 'trigger'>) {
    const [Menu, setMenu] = useState<Menu | undefined>(() => loaded);
    const [isWanted, setWanted] = useState(false);
    useEffect(() => {
      let isShown = true;
      const show = (menu: Menu) => {
        if (isShown) setMenu(() => menu);
      };
      // Without the network the button stays, and the next click tries again.
      const failed = () => {
        if (isShown) setWanted(false);
      };
      (isWanted ? Promise.resolve() : whenIdle()).then(loadOnce).then(show, failed);
      return () => {
        isShown = false;
      };
    }, [isWanted]);
    if (Menu) return <Menu trigger={trigger} defaultOpen={isWanted} />;
    return cloneElement(trigger, {
      'aria-haspopup': 'menu',
      'aria-expanded': false,
      onClick: () => setWanted(true),
    });
  };
}
