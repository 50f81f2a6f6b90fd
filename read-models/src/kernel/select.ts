import { type Camel, type Columns, snake } from './columns.ts';
import type { Table } from './read-model.ts';

/** A view of the contracts, by its fields. */
export type View<F extends string> = { readonly shape: Readonly<Record<F, unknown>> };

/** Expressions for fields that no column is named after, and for others that differ from theirs. */
export type Computed<F extends string, C extends Columns> = {
  readonly [K in Exclude<F, Camel<keyof C>>]: string;
} & { readonly [K in F]?: string };

/** The fields of a view, each from the column of its name or as it is computed. */
export function selectOf<F extends string, C extends Columns>(
  view: View<F>,
  { columns }: Table<C>,
  as: string,
  computed: Computed<NoInfer<F>, C>,
): string {
  const expressions: Readonly<Record<string, string | undefined>> = computed;
  const selected = Object.keys(view.shape).flatMap((field) => {
    const column = snake(field);
    const expression = expressions[field] ?? (column in columns ? `${as}.${column}` : null);
    return expression === null ? [] : `${expression} as "${field}"`;
  });
  return selected.join(', ');
}
