import type { EventValue } from '@tallyhand/contracts/kernel/messages';
import type { ReadModel } from '@tallyhand/read-models/kernel/read-model';
import type { ReadModelTables } from '@tallyhand/read-models/read-models';
import {
  batchProjection,
  type EventOfKinds,
  type Happened,
  type Helpers,
  type Kinds,
  type Projection,
  type Surroundings,
  type Tx,
} from './projection.ts';
import {
  type CountedAs,
  type CountTable,
  changedRow,
  keepCounts,
  namedColumns,
  newRow,
  readRows,
  type Unnamed,
  writeRows,
} from './rows.ts';

type Table = keyof ReadModelTables;
type DataOf<E extends EventValue, T> = Extract<E, { type: T }>['data'];

type First<R, D> = (data: D, around: Surroundings) => Unnamed<R, D>;
/** `named`: the columns that the event's fields fill by name. */
type Next<R, D> = (
  row: R,
  data: D,
  around: Surroundings & { readonly named: Partial<R> },
) => Partial<R>;

type CounterOf<C extends CountTable, R> = { readonly table: C; readonly as: CountedAs<C, R> };
type Counter<R> = { [C in CountTable]: CounterOf<C, R> }[CountTable];

const keepCounter = <C extends CountTable, R>(
  tx: Tx,
  { table, as }: CounterOf<C, R>,
  rows: { readonly before: readonly R[]; readonly after: readonly R[] },
) => keepCounts(tx, table, rows, as);

/**
 * A projection whose rows are each computed from one object's events. Rows are read and written once
 * per batch, however many events they have in it. Events of an object without a row are skipped.
 */
export function rowProjection<
  K extends Kinds,
  T extends Table,
  F extends EventOfKinds<K>['type'],
>(declaration: {
  readonly model: ReadModel;
  readonly kinds: K;
  readonly table: T;
  readonly idOf: (data: EventOfKinds<K>['data']) => string;
  /** Tables of the same model that count the rows. */
  readonly counts?: readonly Counter<ReadModelTables[T]>[];
  /** The columns of a new row that the event does not fill by name. */
  readonly first: {
    readonly [E in F]: First<ReadModelTables[T], DataOf<EventOfKinds<K>, E>>;
  };
  /** The columns that change: those that the event's fields fill by name, given ones, or none. */
  readonly next: {
    readonly [E in Exclude<EventOfKinds<K>['type'], F>]:
      | Next<ReadModelTables[T], DataOf<EventOfKinds<K>, E>>
      | 'by-name'
      | 'ignored';
  };
}): Projection {
  type Row = ReadModelTables[T];
  type Event = EventOfKinds<K>;
  const { model, kinds, table, idOf, counts = [] } = declaration;
  const first = declaration.first as Readonly<Record<string, First<Row, object>>>;
  const next = declaration.next as Readonly<
    Record<string, Next<Row, object> | 'by-name' | 'ignored'>
  >;

  function fold(rows: Map<string, Row>, { stored, event }: Happened<Event>, helpers: Helpers) {
    const at = stored.envelope.recordedAt;
    const around = { ...helpers, event: stored, at };
    const id = idOf(event.data);
    const given = first[event.type];
    const change = next[event.type];
    const row = rows.get(id);
    if (given) rows.set(id, newRow<T, object>(table, event.data, at, given(event.data, around)));
    else if (row && change && change !== 'ignored') {
      const named = namedColumns(table, event.data);
      const changed = change === 'by-name' ? named : change(row, event.data, { ...around, named });
      rows.set(id, changedRow(table, row, at, changed));
    }
  }

  return batchProjection({
    model,
    kinds,
    async apply(tx, happened, helpers) {
      const relevant = happened.filter(({ event }) => next[event.type] !== 'ignored');
      const begun = new Set<string>();
      const sought = new Set<string>();
      for (const { event } of relevant) {
        const id = idOf(event.data);
        if (first[event.type]) begun.add(id);
        else if (!begun.has(id)) sought.add(id);
      }
      const rows = await readRows(tx, table, [...sought]);
      const before = [...rows.values()];
      for (const one of relevant) fold(rows, one, helpers);
      const after = [...rows.values()];
      await Promise.all([
        writeRows(tx, table, after),
        ...counts.map((counter) => keepCounter(tx, counter, { before, after })),
      ]);
      return new Set(relevant.flatMap(({ stored }) => stored.envelope.organizationId ?? []));
    },
  });
}

/** A deletion keeps the row, and a restoration shows it again. */
export const deletedRow = (_row: unknown, _data: unknown, { at }: Pick<Surroundings, 'at'>) => ({
  deleted_at: at,
});
export const restoredRow = () => ({ deleted_at: null });
