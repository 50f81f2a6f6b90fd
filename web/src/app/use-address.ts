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

/** A filter that stands in the address, so that the list can be shared. Empty means absent. */
export function useSearchParam(name: string): [string, (value: string) => void] {
  const [search, setSearch] = useSearchParams();
  const set = (value: string) => {
    const params = new URLSearchParams(search);
    if (value === '') params.delete(name);
    else params.set(name, value);
    setSearch(params, { replace: true });
  };
  return [search.get(name) ?? '', set];
}

/** The beginning of a day where the person is, some days later, as the server is told. */
function beginOf(day: string, daysLater = 0): string {
  const at = new Date(`${day}T00:00:00`);
  at.setDate(at.getDate() + daysLater);
  return at.toISOString();
}

/** The filter as the server takes it: days are whole days in the user's time zone. */
export function withMoments<F extends { from?: string; to?: string }>({ from, to, ...rest }: F) {
  return {
    ...rest,
    ...(from && { from: beginOf(from) }),
    ...(to && { to: beginOf(to, 1) }),
  };
}
