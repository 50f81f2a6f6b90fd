import { LIST_LENGTH_MAX, type Page } from '@tallyhand/contracts/kernel/lists';
import { ValidationFailed } from '@tallyhand/contracts/kernel/problem';
import type { Refusal } from '@tallyhand/contracts/kernel/refusal';
import { z } from 'zod';

/** Only what PostgreSQL takes too: it knows no year 0 and no fraction below microseconds. */
const Moment = z.iso
  .datetime({ offset: true })
  .regex(/^(?!0000)\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,6})?(Z|\+00:00)$/);
const Key = z.tuple([Moment, z.uuid()]);

type PageValues = {
  readonly limit: number;
  readonly cursor_at: string | null;
  readonly cursor_id: string | null;
};

/** The arguments of a paged read; a cursor is the key of the last row before the page. */
export function pageValues({ limit = LIST_LENGTH_MAX, cursor }: Page): PageValues | Refusal {
  if (cursor === undefined) return { limit, cursor_at: null, cursor_id: null };
  const key = Key.safeParse(parseJson(Buffer.from(cursor, 'base64url').toString('utf8')));
  if (!key.success) {
    const message = 'This is no cursor of ours; take the one of the Link header';
    return ValidationFailed({ summary: `cursor: ${message}.` }, [{ path: 'cursor', message }]);
  }
  return { limit, cursor_at: key.data[0], cursor_id: key.data[1] };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/**
 * The Link header that leads on behind the row of this key; `filter` is what else the query asked
 * for.
 */
export function nextLink(
  path: string,
  key: string,
  limit: number,
  filter: Readonly<Record<string, unknown>> = {},
): string {
  const cursor = Buffer.from(key).toString('base64url');
  const query = new URLSearchParams({ limit: String(limit), cursor });
  for (const [name, value] of Object.entries(filter)) {
    if (value !== undefined) query.set(name, String(value));
  }
  return `<${path}?${query}>; rel="next"`;
}
