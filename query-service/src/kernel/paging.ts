import { LIST_LENGTH_MAX, ORDERS, type Order, type Page } from '@tallyhand/contracts/kernel/lists';
import { ValidationFailed } from '@tallyhand/contracts/kernel/problem';
import type { Refusal } from '@tallyhand/contracts/kernel/refusal';
import { z } from 'zod';

/** Only what PostgreSQL accepts: no year 0 and no fraction below microseconds. */
const Moment = z.iso
  .datetime({ offset: true })
  .regex(/^(?!0000)\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,6})?(Z|\+00:00)$/);
/** The cursor names its order unless that is `newest`. */
const Key = z.tuple([Moment, z.uuid(), z.enum(ORDERS).optional()]);

export type PageValues = {
  readonly limit: number;
  readonly cursor_at: string | null;
  readonly cursor_id: string | null;
};

/** The paging parameters of a list's query. */
export type PageAsked = Page & { readonly order?: Order | undefined };

/** The arguments of a paged read. A cursor is the key of the last row before the page. */
export function pageValues({
  limit = LIST_LENGTH_MAX,
  cursor,
  order = 'newest',
}: PageAsked): PageValues | Refusal {
  if (cursor === undefined) return { limit, cursor_at: null, cursor_id: null };
  const key = Key.safeParse(parseJson(Buffer.from(cursor, 'base64url').toString('utf8')));
  if (!key.success) {
    return wrongCursor('Invalid cursor. Use the one from the Link header');
  }
  const [cursor_at, cursor_id, cursorOrder = 'newest'] = key.data;
  if (cursorOrder !== order) return cursorOfOtherOrder(cursorOrder);
  return { limit, cursor_at, cursor_id };
}

/** Continuing in the other order would repeat rows. */
export const cursorOfOtherOrder = (order: Order) =>
  wrongCursor(`This cursor belongs to order=${order}; take one of the order that you ask for`);

/** The page after a key that a read returned; the first page for null. */
export function pageAfter(key: string | null, limit: number): PageValues {
  const [cursor_at, cursor_id] = key === null ? [null, null] : JSON.parse(key);
  return { limit, cursor_at, cursor_id };
}

const wrongCursor = (message: string) =>
  ValidationFailed({ summary: `cursor: ${message}.` }, [{ path: 'cursor', message }]);

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
  filter: Readonly<Record<string, unknown>> & Pick<PageAsked, 'order'> = {},
): string {
  const ordered =
    filter.order === 'oldest' ? JSON.stringify([...JSON.parse(key), filter.order]) : key;
  const cursor = Buffer.from(ordered).toString('base64url');
  const query = new URLSearchParams({ limit: String(limit), cursor });
  for (const [name, value] of Object.entries(filter)) {
    if (value !== undefined) query.set(name, String(value));
  }
  return `<${path}?${query}>; rel="next"`;
}
