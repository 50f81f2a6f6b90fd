import {
  DEFAULT_SORT,
  LIST_LENGTH_MAX,
  ORDERS,
  type Order,
  type Page,
  SORTS,
  type Sort,
} from '@tallyhand/contracts/kernel/lists';
import { invalidField } from '@tallyhand/contracts/kernel/problem';
import type { Refusal } from '@tallyhand/contracts/kernel/refusal';
import { z } from 'zod';

/** Only what PostgreSQL accepts: no year 0 and no fraction below microseconds. */
const Moment = z.iso
  .datetime({ offset: true })
  .regex(/^(?!0000)\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,6})?(Z|\+00:00)$/);
/** The beginning of a name, as `sortKeyOf` makes it. */
const SortKey = z.string().regex(/^[^\p{C}]*$/u);
/** The cursor names its order or sort unless that is the default. */
const Key = z.union([
  z.tuple([SortKey, z.uuid(), z.enum(['name', '-name'])]),
  z.tuple([Moment, z.uuid(), z.enum([...ORDERS, ...SORTS]).optional()]),
]);

export type PageValues = {
  readonly limit: number;
  readonly cursor_at: string | null;
  readonly cursor_id: string | null;
};

/** The paging parameters of a list's query. */
export type PageAsked = Page & {
  readonly order?: Order | undefined;
  readonly sort?: Sort | undefined;
};

/** What a cursor says of the order of its list; undefined for the default. */
const orderIn = ({ order, sort }: Pick<PageAsked, 'order' | 'sort'>) =>
  sort === DEFAULT_SORT || order === 'newest' ? undefined : (sort ?? order);

/** The arguments of a paged read. A cursor is the key of the last row before the page. */
export function pageValues({
  limit = LIST_LENGTH_MAX,
  cursor,
  ...ordered
}: PageAsked): PageValues | Refusal {
  if (cursor === undefined) return { limit, cursor_at: null, cursor_id: null };
  const key = Key.safeParse(parseJson(Buffer.from(cursor, 'base64url').toString('utf8')));
  if (!key.success) {
    return wrongCursor('Invalid cursor. Use the one from the Link header');
  }
  const [cursor_at, cursor_id, order] = key.data;
  if (order !== orderIn(ordered)) return cursorOfOtherOrder();
  return { limit, cursor_at, cursor_id };
}

/** Continuing in another order would repeat rows. */
export const cursorOfOtherOrder = () =>
  wrongCursor('This cursor is of another order or sort. Use the one from the Link header');

/** The page after a key that a read returned; the first page for null. */
export function pageAfter(key: string | null, limit: number): PageValues {
  const [cursor_at, cursor_id] = key === null ? [null, null] : JSON.parse(key);
  return { limit, cursor_at, cursor_id };
}

const wrongCursor = (message: string) => invalidField('cursor', message);

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** The Link header to the page after this key; `filter` is the rest of the query. */
export function nextLink(
  path: string,
  key: string,
  limit: number,
  filter: Readonly<Record<string, unknown>> & Pick<PageAsked, 'order' | 'sort'> = {},
): string {
  const order = orderIn(filter);
  const ordered = order === undefined ? key : JSON.stringify([...JSON.parse(key), order]);
  const cursor = Buffer.from(ordered).toString('base64url');
  const query = new URLSearchParams({ limit: String(limit), cursor });
  for (const [name, value] of Object.entries(filter)) {
    if (value !== undefined) query.set(name, String(value));
  }
  return `<${path}?${query}>; rel="next"`;
}
