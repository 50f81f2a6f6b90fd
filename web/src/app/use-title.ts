import { useEffect } from 'react';
import { pageIsShown } from '../ui/later.ts';

/** Names the page that is shown, in the browser's tab and history. */
export function useTitle(title: string) {
  useEffect(() => {
    document.title = title === 'Tallyhand' ? title : `${title} · Tallyhand`;
    pageIsShown();
  }, [title]);
}
