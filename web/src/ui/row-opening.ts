import { type MouseEvent, useEffect } from 'react';

/** How a row of a table is opened: by a click on it, and by a button among its actions. */
export type RowOpening<Row> = {
  /** Names the button. */
  label: (row: Row) => string;
  show: (row: Row) => void;
  /** The key of the row that is open. */
  current: string | undefined;
};

const INTERACTIVE = 'a, button, input, label, select, textarea, summary, [role="button"]';

/** The index of the clicked row, if the click was not for something in it, or to select text. */
export function clickedRow(event: MouseEvent<HTMLElement>): number | undefined {
  const target = event.target as Element;
  const { currentTarget, ctrlKey, metaKey, shiftKey, altKey } = event;
  // A menu of the row is elsewhere in the page, although its events arrive.
  if (!currentTarget.contains(target) || target.closest(INTERACTIVE)) return undefined;
  if (ctrlKey || metaKey || shiftKey || altKey) return undefined;
  if (window.getSelection()?.isCollapsed === false) return undefined;
  const { index } = target.closest<HTMLElement>('[data-index]')?.dataset ?? {};
  return index === undefined ? undefined : Number(index);
}

const rowOf = (key: string) =>
  document.querySelector<HTMLElement>(`[data-row="${CSS.escape(key)}"]`);

/** The button that opens a row. */
export const openerOf = (key: string) =>
  rowOf(key)?.querySelector<HTMLElement>('[data-opens-row]') ?? undefined;

/**
 * Keeps the open row in view while the panel steps through the list, and while what is above the list
 * loads, until the user does something.
 */
export function useOpenRowInView(key: string | undefined) {
  useEffect(() => {
    if (key === undefined) return;
    const show = () => rowOf(key)?.scrollIntoView({ block: 'nearest' });
    show();
    const page = new ResizeObserver(show);
    page.observe(document.body);
    const acts = new AbortController();
    const stop = () => page.disconnect();
    for (const act of ['wheel', 'touchstart', 'pointerdown', 'keydown']) {
      window.addEventListener(act, stop, { once: true, passive: true, signal: acts.signal });
    }
    return () => {
      acts.abort();
      stop();
    };
  }, [key]);
}
