import {
  defaultRangeExtractor,
  type Range,
  useWindowVirtualizer,
  type VirtualItem,
} from '@tanstack/react-virtual';
import { type RefCallback, useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { useMediaQuery } from './use-media-query.ts';

/** A list of up to this many rows is rendered whole, so that the browser's search finds them. */
const ALL_THERE_MAX = 200;
/** Rows rendered beyond both ends of the visible part, for keys and screen readers. */
const BEYOND = 8;

/** A rendered row, and the height in pixels of the rows before it that are not rendered. */
type PlacedRow = { index: number; gap: number };

export type LongList = {
  rows: readonly PlacedRow[];
  /** The height of the rows after the last rendered one. */
  gapAfter: number;
  /** For the parent element of the rows. */
  list: RefCallback<HTMLElement>;
  /** For each row, which has its `data-index`; absent where all are rendered. */
  measure: ((row: Element | null) => void) | undefined;
};

/**
 * The rows to render of a list that scrolls with the page: of a long one those near the visible part,
 * and the one with the focus. In print all.
 */
export function useLongList(count: number, estimatedHeight: number): LongList {
  const isPaper = useMediaQuery('print');
  const areAllThere = isPaper || count <= ALL_THERE_MAX;
  const { element, list, top } = usePlaceOnPage();
  const rangeExtractor = useCallback(
    (range: Range) => {
      const focused = element.current?.querySelector<HTMLElement>('[data-index]:focus-within');
      const indexes = new Set(defaultRangeExtractor(range));
      const kept = Number(focused?.dataset.index ?? range.startIndex);
      if (kept < range.count) indexes.add(kept);
      return [...indexes].sort((a, b) => a - b);
    },
    [element],
  );
  const virtualizer = useWindowVirtualizer({
    count: areAllThere ? 0 : count,
    estimateSize: () => estimatedHeight,
    overscan: BEYOND,
    scrollMargin: top,
    rangeExtractor,
  });
  const all = useMemo(
    () => Array.from({ length: areAllThere ? count : 0 }, (_, index) => ({ index, gap: 0 })),
    [areAllThere, count],
  );
  if (areAllThere) return { rows: all, gapAfter: 0, list, measure: undefined };
  const items = virtualizer.getVirtualItems();
  return {
    rows: placed(items, top),
    gapAfter: virtualizer.getTotalSize() - ((items.at(-1)?.end ?? top) - top),
    list,
    measure: virtualizer.measureElement,
  };
}

const placed = (items: readonly VirtualItem[], top: number): PlacedRow[] =>
  items.map(({ index, start }, at) => ({ index, gap: start - (items[at - 1]?.end ?? top) }));

/** How far below the top of the page an element is, whatever changes above it. */
function usePlaceOnPage() {
  const element = useRef<HTMLElement | null>(null);
  const [top, setTop] = useState(0);
  const look = useCallback(() => {
    const box = element.current?.getBoundingClientRect();
    if (box) setTop(Math.round(box.top + window.scrollY));
  }, []);
  const list = useCallback(
    (found: HTMLElement | null) => {
      element.current = found;
      look();
    },
    [look],
  );
  useEffect(() => {
    const observer = new ResizeObserver(look);
    observer.observe(document.body);
    return () => observer.disconnect();
  }, [look]);
  return { element, list, top };
}
