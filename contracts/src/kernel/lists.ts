import { z } from 'zod';
import { Moment } from './moment.ts';

/** Lists are paged by key. Without `limit` and `cursor` a list returns up to 1,000 rows. */
export const LIST_LENGTH_MAX = 1000;

/** A cursor may hold the beginning of a name. */
const CURSOR_MAX = 1000;

export const Page = z.strictObject({
  limit: z.coerce
    .number({ error: 'limit must be a number' })
    .int('limit must be a whole number')
    .min(1, 'limit must be at least 1')
    .max(LIST_LENGTH_MAX, `limit must be at most ${LIST_LENGTH_MAX}`)
    .optional(),
  cursor: z.string().max(CURSOR_MAX).optional(),
});
export type Page = z.infer<typeof Page>;

export const ORDERS = ['newest', 'oldest'] as const;
export type Order = (typeof ORDERS)[number];

/** The query of a list with either order; a cursor belongs to its order. */
export const Ordered = {
  order: z
    .enum(ORDERS, { error: `order must be ${ORDERS.join(' or ')}` })
    .meta({ description: 'Which entries come first; the newest where nothing is said.' })
    .optional(),
};

/** What objects with a name or title are sorted by; a `-` before it means descending. */
export const SORT_FIELDS = ['name', 'createdAt', 'updatedAt'] as const;
export type SortField = (typeof SORT_FIELDS)[number];
export type Sort = SortField | `-${SortField}`;
export const SORTS: readonly Sort[] = SORT_FIELDS.flatMap((field) => [field, `-${field}`] as const);
export const DEFAULT_SORT: Sort = '-createdAt';

const SEARCH_MAX = 200;

/** The part of a text that a list is filtered by. */
export const SearchText = (where: string) =>
  z
    .string()
    .max(SEARCH_MAX, `q must be at most ${SEARCH_MAX} characters`)
    .meta({ description: `Text that ${where} contains, in capital or small letters. ${LOOKS_ON}` })
    .optional();

/** Why a page of a filtered list may be short. */
export const LOOKS_ON =
  'Each page searches the next 500 rows: it may hold fewer than `limit`, or none. The search ends where no Link header leads on.';

/** A filter with few values. */
export const OneOf = <const V extends readonly string[]>(name: string, values: V) =>
  z.enum(values, { error: `${name} must be ${orOf(values)}` });

const orOf = (values: readonly string[]) =>
  values.length > 2 ? `one of ${values.join(', ')}` : values.join(' or ');

/** A filter that is `true` or `false`. */
export const YesOrNo = (name: string) => OneOf(name, ['true', 'false']);

/** A filter by a whole category or tag. */
export const Label = (name: string) =>
  z
    .string()
    .trim()
    .min(1, `${name} must not be empty`)
    .max(100, `${name} must be at most 100 characters`)
    .meta({ description: `The whole ${name}, in capital or small letters.` })
    .optional();

/** Days (UTC) or moments. A day as the end is included. */
export const Created = {
  from: Moment.from('from')
    .meta({ description: 'Created on this day (UTC), or at this moment, or later.' })
    .optional(),
  to: Moment.to('to')
    .meta({ description: 'Created until the end of this day (UTC), or before this moment.' })
    .optional(),
};

/** The sort and the filters of every list of versioned objects. */
export const FoundObjects = {
  sort: z
    .enum(SORTS, { error: `sort must be one of ${SORTS.join(', ')}` })
    .meta({
      description: 'By name or title, or by time; `-` means descending. By default `-createdAt`.',
    })
    .optional(),
  ...Created,
  updatedFrom: Moment.from('updatedFrom').optional(),
  updatedTo: Moment.to('updatedTo').optional(),
};
