import { Slot } from 'radix-ui';
import { type PointerEvent, type ReactNode, useEffect, useId, useRef, useState } from 'react';
import { later, useLater } from './later.tsx';
import type { TooltipBubbleProps } from './tooltip-bubble.tsx';

const DELAY_MS = 700;
/** So soon after another tooltip the next one comes at once. */
const SKIP_DELAY_MS = 300;

// Its place is found by more code than a page begins with.
const bubble = later(async () => (await import('./tooltip-bubble.tsx')).TooltipBubble);

type Shown = { hide: () => void };
/** There is one at most. */
let current: Shown | undefined;
let lastHiddenAt = Number.NEGATIVE_INFINITY;

function useTooltip() {
  const [isShown, setShown] = useState(false);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const [self] = useState<Shown>(() => ({ hide: () => setShown(false) }));
  const forget = () => clearTimeout(timer.current);
  const show = () => {
    forget();
    if (current !== self) current?.hide();
    current = self;
    setShown(true);
  };
  const hide = () => {
    forget();
    if (current !== self) return;
    current = undefined;
    lastHiddenAt = performance.now();
    setShown(false);
  };
  const showSoon = () => {
    forget();
    const followsAnother = current || performance.now() - lastHiddenAt < SKIP_DELAY_MS;
    if (followsAnother) show();
    else timer.current = setTimeout(show, DELAY_MS);
  };
  useEffect(
    () => () => {
      clearTimeout(timer.current);
      if (current === self) current = undefined;
    },
    [self],
  );
  return { isShown, show, showSoon, hide, forget };
}

type Tooltip = ReturnType<typeof useTooltip>;

/** What the pointer does on the child, and where the focus is. */
function useChild({ isShown, show, showSoon, hide, forget }: Tooltip) {
  const isOver = useRef(false);
  const isPressed = useRef(false);
  return {
    onPointerMove: ({ pointerType }: PointerEvent) => {
      if (pointerType === 'touch' || isOver.current) return;
      isOver.current = true;
      showSoon();
    },
    onPointerLeave: () => {
      isOver.current = false;
      // What is shown may be pointed at itself, and knows by itself when it is left.
      if (isShown && bubble.loaded()) forget();
      else hide();
    },
    onPointerDown: () => {
      hide();
      isPressed.current = true;
      const released = () => {
        isPressed.current = false;
      };
      document.addEventListener('pointerup', released, { once: true });
    },
    onFocus: () => {
      if (!isPressed.current) show();
    },
    onBlur: hide,
    onClick: hide,
  };
}

/** Words for what has only an icon, or the whole of what was cut. The child takes the focus. */
export function Tooltip({
  label,
  side,
  children,
}: Pick<TooltipBubbleProps, 'side'> & { label: ReactNode; children: ReactNode }) {
  const id = useId();
  const anchor = useRef<HTMLElement>(null);
  const tooltip = useTooltip();
  const child = useChild(tooltip);
  const Bubble = useLater(bubble, tooltip.isShown);
  const isSeen = Bubble !== undefined && tooltip.isShown;
  return (
    <>
      <Slot.Root {...child} ref={anchor} {...(isSeen && { 'aria-describedby': id })}>
        {children}
      </Slot.Root>
      {isSeen && (
        <Bubble id={id} anchor={anchor} side={side} hide={tooltip.hide}>
          {label}
        </Bubble>
      )}
    </>
  );
}
