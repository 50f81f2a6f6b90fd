import { useEffect, useState } from 'react';

/**
 * What the server holds when an editor opens: what was kept from before is not enough, and what
 * comes later must not take the place of what is typed. Undefined until then.
 */
export function useStart<T>(query: { currentData?: T; isFetching: boolean }): T | undefined {
  const [start, setStart] = useState<T>();
  const { currentData, isFetching } = query;
  useEffect(() => {
    if (!isFetching && currentData !== undefined) setStart((kept) => kept ?? currentData);
  }, [currentData, isFetching]);
  return start;
}
