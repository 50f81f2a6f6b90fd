import type { Order } from '@tallyhand/contracts/kernel/lists';
import { type Sort, sortIn, sortText, type TableSort } from '../ui/sort.ts';
import type { Column } from '../ui/table.tsx';
import { useAddress } from './use-address.ts';

/**
 * How a table is sorted, kept in the address under this name; unknown columns are ignored. `own`: the
 * sort of the table's own order, where it has one.
 */
export function useSort<Row>(
  name: string,
  columns: readonly Pick<Column<Row>, 'key' | 'sortBy'>[],
  own?: Sort,
): TableSort {
  const { search, change } = useAddress();
  const choose = (sort: Sort | undefined) => {
    const text = sort ? sortText(sort) : '';
    change({ [name]: own && text === sortText(own) ? '' : text }, 'chosen');
  };
  return { sort: sortIn(search.get(name) ?? '', columns) ?? own, choose, ...(own && { own }) };
}

/** The order of a list that the server sorts by the time in this column. */
export function useTimeOrder(name: string, column: string): { sort: TableSort; order: Order } {
  const columns = [{ key: column, sortBy: { time: () => null } }];
  const sort = useSort(name, columns, { key: column, direction: 'descending' });
  return { sort, order: sort.sort?.direction === 'ascending' ? 'oldest' : 'newest' };
}
