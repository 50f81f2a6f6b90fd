import { useTranslation } from 'react-i18next';
import { Select } from './select.tsx';
import { DIRECTIONS, type SortBy, sortIn, sortText, type TableSort } from './sort.ts';

type Sortable<Row> = { key: string; header: string; sortBy?: SortBy<Row> };

/** All ways to sort, where there are no heads of columns to click. */
export function SortSelect<Row>({
  columns,
  sort: { sort, choose, own },
  className,
}: {
  columns: readonly Sortable<Row>[];
  sort: TableSort;
  className?: string;
}) {
  const { t } = useTranslation('common');
  const options = columns.flatMap(({ key, header: column, sortBy }) => {
    if (!sortBy) return [];
    const kind = 'text' in sortBy ? 'text' : 'number' in sortBy ? 'number' : 'time';
    return DIRECTIONS.map((direction) => ({
      value: sortText({ key, direction }),
      label: t(`sort.${kind}_${direction}`, { column }),
    }));
  });
  return (
    <Select
      aria-label={t('sort.label')}
      {...(className && { className })}
      value={sort ? sortText(sort) : ''}
      onChange={({ target }) => choose(sortIn(target.value, columns))}
      options={own ? options : [{ value: '', label: t('sort.own') }, ...options]}
    />
  );
}
