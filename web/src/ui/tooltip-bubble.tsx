import * as Radix from '@radix-ui/react-tooltip';
import type { ReactNode, RefObject } from 'react';
import { ExternalTrigger } from './external-trigger.tsx';

export type TooltipBubbleProps = {
  id: string;
  anchor: RefObject<HTMLElement | null>;
  side?: 'top' | 'right' | 'bottom' | 'left';
  hide: () => void;
  children: ReactNode;
};

/** The visible part of a tooltip. It stays under the pointer; Escape and scrolling hide it. */
export function TooltipBubble({ id, anchor, side, hide, children }: TooltipBubbleProps) {
  return (
    <Radix.Provider>
      <Radix.Root open onOpenChange={(open) => !open && hide()}>
        <Radix.Trigger asChild>
          <ExternalTrigger of={anchor} />
        </Radix.Trigger>
        <Radix.Portal>
          <Radix.Content
            id={id}
            side={side}
            sideOffset={6}
            collisionPadding={8}
            className="z-50 max-w-72 animate-fade rounded-md bg-text px-2 py-1 text-xs text-background shadow-float"
          >
            {children}
          </Radix.Content>
        </Radix.Portal>
      </Radix.Root>
    </Radix.Provider>
  );
}
