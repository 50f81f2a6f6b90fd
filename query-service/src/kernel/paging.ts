import { LIST_LENGTH_MAX, type Page } from '@tallyhand/contracts/kernel/lists';
import { ValidationFailed } from '@tallyhand/contracts/kernel/problem';
import type { Refusal } from '@tallyhand/contracts/kernel/refusal';
import { z } from 'zod';

const Key = z.tuple([z.iso.datetime({ offset: true }), z.uuid()]);

export type PageValues = {
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

type Row = { readonly createdAt?: string; readonly id?: string };

/** The Link header that leads on from a full page, or null after the last one. */
export function nextLink(path: string, rows: readonly Row[], limit: number): string | null {
  const last = rows.at(-1);
  if (rows.length < limit || !last?.createdAt || !last.id) return null;
  const cursor = Buffer.from(JSON.stringify([last.createdAt, last.id])).toString('base64url');
  return `<${path}?limit=${limit}&cursor=${cursor}>; rel="next"`;
}
