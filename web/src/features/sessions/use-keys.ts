import { useEffect } from 'react';

/** What keys do while this is shown, wherever in it the focus is. */
export function useKeys(onKey: (event: KeyboardEvent) => void) {
  useEffect(() => {
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  });
}
