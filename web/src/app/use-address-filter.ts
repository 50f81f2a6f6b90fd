import { useEffect, useMemo, useState } from 'react';
import { useSearchParams } from 'react-router-dom';
import type { AddressFilter } from './address-filter.ts';

const TYPING_MS = 300;

/** The filter in the address, so that what is shown can be shared and gone back to. */
export function useAddressFilter<Name extends string>(
  names: readonly Name[],
  filterOf: (search: URLSearchParams) => AddressFilter<Name>,
) {
  const [search, setSearch] = useSearchParams();
  const written = search.toString();
  const filter = useMemo(() => filterOf(new URLSearchParams(written)), [filterOf, written]);
  /** A choice can be gone back from; what is typed bit by bit takes the place of the bit before. */
  const change = (values: AddressFilter<Name>, how: 'chosen' | 'typed') =>
    setSearch(
      (now) => {
        const params = new URLSearchParams(now);
        for (const [name, value] of Object.entries<string | undefined>(values)) {
          if (value) params.set(name, value);
          else params.delete(name);
        }
        return params;
      },
      { replace: how === 'typed' },
    );
  const none = Object.fromEntries(names.map((name) => [name, ''])) as AddressFilter<Name>;
  return { filter, change, clear: () => change(none, 'chosen') };
}

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
