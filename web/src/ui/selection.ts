import { useState } from 'react';

/** The chosen rows of a table, by their keys. */
export type Selection = {
  chosen: ReadonlySet<string>;
  /** With `isRange` also the rows between this one and the one before. */
  toggle: (key: string, keys: readonly string[], isRange: boolean) => void;
  /** All of these rows, or none if all are chosen. */
  toggleAll: (keys: readonly string[]) => void;
  clear: () => void;
};

/** The keys from one to another, both included, in whatever direction. */
export function rangeOf(keys: readonly string[], from: string, to: string): readonly string[] {
  const [a, b] = [keys.indexOf(from), keys.indexOf(to)];
  if (a === -1 || b === -1) return [to];
  return keys.slice(Math.min(a, b), Math.max(a, b) + 1);
}

/** These keys as the last one clicked: chosen if it was not, otherwise not chosen. */
export function toggled(
  chosen: ReadonlySet<string>,
  range: readonly string[],
  clicked: string,
): ReadonlySet<string> {
  const next = new Set(chosen);
  for (const key of range) {
    if (chosen.has(clicked)) next.delete(key);
    else next.add(key);
  }
  return next;
}

export const areAllChosen = (chosen: ReadonlySet<string>, keys: readonly string[]) =>
  keys.length > 0 && keys.every((key) => chosen.has(key));

export function useSelection(): Selection {
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const [last, setLast] = useState<string>();
  return {
    chosen,
    toggle: (key, keys, isRange) => {
      const range = isRange && last !== undefined ? rangeOf(keys, last, key) : [key];
      setChosen(toggled(chosen, range, key));
      setLast(key);
    },
    toggleAll: (keys) => setChosen(areAllChosen(chosen, keys) ? new Set() : new Set(keys)),
    clear: () => setChosen(new Set()),
  };
}
