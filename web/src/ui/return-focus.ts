import { useRef } from 'react';
import { focusPagePrimary } from './page-primary.ts';

/** The last focused element, except items of menus, which are gone when a dialog closes. */
let lastFocused: HTMLElement | undefined;
// This module may be loaded for a dialog that has just been opened.
remember(document.activeElement);

function remember(target: EventTarget | null) {
  const isOpener = target instanceof HTMLElement && target !== document.body;
  if (isOpener && !target.closest('[role="menu"]')) lastFocused = target;
}

document.addEventListener('focusin', ({ target }) => remember(target));

/**
 * Where the focus goes when a dialog closes: to what opened it, or to the page's content if that is
 * gone. Radix knows the opener only if it is Radix's trigger.
 */
export function useReturnFocus() {
  const opener = useRef<HTMLElement>(undefined);
  const wasOfEmptyList = useRef(false);
  return {
    /** To be called when the dialog opens, before the focus moves into it. */
    remember: () => {
      opener.current = lastFocused;
      wasOfEmptyList.current = lastFocused?.closest('[data-empty-action]') != null;
    },
    onCloseAutoFocus: (event: Event) => {
      event.preventDefault();
      if (opener.current?.isConnected) opener.current.focus();
      else if (wasOfEmptyList.current) focusPagePrimary();
      else document.getElementById('content')?.focus();
    },
  };
}
