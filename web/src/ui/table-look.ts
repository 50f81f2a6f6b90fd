import { useState } from 'react';
import { z } from 'zod';
import { remember, remembered } from './remembered.ts';

export const DENSITIES = ['comfortable', 'compact'] as const;

/** In pixels. */
export const WIDTH_MIN = 64;
export const WIDTH_MAX = 800;

const Look = z.object({
  /** Keys of columns. */
  hidden: z.array(z.string()).catch([]),
  /** In pixels, of the columns that a user resized. */
  widths: z.record(z.string(), z.number().min(WIDTH_MIN).max(WIDTH_MAX)).catch({}),
  density: z.enum(DENSITIES).catch('comfortable'),
});
const Looks = z.record(z.string(), Look);

/** How a user arranged the columns of a table. */
export type Look = z.infer<typeof Look>;

export const PLAIN: Look = { hidden: [], widths: {}, density: 'comfortable' };

/** The remembered looks by the names of their tables; none if the text is damaged. */
export function looksIn(text: string | null): Record<string, Look> {
  try {
    return Looks.parse(JSON.parse(text ?? '{}'));
  } catch {
    return {};
  }
}

/** The columns that are shown: the first one, which names the row, always is. */
export const shownOf = <C extends { key: string }>(columns: readonly C[], { hidden }: Look) =>
  columns.filter(({ key }, index) => index === 0 || !hidden.includes(key));

export const withWidth = (look: Look, key: string, width: number): Look => ({
  ...look,
  widths: {
    ...look.widths,
    [key]: Math.round(Math.min(Math.max(width, WIDTH_MIN), WIDTH_MAX)),
  },
});

export const withShown = (look: Look, key: string, isShown: boolean): Look => {
  const others = look.hidden.filter((each) => each !== key);
  return { ...look, hidden: isShown ? others : [...others, key] };
};

export type LookState = { look: Look; change: (look: Look) => void };

/** The look of the table with this name, kept by the browser; without a name the plain one. */
export function useLook(name: string | undefined): LookState | undefined {
  const [look, setLook] = useState(() => looksIn(remembered('tables'))[name ?? ''] ?? PLAIN);
  if (name === undefined) return undefined;
  const change = (next: Look) => {
    setLook(next);
    // Read again: another table, or another tab, may have changed since.
    remember('tables', JSON.stringify({ ...looksIn(remembered('tables')), [name]: next }));
  };
  return { look, change };
}
