import { useSearchParams } from 'react-router-dom';

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
