import { useState } from 'react';
import { z } from 'zod';
import { remember, remembered } from './remembered.ts';

export const DENSITIES = ['comfortable', 'compact'] as const;

/** In pixels. */
export const WIDTH_MIN = 64;
export const WIDTH_MAX = 800;

const TableLayout = z.object({
  /** Keys of columns. */
  hidden: z.array(z.string()).catch([]),
  /** In pixels, of the columns that a user resized. */
  widths: z.record(z.string(), z.number().min(WIDTH_MIN).max(WIDTH_MAX)).catch({}),
  density: z.enum(DENSITIES).catch('comfortable'),
});
const Layouts = z.record(z.string(), TableLayout);

/** How a user arranged the columns of a table. */
export type TableLayout = z.infer<typeof TableLayout>;

export const PLAIN: TableLayout = { hidden: [], widths: {}, density: 'comfortable' };

/** The remembered layouts by the names of their tables; none if the text is damaged. */
export function parseLayouts(text: string | null): Record<string, TableLayout> {
  try {
    return Layouts.parse(JSON.parse(text ?? '{}'));
  } catch {
    return {};
  }
}

/** The columns that are shown: the first one, which names the row, always is. */
export const shownOf = <C extends { key: string }>(
  columns: readonly C[],
  { hidden }: TableLayout,
) => columns.filter(({ key }, index) => index === 0 || !hidden.includes(key));

export const withWidth = (layout: TableLayout, key: string, width: number): TableLayout => ({
  ...layout,
  widths: {
    ...layout.widths,
    [key]: Math.round(Math.min(Math.max(width, WIDTH_MIN), WIDTH_MAX)),
  },
});

export const withShown = (layout: TableLayout, key: string, isShown: boolean): TableLayout => {
  const others = layout.hidden.filter((each) => each !== key);
  return { ...layout, hidden: isShown ? others : [...others, key] };
};

export type LayoutState = { layout: TableLayout; change: (layout: TableLayout) => void };

/** The layout of the table with this name, kept by the browser; without a name the plain one. */
export function useTableLayout(name: string | undefined): LayoutState | undefined {
  const [layout, setLayout] = useState(
    () => parseLayouts(remembered('tables'))[name ?? ''] ?? PLAIN,
  );
  if (name === undefined) return undefined;
  const change = (next: TableLayout) => {
    setLayout(next);
    // Read again: another table, or another tab, may have changed since.
    remember('tables', JSON.stringify({ ...parseLayouts(remembered('tables')), [name]: next }));
  };
  return { layout, change };
}
