import { useRef } from 'react';

/** What had the focus last; items of menus don't count, they are gone when a dialog closes. */
let lastFocused: HTMLElement | undefined;
// This may be loaded for the dialog that something has just opened.
remember(document.activeElement);

function remember(target: EventTarget | null) {
  const isOpener = target instanceof HTMLElement && target !== document.body;
  if (isOpener && !target.closest('[role="menu"]')) lastFocused = target;
}

document.addEventListener('focusin', ({ target }) => remember(target));

/**
 * Where the focus goes when a dialog closes: to what opened it, or to the page's content when that
 * is gone. Radix knows it only where its own trigger stands beside the dialog.
 */
export function useReturnFocus() {
  const opener = useRef<HTMLElement>(undefined);
  return {
    /** To be called when the dialog opens, before the focus moves into it. */
    remember: () => {
      opener.current = lastFocused;
    },
    onCloseAutoFocus: (event: Event) => {
      event.preventDefault();
      const there = opener.current?.isConnected ? opener.current : undefined;
      (there ?? document.getElementById('content'))?.focus();
    },
  };
}
