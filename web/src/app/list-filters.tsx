import { DEFAULT_SORT } from '@tallyhand/contracts/kernel/lists';
import { Search } from 'lucide-react';
import type { ComponentProps } from 'react';
import { useTranslation } from 'react-i18next';
import { Button } from '../ui/button.tsx';
import { EmptyState } from '../ui/empty-state.tsx';
import { FilterBar } from '../ui/filter-bar.tsx';
import type { FilterBarProps } from '../ui/filters.ts';
import { sortIn, sortText, type TableSort } from '../ui/sort.ts';
import { SortSelect } from '../ui/table.tsx';
import type { AddressFilter, FilterCodec } from './address-filter.ts';
import { SavedViews } from './saved-views-menu.tsx';
import { type AddressFilterState, useAddressFilter } from './use-address.ts';
import { useSort } from './use-sort.ts';

type SortColumns = ComponentProps<typeof SortSelect>['columns'];

type ListFiltersProps<Name extends string> = Omit<FilterBarProps, 'values' | 'change' | 'clear'> & {
  /** Names the list, for its saved views. */
  list: string;
  state: AddressFilterState<Name>;
  /** How the list is sorted, where it has no column headers to click. */
  sort?: TableSort;
  columns?: SortColumns;
};

/** The filters of a list and its sort, kept in the address. */
export function ListFilters<Name extends string>({
  list,
  state,
  sort,
  columns = [],
  ...bar
}: ListFiltersProps<Name>) {
  return (
    <FilterBar {...bar} values={state.filter} change={state.change} clear={state.clear}>
      {sort && (
        <SortSelect
          className="min-w-44 max-sm:order-last max-sm:basis-full"
          sort={sort}
          columns={columns}
        />
      )}
      <SavedViews list={list} names={[...state.names, 'sort']} />
    </FilterBar>
  );
}

/** Shown in place of a list whose filters find nothing. */
export function NothingFound({
  title,
  description,
  clear,
}: {
  title?: string;
  description?: string;
  clear: () => void;
}) {
  const { t } = useTranslation('lists');
  return (
    <EmptyState
      icon={Search}
      title={title ?? t('filters.noMatch')}
      description={description ?? t('filters.noMatchDescription')}
      action={<Button onClick={clear}>{t('filters.clear')}</Button>}
    />
  );
}

const byTime = { time: () => null };
const byText = { text: () => null };

/** How the server sorts lists of versioned objects. */
function useSortColumns() {
  const { t } = useTranslation('lists');
  return [
    { key: 'name', header: t('columns.name'), sortBy: byText },
    { key: 'createdAt', header: t('columns.created'), sortBy: byTime },
    { key: 'updatedAt', header: t('columns.updated'), sortBy: byTime },
  ];
}

export type ObjectFilterState<Name extends string> = {
  state: AddressFilterState<Name>;
  sort: TableSort;
  columns: SortColumns;
  /** The query of the list; undefined for the whole list in its own order. */
  asked: (AddressFilter<Name> & { sort?: string }) | undefined;
  isFiltered: boolean;
};

/** The filter and the sort of a list of versioned objects, in the address. */
export function useObjectFilters<Name extends string>(
  codec: FilterCodec<Name>,
): ObjectFilterState<Name> {
  const columns = useSortColumns();
  const state = useAddressFilter(codec);
  const sort = useSort('sort', columns, sortIn(DEFAULT_SORT, columns));
  const sorted = sort.sort ? sortText(sort.sort) : DEFAULT_SORT;
  const isFiltered = Object.keys(state.filter).length > 0;
  const isOwn = !isFiltered && sorted === DEFAULT_SORT;
  const asked = isOwn ? undefined : { ...state.filter, sort: sorted };
  return { state, sort, columns, asked, isFiltered };
}
