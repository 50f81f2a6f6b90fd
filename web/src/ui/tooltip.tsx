import * as Slot from '@radix-ui/react-slot';
import {
  type FocusEvent,
  type PointerEvent,
  type ReactNode,
  useEffect,
  useId,
  useRef,
  useState,
} from 'react';
import { later, useLater } from './later.tsx';
import type { TooltipBubbleProps } from './tooltip-bubble.tsx';

const DELAY_MS = 700;
/** Within this time after another tooltip the next one comes at once. */
const SKIP_DELAY_MS = 300;

// Positioning it needs more code than a page begins with.
const bubble = later(async () => (await import('./tooltip-bubble.tsx')).TooltipBubble);

type Shown = { hide: () => void };
/** At most one is shown. */
let current: Shown | undefined;
let lastHiddenAt = Number.NEGATIVE_INFINITY;

type TooltipState = {
  isShown: boolean;
  show: () => void;
  /** Shows it after a delay, or at once where another one was just shown. */
  showSoon: () => void;
  hide: () => void;
  /** Shows it no more where that was about to happen. */
  forget: () => void;
};

function useTooltip(): TooltipState {
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

/** What the pointer does on the child, and where the focus is. */
function useChild({ isShown, show, showSoon, hide, forget }: TooltipState) {
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
      // The pointer may move onto the bubble, which notices when it leaves.
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
    onFocus: ({ currentTarget }: FocusEvent) => {
      // Where a dialog that the pointer closed gives the focus back, a bubble would only be in the way.
      if (!isPressed.current && currentTarget.matches(':focus-visible')) show();
    },
    onBlur: hide,
    onClick: hide,
  };
}

/** A label for an icon, or the whole of a text that was cut. The child takes the focus. */
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
