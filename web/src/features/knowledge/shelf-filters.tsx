import { ArticleFilter as ArticleFilterFields } from '@tallyhand/contracts/features/knowledge/knowledge.endpoints';
import { useTranslation } from 'react-i18next';
import { addressFilter, DayFields, SearchField } from '../../app/address-filter.ts';
import { ListFilters, type ObjectFilterState } from '../../app/list-filters.tsx';
import { collator } from '../../ui/formats.ts';

/** The filter of articles and playbooks in an address. */
export const articleFilter = addressFilter({
  ...SearchField,
  ...ArticleFilterFields,
  ...DayFields,
});

type Labelled = { category: string; tags: readonly string[] };
export type ShelfFilterState = ObjectFilterState<(typeof articleFilter.names)[number]>;

type ShelfFiltersProps = ShelfFilterState & {
  shelf: 'article' | 'playbook';
  items: readonly Labelled[];
};

/** A search, categories and tags of the shelf, and its order. */
export function ShelfFilters({ state, sort, columns, shelf, items }: ShelfFiltersProps) {
  const { t, i18n } = useTranslation(['knowledge', 'lists']);
  const { compare } = collator(i18n.language);
  const optionsOf = (labels: readonly string[]) =>
    [...new Set(labels)].toSorted(compare).map((value) => ({ value, label: value }));
  const visibility = {
    name: 'isPublic',
    label: t('filters.isPublic'),
    options: [
      { value: 'true', label: t('lists:filters.yes') },
      { value: 'false', label: t('lists:filters.no') },
    ],
  };
  return (
    <ListFilters
      list="knowledge"
      state={state}
      sort={sort}
      columns={columns}
      search={t('search')}
      fields={[
        {
          name: 'category',
          label: t('filters.category'),
          options: optionsOf(items.map(({ category }) => category)),
        },
        {
          name: 'tag',
          label: t('filters.tag'),
          options: optionsOf(items.flatMap(({ tags }) => tags)),
        },
        ...(shelf === 'article' ? [visibility] : []),
      ]}
      dates={t('lists:columns.created')}
    />
  );
}
