import { useState } from 'react';

/** So many can be selected: each is a call to the server. */
export const SELECTED_MAX = 100;

/** The chosen rows of a list, by their keys. */
export type Selection = {
  chosen: ReadonlySet<string>;
  /** With `isRange` also the rows between this one and the one before. */
  toggle: (key: string, keys: readonly string[], isRange: boolean) => void;
  /** All of these rows, or none if all are chosen. */
  toggleAll: (keys: readonly string[]) => void;
  /** Exactly these. */
  choose: (keys: readonly string[]) => void;
  clear: () => void;
};

/** The keys from one to another, both included, in whatever direction. */
export function rangeOf(keys: readonly string[], from: string, to: string): readonly string[] {
  const [a, b] = [keys.indexOf(from), keys.indexOf(to)];
  if (a === -1 || b === -1) return [to];
  return keys.slice(Math.min(a, b), Math.max(a, b) + 1);
}

/**
 * These keys as the last one clicked: chosen if it was not, otherwise not chosen. Of more than
 * allowed the last ones stay unchosen.
 */
export function toggled(
  chosen: ReadonlySet<string>,
  range: readonly string[],
  clicked: string,
): ReadonlySet<string> {
  const next = new Set(chosen);
  for (const key of range) {
    if (chosen.has(clicked)) next.delete(key);
    else if (next.size < SELECTED_MAX) next.add(key);
  }
  return next;
}

/** Those that are still in the list: what was deleted or filtered away does not count. */
export const among = (chosen: ReadonlySet<string>, keys: readonly string[]): ReadonlySet<string> =>
  new Set(keys.filter((key) => chosen.has(key)));

/** Whether all of these are chosen, or as many as can be. */
export const areAllChosen = (chosen: ReadonlySet<string>, keys: readonly string[]) =>
  keys.length > 0 && among(chosen, keys).size >= Math.min(keys.length, SELECTED_MAX);

export function useSelection(): Selection {
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const [last, setLast] = useState<string>();
  const choose = (keys: readonly string[]) => setChosen(new Set(keys.slice(0, SELECTED_MAX)));
  return {
    chosen,
    toggle: (key, keys, isRange) => {
      const range = isRange && last !== undefined ? rangeOf(keys, last, key) : [key];
      setChosen(toggled(among(chosen, keys), range, key));
      setLast(key);
    },
    toggleAll: (keys) => choose(areAllChosen(chosen, keys) ? [] : keys),
    choose,
    clear: () => choose([]),
  };
}
