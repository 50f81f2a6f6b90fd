import { useEffect, useMemo, useState } from 'react';
import { useSearchParams } from 'react-router-dom';
import { FILTER_NAMES, type FilterName, filterOf } from './task-filter.ts';

const TYPING_MS = 300;

/** The filter in the address, so that what is shown can be shared and gone back to. */
export function useTaskFilter() {
  const [search, setSearch] = useSearchParams();
  const written = search.toString();
  const filter = useMemo(() => filterOf(new URLSearchParams(written)), [written]);
  /** A choice can be gone back from; what is typed bit by bit takes the place of the bit before. */
  const change = (values: Partial<Record<FilterName, string>>, how: 'chosen' | 'typed') =>
    setSearch(
      (now) => {
        const params = new URLSearchParams(now);
        for (const [name, value] of Object.entries(values)) {
          if (value) params.set(name, value);
          else params.delete(name);
        }
        return params;
      },
      { replace: how === 'typed' },
    );
  const clear = () => change(Object.fromEntries(FILTER_NAMES.map((name) => [name, ''])), 'chosen');
  return { filter, change, clear };
}

export type TaskFilterState = ReturnType<typeof useTaskFilter>;

/** What is typed counts once the person pauses: each letter would be a search. */
export function useTyped(value: string, settle: (value: string) => void) {
  const [typed, setTyped] = useState(value);
  const [known, setKnown] = useState(value);
  // The address was changed by something else, as by the button that clears it.
  if (value !== known) {
    setKnown(value);
    if (value !== typed.trim()) setTyped(value);
  }
  useEffect(() => {
    if (typed.trim() === value) return;
    const timer = setTimeout(() => settle(typed.trim()), TYPING_MS);
    return () => clearTimeout(timer);
  });
  return [typed, setTyped] as const;
}
