import { useEffect, useMemo, useState } from 'react';
import { useSearchParams } from 'react-router-dom';
import type { AddressFilter } from './address-filter.ts';

const TYPING_MS = 300;

type Values = Readonly<Record<string, string | undefined>>;
/** A choice can be gone back from. What is typed bit by bit takes the place of the bit before. */
export type Change<V> = (values: V, how: 'chosen' | 'typed') => void;

/** The address's parameters, and how to change some of them; an empty one is removed. */
export function useAddress(): { search: URLSearchParams; change: Change<Values> } {
  const [search, setSearch] = useSearchParams();
  const change: Change<Values> = (values, how) =>
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
  return { search, change };
}

export type AddressFilterState<Name extends string> = {
  filter: AddressFilter<Name>;
  change: Change<AddressFilter<Name>>;
  clear: () => void;
};

/** The filter in the address, so that what is shown can be shared and gone back to. */
export function useAddressFilter<Name extends string>(
  names: readonly Name[],
  filterOf: (search: URLSearchParams) => AddressFilter<Name>,
): AddressFilterState<Name> {
  const { search, change } = useAddress();
  const written = search.toString();
  const filter = useMemo(() => filterOf(new URLSearchParams(written)), [filterOf, written]);
  const none = Object.fromEntries(names.map((name) => [name, undefined]));
  return { filter, change, clear: () => change(none, 'chosen') };
}

/** The typed text, applied once the user pauses: each letter would be a search. */
export function useTyped(value: string, settle: (value: string) => void) {
  const [typed, setTyped] = useState(value);
  const [known, setKnown] = useState(value);
  // Something else changed the address, such as the button that clears it.
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

/** A parameter of the address, so that what is shown can be shared. Empty means absent. */
export function useSearchParam(name: string): [string, (value: string) => void] {
  const { search, change } = useAddress();
  return [search.get(name) ?? '', (value) => change({ [name]: value }, 'typed')];
}

/** The beginning of a day in the user's time zone, some days later, as an ISO time. */
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
