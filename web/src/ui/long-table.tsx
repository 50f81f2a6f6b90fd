import type { RowData } from '@tanstack/react-table';
import { Table, type TableProps } from './table.tsx';
import { useLongList } from './use-long-list.ts';
import { usePhone } from './use-media-query.ts';

/** In pixels, until a row was measured. */
const ROW_HEIGHT = 45;
const CARD_HEIGHT = 150;

/** A table that may have thousands of rows; only those near the visible part are rendered. */
export function LongTable<Row extends RowData>(props: Omit<TableProps<Row>, 'long' | 'narrow'>) {
  const phone = usePhone();
  const long = useLongList(props.rows.length, phone ? CARD_HEIGHT : ROW_HEIGHT);
  return <Table {...props} long={long} />;
}
