import { useEffect, useState } from 'react';

/**
 * The server's state when an editor opens. Cached data may be old, and later data must not replace
 * what was typed. Undefined until it is loaded.
 */
export function useStart<T>(query: { currentData?: T; isFetching: boolean }): T | undefined {
  const [start, setStart] = useState<T>();
  const { currentData, isFetching } = query;
  useEffect(() => {
    if (!isFetching && currentData !== undefined) setStart((kept) => kept ?? currentData);
  }, [currentData, isFetching]);
  return start;
}
