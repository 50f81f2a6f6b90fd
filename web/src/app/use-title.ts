import { useEffect } from 'react';
import { pageIsShown } from '../ui/later.tsx';

/** Sets the title of the page in the browser's tab and history. */
export function useTitle(title: string) {
  useEffect(() => {
    document.title = title === 'Tallyhand' ? title : `${title} · Tallyhand`;
    pageIsShown();
  }, [title]);
}
