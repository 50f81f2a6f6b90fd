import type { RowData } from '@tanstack/react-table';
import { Table, type TableProps } from './table.tsx';
import { useLongList } from './use-long-list.ts';
import { usePhone } from './use-media-query.ts';

/** Pixels, until a row was seen. */
const ROW_HEIGHT = 45;
const CARD_HEIGHT = 150;

/** A table in the page that may have thousands of rows; those far from what is seen are not there. */
export function LongTable<Row extends RowData>(props: Omit<TableProps<Row>, 'long' | 'narrow'>) {
  const phone = usePhone();
  const long = useLongList(props.rows.length, phone ? CARD_HEIGHT : ROW_HEIGHT);
  return <Table {...props} long={long} />;
}
