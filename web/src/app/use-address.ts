import { useMemo } from 'react';
import { useSearchParams } from 'react-router-dom';
import type { AddressFilter, FilterCodec } from './address-filter.ts';

type Values = Readonly<Record<string, string | undefined>>;
/** A choice can be gone back from. What is typed bit by bit takes the place of the bit before. */
export type Change<V> = (values: V, how: 'chosen' | 'typed') => void;

type Address = {
  search: URLSearchParams;
  /** Changes some of the parameters; an empty one is removed. */
  change: Change<Values>;
  edit: (edit: (params: URLSearchParams) => void, options: { replace: boolean }) => void;
};

/** The address's parameters, and how to change them. */
export function useAddress(): Address {
  const [search, setSearch] = useSearchParams();
  const edit: Address['edit'] = (edit, options) => {
    // The router's own parameters are those of the last rendering: a change in between would be lost.
    const params = new URLSearchParams(window.location.search);
    edit(params);
    setSearch(params, options);
  };
  const change: Change<Values> = (values, how) =>
    edit(
      (params) => {
        for (const [name, value] of Object.entries(values)) {
          if (value) params.set(name, value);
          else params.delete(name);
        }
      },
      { replace: how === 'typed' },
    );
  return { search, change, edit };
}

export type AddressFilterState<Name extends string> = {
  names: readonly Name[];
  filter: AddressFilter<Name>;
  change: Change<Values>;
  clear: () => void;
};

/** The filter in the address, so that what is shown can be shared and gone back to. */
export function useAddressFilter<Name extends string>(
  codec: FilterCodec<Name>,
): AddressFilterState<Name> {
  const { search, change } = useAddress();
  const written = search.toString();
  const filter = useMemo(() => codec.read(new URLSearchParams(written)), [codec, written]);
  const none = Object.fromEntries(codec.names.map((name) => [name, undefined]));
  return { names: codec.names, filter, change, clear: () => change(none, 'chosen') };
}

/** A parameter of the address, so that what is shown can be shared. Empty means absent. */
export function useSearchParam(name: string): [string, (value: string) => void] {
  const { search, change } = useAddress();
  return [search.get(name) ?? '', (value) => change({ [name]: value }, 'typed')];
}
