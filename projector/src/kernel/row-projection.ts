import type { EventReader, EventValue } from '@tallyhand/contracts/kernel/messages';
import type { ReadModel } from '@tallyhand/read-models/kernel/read-model';
import type { ReadModelTables } from '@tallyhand/read-models/read-models';
import { type CountedAs, type CountTable, keepCounts } from './counts.ts';
import {
  batchProjection,
  type Happened,
  type Helpers,
  type Projection,
  type Surroundings,
} from './projection.ts';
import { readRows, writeRows } from './rows.ts';

type Table = keyof ReadModelTables;
type DataOf<E extends EventValue, T> = Extract<E, { type: T }>['data'];

type First<R, D> = (data: D, around: Surroundings) => R | Promise<R>;
type Next<R, D> = (row: R, data: D, around: Surroundings) => R | Promise<R>;

/**
 * A projection whose rows are each the fold of one object's events: rows are read and written once
 * a batch, however many events they had in it. An event of an object without a row is passed over.
 */
export function rowProjection<
  E extends EventValue,
  T extends Table,
  First_ extends E['type'],
  C extends CountTable = never,
>(declaration: {
  readonly model: ReadModel;
  readonly kinds: Readonly<Record<E['type'], EventReader>>;
  readonly table: T;
  /** The primary key's column, and the same in an event's data. */
  readonly key: keyof ReadModelTables[T] & string;
  readonly idOf: (data: E['data']) => string;
  /** A table of the same model that counts the rows. */
  readonly counts?: { readonly table: C; readonly as: CountedAs<C, ReadModelTables[T]> };
  /** Makes the row. */
  readonly first: { readonly [K in First_]: First<ReadModelTables[T], DataOf<E, K>> };
  /** Changes the row; what does not matter is named too, as 'ignored'. */
  readonly next: {
    readonly [K in Exclude<E['type'], First_>]: Next<ReadModelTables[T], DataOf<E, K>> | 'ignored';
  };
}): Projection {
  type Row = ReadModelTables[T];
  const { model, kinds, table, key, idOf, counts } = declaration;
  const first = declaration.first as Readonly<Record<string, First<Row, unknown>>>;
  const next = declaration.next as Readonly<Record<string, Next<Row, unknown> | 'ignored'>>;

  async function fold(
    rows: Map<string, Row>,
    { stored, event }: Happened<E>,
    helpers: Helpers,
  ): Promise<void> {
    const around = { ...helpers, event: stored, at: stored.envelope.recordedAt };
    const id = idOf(event.data);
    const make = first[event.type];
    const change = next[event.type];
    const row = rows.get(id);
    if (make) rows.set(id, await make(event.data, around));
    else if (row && change && change !== 'ignored') {
      rows.set(id, await change(row, event.data, around));
    }
  }

  return batchProjection<E>({
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
      const rows = await readRows(tx, table, key, [...sought]);
      const before = [...rows.values()];
      for (const one of relevant) await fold(rows, one, helpers);
      const after = [...rows.values()];
      await Promise.all([
        writeRows(tx, table, key, after),
        counts && keepCounts(tx, counts.table, { before, after }, counts.as),
      ]);
      return new Set(relevant.flatMap(({ stored }) => stored.envelope.organizationId ?? []));
    },
  });
}
