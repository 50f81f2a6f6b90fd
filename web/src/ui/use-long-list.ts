import {
  defaultRangeExtractor,
  type Range,
  useWindowVirtualizer,
  type VirtualItem,
} from '@tanstack/react-virtual';
import { type RefCallback, useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { useMediaQuery } from './use-media-query.ts';

/** A list of up to so many rows is all there: one can search the page for them. */
const ALL_THERE_MAX = 200;
/** Rows that are there beyond both ends of what is seen, for keys and screen readers to go on to. */
const BEYOND = 8;

/** A row that is there, and the height in pixels of those before it that are not. */
type PlacedRow = { index: number; gap: number };

export type LongList = {
  rows: readonly PlacedRow[];
  /** The height of the rows after the last that is there. */
  gapAfter: number;
  /** For the element whose children the rows are. */
  list: RefCallback<HTMLElement>;
  /** For each row, which says where it stands by `data-index`; absent where all are there. */
  measure: ((row: Element | null) => void) | undefined;
};

/**
 * Which rows of a list that scrolls with the page have to be there: of a long one those that are
 * near to what is seen, and the one with the focus. On paper there are all.
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

/** How far below the beginning of the page an element stands, whatever comes and goes above it. */
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
