import { Popover as Radix } from 'radix-ui';
import { type KeyboardEventHandler, type ReactNode, type RefObject, useId } from 'react';
import { StandIn } from './stand-in.tsx';

/** A panel beside the button that opens it; Escape and a click elsewhere close it. */
export function Popover({
  button,
  open,
  onOpenChange,
  title,
  onKeyDown,
  children,
}: {
  button: RefObject<HTMLElement | null>;
  open: boolean;
  onOpenChange: (open: boolean) => void;
  title: string;
  onKeyDown?: KeyboardEventHandler<HTMLElement>;
  children: ReactNode;
}) {
  const heading = useId();
  return (
    <Radix.Root open={open} onOpenChange={onOpenChange}>
      <Radix.Trigger asChild>
        <StandIn of={button} />
      </Radix.Trigger>
      {/* Within the main landmark, so that those who move by landmarks find it. */}
      <Radix.Portal container={document.querySelector('main')}>
        <Radix.Content
          align="end"
          sideOffset={4}
          collisionPadding={8}
          aria-labelledby={heading}
          onKeyDown={onKeyDown}
          className="z-50 flex max-h-[min(70dvh,var(--radix-popover-content-available-height))] w-96 animate-pop flex-col overflow-hidden rounded-lg border border-line bg-raised text-sm shadow-float outline-none"
        >
          <h2 id={heading} className="px-4 pt-3 pb-1 text-base font-semibold">
            {title}
          </h2>
          {children}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}
