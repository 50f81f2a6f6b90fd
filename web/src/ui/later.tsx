import {
  type ComponentProps,
  type ComponentType,
  cloneElement,
  type ReactElement,
  useEffect,
  useEffectEvent,
  useState,
} from 'react';

/** How long what is on its way, a reader who only reads, or a busy page, keeps a part waiting. */
const SHOWN_MS_MAX = 5_000;
const UNTOUCHED_MS_MAX = 10_000;
const IDLE_MS_MAX = 2_000;

const shown = Promise.withResolvers<void>();
setTimeout(shown.resolve, SHOWN_MS_MAX);

/** Called when a page is shown, and not only its loading state. */
export const pageIsShown = () => shown.resolve();

/** Menus and tooltips are not needed before the first pointer or key event. */
const touched = Promise.withResolvers<void>();
for (const sign of ['pointermove', 'pointerdown', 'keydown', 'wheel']) {
  addEventListener(sign, touched.resolve as () => void, {
    once: true,
    passive: true,
    capture: true,
  });
}

async function whenIdle() {
  await shown.promise;
  setTimeout(touched.resolve, UNTOUCHED_MS_MAX);
  await touched.promise;
  await new Promise<void>((resolve) => {
    // Safari knows no idle time.
    if (!('requestIdleCallback' in window)) setTimeout(resolve, 200);
    else requestIdleCallback(() => resolve(), { timeout: IDLE_MS_MAX });
  });
}

/** A part of a page that is heavier than what is visible of it at first. */
type Later<T> = { loaded(): T | undefined; load(): Promise<T> };

export function later<T>(load: () => Promise<T>): Later<T> {
  let part: T | undefined;
  return {
    loaded: () => part,
    async load() {
      part ??= await load();
      return part;
    },
  };
}

/**
 * The part once it is loaded: when the user first moves and the page is idle, or at once when it is
 * wanted. `onMissing` is called when loading fails; some browsers then never try again.
 */
export function useLater<T>(
  part: Later<T>,
  wanted: string | number | boolean = false,
  onMissing?: (error: Error) => void,
) {
  const [value, setValue] = useState(() => part.loaded());
  const isHere = value !== undefined;
  const tellMissing = useEffectEvent((error: Error) => onMissing?.(error));
  useEffect(() => {
    if (isHere) return;
    let isOver = false;
    const show = (loaded: T) => {
      if (!isOver) setValue(() => loaded);
    };
    const ask = () => part.load().then(show, (error) => !isOver && tellMissing(error));
    if (wanted) void ask();
    else void whenIdle().then(() => !isOver && ask());
    return () => {
      isOver = true;
    };
  }, [part, wanted, isHere]);
  return value;
}

export type MenuAtButtonProps = {
  /** The button that opens it; it must pass on its ref and props. */
  trigger: ReactElement<ComponentProps<'button'>>;
  defaultOpen?: boolean;
};
type Menu = ComponentType<MenuAtButtonProps>;

/**
 * A menu that is loaded once the page can be used, since it is heavier than its button. A click before
 * that opens the menu when it is loaded.
 */
export function menuLater(load: () => Promise<Menu>) {
  const menu = later(load);

  return function MenuLater({ trigger }: Pick<MenuAtButtonProps, 'trigger'>) {
    // Counted: when loading failed the next click tries again.
    const [clicks, setClicks] = useState(0);
    const Menu = useLater(menu, clicks);
    if (Menu) return <Menu trigger={trigger} defaultOpen={clicks > 0} />;
    const want = () => setClicks(clicks + 1);
    return cloneElement(trigger, {
      'aria-haspopup': 'menu',
      'aria-expanded': false,
      // The menu may replace this button before it is released: there is no click then.
      onPointerDown: ({ button, ctrlKey }) => button === 0 && !ctrlKey && want(),
      onClick: want,
    });
  };
}
